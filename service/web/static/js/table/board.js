// What the page of a game knows: the view, the turn that is being composed, and what is shown at the moment.

import { gamePath, post, request } from "../core/api.js";
import { byId } from "../core/dom.js";
import { showFocused } from "../core/scrolling.js";
import { seatIn } from "../core/session.js";
import { isOwnTurn } from "./status.js";
import { noteFirst } from "./steady.js";

/**
 * `turn`: see turn.js; `selected`: the hand card that waits for its row; `areStepsOpen`: in a narrow window; `asked`: the
 * take or draw that waits for a yes; `refusal`: `{action, detail}`; `unsent`: why what was sent waits, in words; `result`:
 * sentences on what the last sending did; `marks`: what has changed, as keys, `fresh`: just now; `news`: the events that
 * the next picture shows first.
 */
export const board = {
  id: decodeURIComponent(location.pathname.split("/")[2] ?? ""),
  view: null,
  turn: { number: 0, steps: [], sending: null },
  selected: null,
  areStepsOpen: false,
  asked: null,
  refusal: null,
  unsent: null,
  result: [],
  nextGame: null,
  marks: new Set(),
  fresh: new Set(),
  news: [],
  isConnected: true,
};

/** Whether the player can act now: it is their turn, and no answer is awaited. */
export function canAct() {
  return isOwnTurn(board.view) && !board.turn.sending;
}

/** Nothing is chosen, asked or open any more; `changes`: what else of the board is another now, or of these. */
export function letGoFor(changes) {
  Object.assign(board, { selected: null, asked: null, areStepsOpen: false, ...changes });
}

const renderers = [];

export function onBoard(...renders) {
  renderers.push(...renders);
}

let acceptView = async () => undefined;

/** Call `accept` with the view of an answer that came from elsewhere than the table. */
export function onView(accept) {
  acceptView = accept;
}

/** Tell the service something by the seat's resource (parts of its path), and show the view that it answers. */
export async function postOfSeat(resource, body) {
  await acceptView((await post(gamePath(board.id, ...resource), body, { token: ownToken() })).game);
}

export async function deleteOfSeat(resource) {
  await acceptView((await request(gamePath(board.id, ...resource), { method: "DELETE", token: ownToken() })).game);
}

/** Show the board as it is now. The element that had the focus has it again, by its `data-focus`; else the status has. */
export function showBoard() {
  const focused = document.activeElement?.dataset?.focus;
  renderers.forEach((render) => render());
  noteFirst();
  board.fresh = new Set(); // what has changed pulses once
  if (focused && document.activeElement?.dataset?.focus !== focused && !focusOn(focused)) byId("status-text").focus({ preventScroll: true });
}

/** The `data-focus` of what an action takes or draws. */
export function focusOf({ type, slot }) {
  return type === "draw" ? "draw" : `slot:${slot}`;
}

/** Focus the element of this `data-focus`; whether there is one. */
export function focusOn(name) {
  const element = document.querySelector(`[data-focus="${CSS.escape(name)}"]`);
  element?.focus({ preventScroll: element.closest("#dock") !== null }); // the dock is always in sight
  if (element) showFocused(byId("hand"), element);
  return element !== null && element === document.activeElement;
}

export function ownToken() {
  return board.view?.you ? (seatIn(board.id)?.token ?? null) : null;
}
