// The display and the pile: what each card costs, and what it would bring the viewer.

import { cardElement, cardName, emptySlot, pileCard } from "../core/cards.js";
import { board, focusOf } from "./board.js";
import { byId, h, keyed, nameElement, showIn } from "../core/dom.js";
import { askFor, canAskFor } from "./dock.js";
import { REIBACH_COUNT } from "../verify/cards/deck.js";
import { bestPlace, caveatOf, changesText, othersOf } from "../market/worth.js";
import { settings } from "../menu/settings.js";
import { markClass } from "../news/recap.js";
import { canWait, costOf } from "./turn.js";
import { count, fill, signed, words } from "../core/words.js";

const NAMED_BELOW = 2;
/** Milliseconds between the clicks of a double one. */
const DOUBLE = 500;

let clicked = { action: null, at: -Infinity };

const slots = [0, 1, 2].map(() => h("li", { class: "slot" }));
const pilePlace = h("li", { class: "slot slot-pile" });
const showSlots = slots.map((place, slot) => keyed(place, (shown) => slotParts(slot, shown)));
const showPile = keyed(pilePlace, pileParts);
byId("display").append(...slots, pilePlace);

/** Show both. `seats`: of each seat rows and size of hand after the composed turn. */
export function showDisplay(view, seats, names) {
  const isPossible = view.you !== null && view.status !== "over";
  view.display.forEach((card, slot) => {
    const mark = `slot:${slot}`;
    const worth = worthOf(card, view, seats, names);
    showSlots[slot]({ card, worth, isPossible, isNew: board.marks.has(mark), looks: markClass(mark), ...(card && touchOf(view, { type: "take", slot })) });
  });
  const left = REIBACH_COUNT - view.reibach.revealed;
  const note = view.draw_pile && view.status !== "over" ? fill(words.market.pile_odds, { left, size: view.draw_pile }) : null;
  showPile({ size: view.draw_pile, note, isPossible, ...touchOf(view, { type: "draw" }) });
  const { refusal } = board;
  showIn("display-problem", refusal && !canWait(refusal.action) ? refusal.detail : null); // where the refused action's card lies
}

/**
 * What an open card would bring the viewer: `{change, note, others, label}`, with the other players whom it changes as
 * `[name, amount]`; nothing for one who watches, or doesn't want to know.
 */
function worthOf(card, view, seats, names) {
  const own = view.you?.seat;
  if (!card || own === undefined || view.status === "over" || !settings().worth) return { change: "" };
  const { rows } = seats[own];
  const best = bestPlace(card, own, seats);
  if (!best) {
    const note = rows.some((row) => row.business === card) ? words.market.row_closed : words.market.only_maker;
    return { change: "", note, label: note };
  }
  const { changes, row } = best;
  const caveat = caveatOf(card, rows[row]);
  const others = othersOf(changes, own);
  const sum = signed(others.reduce((all, other) => all + changes[other], 0));
  const label = [fill(words.market.brings_you, { amount: changesText(changes, own, names) }), caveat].filter(Boolean).join(", ");
  if (caveat) return { change: changes[own], note: caveat, label };
  if (others.length > NAMED_BELOW) return { change: changes[own], note: count(words.market.others, others.length, { amount: sum }), label };
  return { change: changes[own], others: others.map((other) => [names[other], signed(changes[other])]), label };
}

function slotParts(slot, shown) {
  const { card, worth, isPossible, isNew, looks, cost } = shown;
  const data = { slot, worth: worth.change };
  const texts = slotText(worth, card && isPossible && cost);
  if (!card) return [emptySlot(data), texts];
  const options = touchable({ type: "take", slot }, shown, cardName(card));
  const label = [options.label, worth.label, isNew && words.table.changed].filter(Boolean).join(", ");
  const element = cardElement(card, { ...options, label, data, extra: looks + options.extra });
  if (isNew) element.append(h("span", { class: "new-mark", "aria-hidden": "true" }, words.table.changed));
  return [element, texts];
}

function pileParts(shown) {
  const { size, note, isPossible, cost } = shown;
  const options = touchable({ type: "draw" }, shown, count(words.table.pile, size ?? 0));
  return [pileCard(size, { ...options, label: [options.label, note].filter(Boolean).join(", ") }), slotText({ change: "", note }, isPossible && cost)];
}

/** Below a card: what it brings and costs, and why. The lines stay where there are none, so that nothing moves when a game ends. */
function slotText({ change, note, label, others = [] }, cost) {
  const named = others.map(([name, amount], index) => [index > 0 && ", ", nameElement(name), `\u00a0${amount}`]);
  return h("span", { class: "slot-text", "aria-hidden": "true" },
    h("span", { class: "slot-line" }, change !== "" && h("b", { class: ["worth", change > 0 && "worth-more"], title: label }, signed(change)), " ", cost && costMark(cost)),
    h("span", { class: "slot-note" }, note ?? named));
}

function costMark(cost) {
  const marks = h("span", { class: "cost-marks" }, "\u25cf".repeat(cost));
  return h("span", { class: "cost" }, marks, h("span", { class: "cost-word" }, count(words.table.costs, cost)));
}

/** Whether an action of the display is refused, asked or possible now, and what it costs. */
function touchOf(view, action) {
  return {
    cost: costOf(view, action),
    isRefused: isSame(board.refusal?.action, action),
    isAsked: [board.asked, ...(board.turn.sending?.actions ?? [])].some((asked) => isSame(asked, action)),
    canAsk: canAskFor(action),
  };
}

/** The options of an element that can be taken or drawn; without a listener where it can't be now. */
function touchable(action, { cost, isRefused, isAsked, canAsk }, name) {
  return {
    label: `${name}, ${count(words.table.cost, cost)}`,
    focus: focusOf(action),
    extra: `${isAsked ? " asked" : ""}${isRefused ? " refused" : ""}`,
    describedBy: isRefused ? "display-problem" : null,
    onclick: canAsk ? (event) => askFor(action, isSecond(action, event)) : null,
  };
}

/** The second click of a double one meets the card that has come into the place of the first: it asks. Some browsers count no taps. */
function isSecond(action, { detail }) {
  const isSoon = isSame(clicked.action, action) && Date.now() - clicked.at < DOUBLE;
  clicked = { action, at: Date.now() };
  return detail > 1 || isSoon;
}

function isSame(one, other) {
  return one?.type === other.type && one.slot === other.slot;
}
