// What keeps the page still while others play: what moves it waits until the player has just done something, or can't see it.

/** Milliseconds after an input in which its effects come; browsers count a shift of the layout as unasked after 500. */
const SOON_AFTER = 400;
const TEXT_FIELDS = "textarea, input:not([type=checkbox], [type=radio])";

let isFirst = true;
let lastInput = -Infinity;
let waitingMoves = new Set();

export function startSteady() {
  for (const type of ["click", "keydown"]) addEventListener(type, noteInput, { capture: true });
  addEventListener("click", () => setTimeout(letMove)); // what was clicked has been done then
  addEventListener("resize", letMove);
  addEventListener("visibilitychange", () => document.hidden && letMove());
}

function noteInput({ target }) {
  if (!(target instanceof Element && target.matches(TEXT_FIELDS))) lastInput = performance.now();
}

export function noteFirst() {
  isFirst = false;
}

/**
 * Call `move`, which moves the page: now, if nothing is shown yet, the player has just done something, or looks at another
 * page; else once as soon as it may.
 */
export function moveInTime(move) {
  if (isFirst || document.hidden || performance.now() - lastInput < SOON_AFTER) move();
  else waitingMoves.add(move);
}

function letMove() {
  const moves = waitingMoves;
  waitingMoves = new Set();
  moves.forEach((move) => move());
}
