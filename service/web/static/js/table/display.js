// The display and the pile: what each card costs, and what it would bring the viewer.

import { cardElement, cardName, emptySlot, pileCard } from "../core/cards.js";
import { board } from "./board.js";
import { byId, fillWith, h, nameElement, showIn } from "../core/dom.js";
import { askFor } from "./dock.js";
import { REIBACH_COUNT } from "../verify/cards/deck.js";
import { bestChanges, changesText, othersOf } from "../market/worth.js";
import { settings } from "../menu/settings.js";
import { markClass } from "../news/recap.js";
import { isOwnTurn } from "./status.js";
import { canAfford, canWait, costOf } from "./turn.js";
import { count, fill, signed, words } from "../core/words.js";

const NAMED_BELOW = 2;

/** Show both. `places`: of each seat rows and size of hand after the composed turn. */
export function showDisplay(view, places, names) {
  const worths = view.display.map((card) => worthOf(card, view, places, names));
  fillWith(byId("display"), view.display.map((card, slot) => h("li", { class: "slot" }, slotCard(view, card, slot, worths[slot]), slotText(view, card && { type: "take", slot }, worths[slot]))), pile(view));
  const { refusal } = board;
  showIn("display-problem", refusal && !canWait(refusal.action) ? refusal.detail : null); // where the refused action's card lies
}

/** What an open card would bring the viewer: `{change, note, label}`; nothing for one who watches, or doesn't want to know. */
function worthOf(card, view, places, names) {
  const own = view.you?.seat;
  if (!card || own === undefined || view.status === "over" || !settings().worth) return { change: "", note: null, label: "" };
  const changes = bestChanges(card, own, places);
  if (changes) {
    const others = othersOf(changes, own);
    const sum = signed(others.reduce((all, other) => all + changes[other], 0));
    const note = others.length > NAMED_BELOW ? count(words.market.others, others.length, { amount: sum }) : others.map((other, index) => [index > 0 && ", ", nameElement(names[other]), `\u00a0${signed(changes[other])}`]);
    return { change: changes[own], note, label: fill(words.market.brings_you, { amount: changesText(changes, own, names) }) };
  }
  const note = places[own].rows.some((row) => row.business === card) ? words.market.row_closed : words.market.only_maker;
  return { change: "", note, label: note };
}

function slotCard(view, card, slot, { change, label }) {
  const data = { slot, worth: change };
  if (!card) return emptySlot(data);
  const action = { type: "take", slot };
  const options = touchable(view, action, cardName(card));
  return withMark(cardElement(card, { ...options, label: [options.label, label].filter(Boolean).join(", "), data, extra: `${markClass(`slot:${slot}`)}${stateClass(action)}` }));
}

/** Below a card: what it brings and costs, and why. The lines stay where there are none, so that nothing moves when a game ends. */
function slotText(view, action, { change, note }) {
  const isPossible = action && view.you && view.status !== "over";
  return h("span", { class: "slot-text", "aria-hidden": "true" },
    h("span", { class: "slot-line" }, change !== "" && h("b", { class: `worth${change > 0 ? " worth-more" : ""}` }, signed(change)), " ", isPossible && costMark(costOf(view, action))),
    h("span", { class: "slot-note" }, note));
}

function costMark(cost) {
  return h("span", { class: "cost" }, h("span", { class: "cost-marks" }, "\u25cf".repeat(cost)), h("span", { class: "cost-word" }, count(words.table.costs, cost)));
}

function pile(view) {
  const action = { type: "draw" };
  const left = REIBACH_COUNT - view.reibach.revealed;
  const note = view.draw_pile && view.status !== "over" ? fill(words.market.pile_odds, { left, size: view.draw_pile }) : null;
  const { label, ...options } = touchable(view, action, count(words.table.pile, view.draw_pile ?? 0));
  const card = pileCard(view.draw_pile, { ...options, label: [label, note].filter(Boolean).join(", "), extra: stateClass(action) });
  return h("li", { class: "slot slot-pile" }, card, slotText(view, action, { change: "", note }));
}

/** The options of an element that can be taken or drawn now; without a listener where it can't. */
function touchable(view, action, name) {
  const focus = action.type === "draw" ? "draw" : `slot:${action.slot}`;
  const cost = count(words.table.cost, costOf(view, action));
  const label = `${name}, ${cost}`;
  const isRefused = isSame(board.refusal?.action, action);
  const describedBy = isRefused ? "display-problem" : undefined;
  if (!isOwnTurn(view) || board.turn.sending || !canAfford(view, board.turn.steps, action)) return { label, focus, describedBy };
  // The second click of a double one meets the card that has come into the place of the first: it asks.
  return { label, focus, describedBy, onclick: (event) => askFor(action, event.detail > 1) };
}

function stateClass(action) {
  const isAsked = isSame(board.asked, action) || (board.turn.sending?.actions ?? []).some((other) => isSame(other, action));
  return `${isAsked ? " asked" : ""}${isSame(board.refusal?.action, action) ? " refused" : ""}`;
}

function withMark(element) {
  if (!element.classList.contains("changed")) return element;
  element.append(h("span", { class: "new-mark", "aria-hidden": "true" }, words.table.changed));
  element.setAttribute("aria-label", `${element.getAttribute("aria-label")}, ${words.table.changed}`);
  return element;
}

function isSame(one, other) {
  return Boolean(one) && one.type === other.type && one.slot === other.slot;
}
