// The display and the pile: what each card costs, and what it would bring the viewer.

import { cardElement, cardName, emptySlot, pileCard } from "../core/cards.js";
import { board, focusOf } from "./board.js";
import { byId, fillWith, h, nameElement, showIn } from "../core/dom.js";
import { askFor, canAskFor } from "./dock.js";
import { REIBACH_COUNT } from "../verify/cards/deck.js";
import { bestChanges, changesText, othersOf } from "../market/worth.js";
import { settings } from "../menu/settings.js";
import { markClass } from "../news/recap.js";
import { canWait, costOf } from "./turn.js";
import { count, fill, signed, words } from "../core/words.js";

const NAMED_BELOW = 2;

/** Show both. `places`: of each seat rows and size of hand after the composed turn. */
export function showDisplay(view, places, names) {
  const slots = view.display.map((card, slot) => {
    const worth = worthOf(card, view, places, names);
    return h("li", { class: "slot" }, slotCard(view, card, slot, worth), slotText(view, card && { type: "take", slot }, worth));
  });
  fillWith(byId("display"), slots, pile(view));
  const { refusal } = board;
  showIn("display-problem", refusal && !canWait(refusal.action) ? refusal.detail : null); // where the refused action's card lies
}

/** What an open card would bring the viewer: `{change, note, label}`; nothing for one who watches, or doesn't want to know. */
function worthOf(card, view, places, names) {
  const own = view.you?.seat;
  if (!card || own === undefined || view.status === "over" || !settings().worth) return { change: "", note: null, label: "" };
  const changes = bestChanges(card, own, places);
  if (!changes) {
    const note = places[own].rows.some((row) => row.business === card) ? words.market.row_closed : words.market.only_maker;
    return { change: "", note, label: note };
  }
  const others = othersOf(changes, own);
  const sum = signed(others.reduce((all, other) => all + changes[other], 0));
  const named = others.map((other, index) => [index > 0 && ", ", nameElement(names[other]), `\u00a0${signed(changes[other])}`]);
  const note = others.length > NAMED_BELOW ? count(words.market.others, others.length, { amount: sum }) : named;
  return { change: changes[own], note, label: fill(words.market.brings_you, { amount: changesText(changes, own, names) }) };
}

function slotCard(view, card, slot, { change, label }) {
  const data = { slot, worth: change };
  if (!card) return emptySlot(data);
  const options = touchable(view, { type: "take", slot }, cardName(card));
  const mark = `slot:${slot}`;
  const isNew = board.marks.has(mark);
  const labels = [options.label, label, isNew && words.table.changed].filter(Boolean);
  const element = cardElement(card, { ...options, label: labels.join(", "), data, extra: markClass(mark) + options.extra });
  if (isNew) element.append(h("span", { class: "new-mark", "aria-hidden": "true" }, words.table.changed));
  return element;
}

/** Below a card: what it brings and costs, and why. The lines stay where there are none, so that nothing moves when a game ends. */
function slotText(view, action, { change, note }) {
  const isPossible = action && view.you && view.status !== "over";
  return h("span", { class: "slot-text", "aria-hidden": "true" },
    h("span", { class: "slot-line" },
      change !== "" && h("b", { class: ["worth", change > 0 && "worth-more"] }, signed(change)), " ",
      isPossible && costMark(costOf(view, action))),
    h("span", { class: "slot-note" }, note));
}

function costMark(cost) {
  const marks = h("span", { class: "cost-marks" }, "\u25cf".repeat(cost));
  return h("span", { class: "cost" }, marks, h("span", { class: "cost-word" }, count(words.table.costs, cost)));
}

function pile(view) {
  const action = { type: "draw" };
  const left = REIBACH_COUNT - view.reibach.revealed;
  const note = view.draw_pile && view.status !== "over" ? fill(words.market.pile_odds, { left, size: view.draw_pile }) : null;
  const options = touchable(view, action, count(words.table.pile, view.draw_pile ?? 0));
  const card = pileCard(view.draw_pile, { ...options, label: [options.label, note].filter(Boolean).join(", ") });
  return h("li", { class: "slot slot-pile" }, card, slotText(view, action, { change: "", note }));
}

/** The options of an element that can be taken or drawn now; without a listener where it can't. */
function touchable(view, action, name) {
  const isRefused = isSame(board.refusal?.action, action);
  const isAsked = [board.asked, ...(board.turn.sending?.actions ?? [])].some((one) => isSame(one, action));
  return {
    label: `${name}, ${count(words.table.cost, costOf(view, action))}`,
    focus: focusOf(action),
    extra: `${isAsked ? " asked" : ""}${isRefused ? " refused" : ""}`,
    describedBy: isRefused ? "display-problem" : null,
    // The second click of a double one meets the card that has come into the place of the first: it asks.
    onclick: canAskFor(action) ? (event) => askFor(action, event.detail > 1) : null,
  };
}

function isSame(one, other) {
  return one?.type === other.type && one.slot === other.slot;
}
