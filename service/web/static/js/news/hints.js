// A first game explains itself: what one is after, what a new row does, what a scoring has done, and what the end costs.
// Each is said once, in the first game of a browser, where it covers nothing that is played with.

import { board } from "../table/board.js";
import { announce, byId, fillWith } from "../core/dom.js";
import { allSeats } from "../core/session.js";
import { readStored, store } from "../core/storage.js";
import { targetsFor } from "../table/turn.js";
import { words } from "../core/words.js";

const HINTS = "reibach.hints";
const AT_PAYDAYS = { 1: "scored", 2: "losses" };

let first = null; // {game, said}: the browser's first game, and the hints that were said in it
let inSight = null; // the name of the hint that is shown

/** Say them in this game if it is the first one; who has played before needs none. */
export function startHints() {
  first = readStored(HINTS) ?? { game: Object.keys(allSeats()).some((game) => game !== board.id) ? null : board.id, said: [] };
  store(HINTS, first);
  byId("hint-close").addEventListener("click", () => (byId("hint").hidden = true));
}

/** Show the hint for what the player is about to do, or none. */
export function showHint() {
  const { view, selected, asked, turn } = board;
  if (!view?.you) return;
  const isBeginning = view.status === "playing" && view.turn?.number <= view.seats.length && !view.seats[view.you.seat].rows.length;
  const isUntouched = !selected && !asked && !turn.steps.length && !turn.sending;
  const isLaying = selected !== null && targetsFor(view, turn.steps, selected.card).isNewRow;
  const due = isLaying ? "maker" : isUntouched && isBeginning ? "aim" : null;
  if (due === inSight) return;
  inSight = due;
  const text = sayOnce(due);
  byId("hint").hidden = !text;
  fillWith(byId("hint-text"), text);
  if (text) announce(text);
}

/** What is learnt at a payday: its text, null where there is nothing new. */
export function lessonOf(round) {
  return sayOnce(AT_PAYDAYS[round]);
}

function sayOnce(name) {
  if (!name || first?.game !== board.id || first.said.includes(name)) return null;
  first.said.push(name);
  store(HINTS, first);
  return words.turn.hints[name];
}
