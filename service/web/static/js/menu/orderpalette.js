// The cards that one touches to give an order: what may be taken, and what may be laid where.

import { CARDS, cardElement, cardName } from "../core/cards.js";
import { board } from "../table/board.js";
import { fillWith, h } from "../core/dom.js";
import { isSpecial, MOST_ROWS } from "../verify/cards/deck.js";
import { fill, words } from "../core/words.js";

const HAND_CARDS = CARDS.filter((card) => card !== "reibach");

/**
 * What `give` gets an alternative of, by touch. `heading`: what becomes of it; `laid`: how many rows the steps before it
 * lay, whose numbers follow those of the seat's rows.
 */
export function palette(heading, give, laid) {
  const { display, you } = board.view;
  const where = h("div", { class: "palette-where", role: "group" });
  const take = (card) => give({ type: "take", card });
  const pile = h("li", {}, cardElement(null, { small: true, label: words.orders.wishes.draw, focus: "order:draw", onclick: () => give({ type: "draw" }) }));
  const lay = (card) => askTarget(where, card, give, laid);
  return h(
    "fieldset",
    { class: "palette" },
    h("legend", {}, heading),
    h("p", { class: "palette-kind" }, words.orders.take),
    cards([...new Set(display.filter(Boolean))], take, "take", pile),
    others(display, take, "take"),
    h("p", { class: "palette-kind" }, words.orders.lay),
    cards([...new Set(you.hand)], lay, "lay"),
    others(you.hand, lay, "lay"),
    where,
    h("p", { class: "palette-kind" }, words.orders.else),
    h("button", { class: "button", dataset: { focus: "order:skip" }, onclick: () => give({ type: "skip" }) }, words.orders.wishes.skip),
  );
}

function others(shown, onchoose, name) {
  const rest = HAND_CARDS.filter((card) => !shown.includes(card));
  return rest.length > 0 && h("details", { class: "more" }, h("summary", {}, words.orders.other_cards), cards(rest, onchoose, name));
}

function cards(list, onchoose, name, more = null) {
  const label = name === "take" ? words.orders.wishes.take : words.orders.lay_card;
  return h("ul", { class: "hand-cards" }, list.map((card) => h("li", {}, cardElement(card, { small: true, label: fill(label, { card: cardName(card) }), focus: `order:${name}:${card}`, onclick: () => onchoose(card) }))), more);
}

function askTarget(place, card, give, laid) {
  const own = board.view.seats[board.view.you.seat].rows;
  const rows = own.filter((row) => !row.closed);
  const businesses = isSpecial(card) ? rows.map((row) => row.business).filter(Boolean) : [card];
  const begun = isSpecial(card) ? [] : rows.filter((row) => !row.business);
  const planned = isSpecial(card) ? 0 : Math.min(laid, MOST_ROWS - own.length);
  const targets = [
    ...Array.from({ length: planned }, (_, index) => own.length + index).map((row) =>
      [fill(words.orders.on_laid_row, { number: row + 1 }), { type: "append", card, row }]),
    ...businesses.map((business) => [fill(words.orders.on_business, { business: cardName(business) }), { type: "append", card, business }]),
    ...begun.map(({ row }) => [fill(words.orders.on_row, { number: row + 1 }), { type: "append", card, row }]),
    [words.orders.on_new_row, { type: "lay_businessmaker", card }],
  ];
  const label = fill(words.orders.where, { card: cardName(card) });
  place.setAttribute("aria-label", label);
  fillWith(
    place,
    h("p", { class: "palette-kind" }, label),
    h("div", { class: "buttons" }, targets.map(([text, wish]) => h("button", { class: "button", dataset: { focus: `order:lay:${card}` }, onclick: () => give(wish) }, text))),
  );
  place.querySelector("button").focus();
}
