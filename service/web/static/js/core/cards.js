// How cards, hands and the Reibach track look, and what screen readers say of them.

import { drawing, h } from "./dom.js";
import { SCORING_AT } from "../verify/cards/deck.js";
import { count, fill, words } from "./words.js";

/** The canonical order of cards, by which hands are sorted. */
export const CARDS = Object.keys(words.cards);

export function sortedHand(cards) {
  return cards.toSorted((one, other) => CARDS.indexOf(one) - CARDS.indexOf(other));
}

export function emptySlot(data, label = words.table.empty_slot) {
  return h("span", { class: "card card-empty", role: "img", "aria-label": label, title: label, dataset: data }, label);
}

export function cardName(card) {
  return card ? words.cards[card] : words.table.face_down;
}

/**
 * A card. With `onclick` it is a button. `label`: what screen readers say in the place of its name; `small`: without
 * its name below; `card` null: face down; `focus`: its `data-focus`; `extra`: more classes, with a space before each;
 * `data`: more of its dataset.
 */
export function cardElement(card, { onclick, label, small = false, pressed, focus, extra = "", describedBy, data } = {}) {
  const faces = card
    ? [
        h("span", { class: "card-letters", "aria-hidden": "true" }, words.short[card]),
        drawing(`card-${card}`),
        !small && h("span", { class: "card-name", "aria-hidden": "true" }, words.faces[card]),
      ]
    : [drawing("card-back")];
  const properties = {
    class: ["card", small && "card-small", !card && "card-back", extra.trim()],
    dataset: { ...(card && { card }), ...(focus && { focus }), ...data },
    title: cardName(card),
    "aria-label": label ?? cardName(card),
    "aria-describedby": describedBy,
  };
  if (onclick) return h("button", { ...properties, onclick, "aria-pressed": pressed ?? null }, faces);
  return h("span", { ...properties, role: "img" }, faces);
}

/** A card's name in the middle of a text; null: one that isn't known. */
export function chip(card) {
  return h("span", { class: "chip", title: cardName(card), dataset: card ? { card } : {} },
    card ? [h("span", { class: "chip-letters", "aria-hidden": "true" }, words.short[card]), h("span", { class: "chip-name" }, words.cards[card])] : "?");
}

/** The draw pile, with the number of its cards; `options`: those of `cardElement`. */
export function pileCard(number, options = { label: count(words.table.pile, number) }) {
  const card = cardElement(null, options);
  card.title = options.label;
  if (number !== null) card.append(h("span", { class: "pile-count" }, number)); // else there is none yet
  return card;
}

/** A hand as a list of cards; `options(card, index)`: those of `cardElement`. */
export function handList(hand, options = () => ({})) {
  if (!hand.length) return h("p", { class: "empty" }, words.table.empty_hand);
  return h("ul", { class: "hand-cards" }, hand.map((card, index) => h("li", {}, cardElement(card, options(card, index)))));
}

export function reibachTrack({ revealed, next_scoring_at: next }) {
  const label = fill(next ? words.table.track : words.table.track_full, { revealed, next });
  const marks = Array.from({ length: SCORING_AT.at(-1) }, (_, index) => {
    const mark = index + 1;
    const isScoring = SCORING_AT.includes(mark);
    return h("span", { class: [mark <= revealed && "track-shown", isScoring && "track-scoring", mark === next && "track-next"] }, isScoring && mark);
  });
  const round = SCORING_AT.indexOf(next) + 1;
  const left = next > revealed ? count(words.table.until_scoring, next - revealed, { round }) : next ? fill(words.scoring.title, { round }) : "\u00a0";
  return [h("div", { class: "track", role: "img", "aria-label": label, title: label }, marks), h("p", { class: "track-hint" }, left)];
}
