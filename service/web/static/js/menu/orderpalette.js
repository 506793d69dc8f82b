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
  return h(
    "fieldset",
    { class: "palette" },
    h("legend", {}, heading),
    h("p", { class: "palette-kind" }, words.orders.take),
    cards(display.filter(Boolean), "take", words.orders.wishes.take, take, pile),
    h("p", { class: "palette-kind" }, words.orders.lay),
    cards(you.hand, "lay", words.orders.lay_card, (card) => askTarget(where, card, give, laid)),
    where,
    h("p", { class: "palette-kind" }, words.orders.else),
    h("button", { class: "button", dataset: { focus: "order:skip" }, onclick: () => give({ type: "skip" }) }, words.orders.wishes.skip),
  );
}

/** The cards that are seen, each once, and folded below them all others. */
function cards(seen, name, label, onchoose, more = null) {
  const list = (some, last) => h("ul", { class: "hand-cards" }, some.map((card) => h("li", {}, cardElement(card, {
    small: true, label: fill(label, { card: cardName(card) }), focus: `order:${name}:${card}`, onclick: () => onchoose(card),
  }))), last);
  const others = HAND_CARDS.filter((card) => !seen.includes(card));
  return [
    list([...new Set(seen)], more),
    others.length > 0 && h("details", { class: "more" }, h("summary", {}, words.orders.other_cards), list(others)),
  ];
}

function askTarget(place, card, give, laid) {
  const own = board.view.seats[board.view.you.seat].rows;
  const rows = own.filter((row) => !row.closed);
  const businesses = isSpecial(card) ? rows.map((row) => row.business).filter(Boolean) : [card];
  const begun = isSpecial(card) ? [] : rows.filter((row) => !row.business).map(({ row }) => row);
  const planned = isSpecial(card) ? 0 : Math.min(laid, MOST_ROWS - own.length);
  const onRow = (template, row) => [fill(template, { number: row + 1 }), { type: "append", card, row }];
  const targets = [
    ...Array.from({ length: planned }, (_, index) => onRow(words.orders.on_laid_row, own.length + index)),
    ...businesses.map((business) => [fill(words.orders.on_business, { business: cardName(business) }), { type: "append", card, business }]),
    ...begun.map((row) => onRow(words.orders.on_row, row)),
    [words.orders.on_new_row, { type: "lay_businessmaker", card }],
  ];
  const label = fill(words.orders.where, { card: cardName(card) });
  place.setAttribute("aria-label", label);
  fillWith(
    place,
    h("p", { class: "palette-kind" }, label),
    h("div", { class: "buttons" }, targets.map(([text, wish]) =>
      h("button", { class: "button", dataset: { focus: `order:lay:${card}` }, onclick: () => give(wish) }, text))),
  );
  place.querySelector("button").focus();
}
