// Whether standing orders wait, in the status.

import { gamePath, getIfAny } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { byId } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { isOwnTurn } from "../table/status.js";

const WAITING = "reibach.orders";

let asked = ""; // the moment for which the service was asked whether orders wait

/** Say in the status that orders wait, where this browser has given some: no view tells of them. */
export async function showWaiting() {
  const { view } = board;
  const isGiven = Boolean(view?.you && view.status !== "over" && keptOfGame(WAITING, board.id));
  byId("orders-waiting").hidden = !isGiven;
  if (!isGiven) return;
  const moment = `${view.turn?.number} ${isOwnTurn(view) && view.turn.action_points}`;
  if (moment === asked) return;
  asked = moment;
  await getIfAny(gamePath(board.id, "orders"), ownToken()).then(noteWaiting, () => undefined); // else asked at the next moment
}

export function noteWaiting(orders) {
  const isWaiting = orders?.steps?.length > 0;
  keepOfGame(WAITING, board.id, isWaiting || null);
  byId("orders-waiting").hidden = !isWaiting;
}
