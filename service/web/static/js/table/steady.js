// What keeps the page still while others play: parts of it change their height only where the player has just done
// something, or can't see it. Those parts have `data-steady`, a name of their own; what doesn't fit scrolls meanwhile.

import { markScrollable } from "../core/scrolling.js";

/** Milliseconds after an input in which its effects come; browsers count a shift of the layout as unasked after 500. */
const SOON_AFTER = 400;
const TEXT_FIELDS = "textarea, input:not([type=checkbox], [type=radio])";

let isFirst = true;
let lastInput = -Infinity;
let waitingMoves = new Set();

/** Listen to what the player does. */
export function startSteady() {
  for (const type of ["click", "keydown"]) addEventListener(type, noteInput, { capture: true });
  addEventListener("click", () => setTimeout(letMove)); // what was clicked has been done then
  addEventListener("resize", letMove);
  addEventListener("visibilitychange", () => document.visibilityState === "hidden" && letMove());
}

function noteInput({ target }) {
  if (!(target instanceof Element && target.matches(TEXT_FIELDS))) lastInput = performance.now();
}

/** Whether the page may move now: nothing is shown yet, the player has just done something, or looks at another page. */
export function mayMove() {
  return isFirst || document.visibilityState !== "visible" || performance.now() - lastInput < SOON_AFTER;
}

/** Call `move`, which moves the page: now, if it may move, or else once as soon as it may. */
export function moveInTime(move) {
  if (mayMove()) move();
  else waitingMoves.add(move);
}

function letMove() {
  const moves = waitingMoves;
  waitingMoves = new Set();
  moves.forEach((move) => move());
  for (const part of document.querySelectorAll("[data-steady]")) release(part);
}

/** Call `render`; afterwards the steady parts are as high as before it, unless the page may move. */
export function renderSteadily(render) {
  const heights = new Map();
  if (!mayMove()) for (const part of document.querySelectorAll("[data-steady]")) heights.set(part.dataset.steady, part.getBoundingClientRect().height);
  render();
  isFirst = false;
  for (const part of document.querySelectorAll("[data-steady]")) hold(part, heights.get(part.dataset.steady) ?? 0);
}

/** Give a part a height, or with 0 its own. */
function hold(part, height) {
  release(part);
  if (!height || Math.abs(part.getBoundingClientRect().height - height) < 0.5) return;
  part.style.height = `${height}px`;
  part.classList.toggle("held", part.scrollHeight > part.clientHeight + 1);
  markScrollable(part);
}

function release(part) {
  if (!part.style.height) return;
  part.style.height = "";
  part.classList.remove("held");
  markScrollable(part);
}
