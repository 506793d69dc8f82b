// A first game explains itself: what one is after, what a new row does, what a scoring has done, and what the end costs.
// Each is said once, in the first game of a browser, where it covers nothing that is played with.

import { board } from "../table/board.js";
import { announce, byId, fillWith } from "../core/dom.js";
import { allSeats } from "../core/session.js";
import { readStored, store } from "../core/storage.js";
import { targetsFor } from "../table/turn.js";
import { words } from "../core/words.js";

const HINTS = "reibach.hints";
const AFTER_ROUND = ["", "scored", "losses"];

let first = null; // {game, said}: the browser's first game, and the hints that were said in it
let inSight = null; // the name of the hint that is shown

/** Say them in this game if it is the first one; who has played before needs none. */
export function startHints() {
  first = readStored(HINTS) ?? { game: Object.keys(allSeats()).some((game) => game !== board.id) ? null : board.id, said: [] };
  store(HINTS, first);
  byId("hint-close").addEventListener("click", () => (byId("hint").hidden = true));
}

/** Show the hint for what the player is about to do, or none; once a `round` is closed, for what follows it. */
export function showHint(round = AFTER_ROUND.indexOf(inSight)) {
  const { view, selected, asked, turn } = board;
  if (!first || !view?.you) return;
  const isBeginning = view.status === "playing" && view.turn?.number <= view.seats.length && !view.seats[view.you.seat].rows.length;
  const isUntouched = !selected && !asked && !turn.steps.length && !turn.sending;
  const isLaying = selected !== null && targetsFor(view, turn.steps, selected.card).isNewRow;
  const due = isLaying ? "maker" : !isUntouched ? null : (AFTER_ROUND[round] ?? (isBeginning ? "aim" : null));
  if (due === inSight) return;
  byId("hint").hidden = !(due && say(due));
  inSight = due;
}

function say(name) {
  if (first.game !== board.id || first.said.includes(name)) return false;
  first.said.push(name);
  store(HINTS, first);
  fillWith(byId("hint-text"), words.turn.hints[name]);
  announce(words.turn.hints[name]);
  return true;
}
