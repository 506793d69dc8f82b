// A hand card can be dragged to where it can lie, as well as touched. A finger that moves sideways scrolls the hand.

import { canAct } from "./board.js";
import { byId } from "../core/dom.js";
import { select } from "./dock.js";

/** So many pixels are no touch any more. */
const APART = 8;

let held = null; // `{card, from, copy}`: the card below the pointer; the copy follows once it is dragged

export function startDragging() {
  const hand = byId("hand"); // stays where its cards are shown anew
  hand.addEventListener("pointerdown", (event) => {
    const card = event.target.closest("button.card");
    held = card && event.isPrimary && event.button === 0 && canAct() ? { card, from: event, copy: null } : null;
  });
  hand.addEventListener("pointermove", (event) => {
    if (!held || (!held.copy && !isApart(event))) return;
    if (!held.copy) beginDrag(event.pointerId);
    held.copy.style.translate = `${event.clientX}px ${event.clientY}px`;
  });
  hand.addEventListener("pointerup", ({ clientX, clientY }) => {
    if (!endDrag()) return;
    document.elementFromPoint(clientX, clientY)?.closest(".target, .line-own [data-cell]")?.click();
  });
  hand.addEventListener("pointercancel", endDrag);
}

function isApart({ clientX, clientY }) {
  return Math.hypot(clientX - held.from.clientX, clientY - held.from.clientY) > APART;
}

function beginDrag(pointer) {
  const { card } = held;
  held.copy = card.cloneNode(true);
  held.copy.className = "card dragged";
  held.copy.inert = true;
  byId("game").append(held.copy);
  byId("hand").setPointerCapture(pointer); // so that no click follows
  if (card.getAttribute("aria-pressed") !== "true") select(card.dataset.card, Number(card.dataset.focus.slice("hand:".length)));
}

/** Take the copy away; whether a card was dragged. */
function endDrag() {
  const copy = held?.copy;
  held = null;
  copy?.remove();
  return copy !== undefined && copy !== null;
}
