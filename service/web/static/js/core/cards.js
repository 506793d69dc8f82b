// How cards, rows, hands and the Reibach track look, and what screen readers say of them.

import { drawing, h } from "./dom.js";
import { count, fill, words } from "./words.js";

/** The canonical order of cards, by which hands are sorted. */
export const CARDS = Object.keys(words.cards);
/** Revealed Reibach cards at which a round is scored. */
export const SCORINGS = [4, 7, 10];

/** The place of a display card that is gone, and that no other one has filled. */
export function emptySlot(extra = "") {
  const label = words.table.empty_slot;
  return h("span", { class: `card card-empty${extra}`, role: "img", "aria-label": label, title: label }, label);
}

/** The name of a card, or of a face-down one. */
export function cardName(card) {
  return card ? words.cards[card] : words.table.face_down;
}

/**
 * A card. With `onclick` it is a button. `label`: what screen readers say in the place of its name; `small`: without
 * its name below; `card` null: face down; `focus`: its `data-focus`; `extra`: more classes, with a space before each.
 * @param {string | null} card
 * @param {{onclick?: (event: Event) => void, label?: string, small?: boolean, pressed?: boolean, focus?: string,
 *   extra?: string, describedBy?: string}} [options]
 */
export function cardElement(card, { onclick, label, small = false, pressed, focus, extra = "", describedBy } = {}) {
  const faces = card
    ? [
        h("span", { class: "card-letters", "aria-hidden": "true" }, words.short[card]),
        drawing(`card-${card}`),
        !small && h("span", { class: "card-name", "aria-hidden": "true" }, words.faces[card]),
      ]
    : [drawing("card-back")];
  const properties = {
    class: `card${small ? " card-small" : ""}${card ? "" : " card-back"}${extra}`,
    dataset: { ...cardData(card), ...(focus ? { focus } : {}) },
    title: cardName(card),
    "aria-label": label ?? cardName(card),
    "aria-describedby": describedBy,
  };
  if (onclick) return h("button", { ...properties, type: "button", onclick, "aria-pressed": pressed ?? null }, faces);
  return h("span", { ...properties, role: "img" }, faces);
}

/** What a row is, in words: for screen readers, and as the title of its columns. */
export function rowLabel(row) {
  const name = row.business ? words.cards[row.business] : words.table.row_without_business;
  const parts = [fill(words.table.row_name, { number: row.row + 1, business: name }), count(words.table.length, row.length)];
  if (isDoubled(row)) parts.push(words.table.doubled);
  if (row.closed) parts.push(words.table.closed);
  if (row.businessmaker) parts.push(fill(words.table.shown_businessmaker, { card: words.cards[row.businessmaker] }));
  return parts.join(", ");
}

/** Whether a risk card lies in the row, which doubles what it earns. */
export function isDoubled(row) {
  return row.cards.includes("risk");
}

/**
 * A row as a stack: the businessmaker, the cards over it, and its length as a number. The last `row.planned` cards are
 * those of a turn that isn't sent yet; a row with `isNew` is opened by it.
 */
export function rowElement(row, { onclick, pressed, focus, label = rowLabel(row), extra = "" } = {}) {
  const settled = row.cards.length - (row.planned ?? 0);
  const faces = [
    row.length > 0 && h("span", { class: "row-length", "aria-hidden": "true" }, row.length),
    isDoubled(row) && h("span", { class: "row-doubled", "aria-hidden": "true" }, "\u00d72"),
    h(
      "span",
      { class: "row-stack", "aria-hidden": "true" },
      h("span", { class: `row-card row-maker${row.businessmaker ? "" : " card-back"}`, dataset: cardData(row.businessmaker) },
        row.businessmaker && drawing(`card-${row.businessmaker}`)),
      row.cards.map((card, index) =>
        h("span", { class: `row-card${card === "risk" ? " row-risk" : ""}${index >= settled ? " planned" : ""}`, dataset: cardData(card) },
          drawing(`card-${card}`)),
      ),
    ),
    h("span", { class: "row-name", "aria-hidden": "true" }, row.business ? words.cards[row.business] : words.table.no_business),
  ];
  const properties = {
    class: `row${row.closed ? " row-closed" : ""}${row.isNew ? " planned" : ""}${extra}`,
    dataset: { row: row.row, ...cardData(row.business), ...(focus ? { focus } : {}) },
    title: rowLabel(row),
    "aria-label": label,
  };
  if (onclick) return h("button", { ...properties, type: "button", onclick, "aria-pressed": pressed ?? null }, faces);
  return h("div", { ...properties, role: "img" }, faces);
}

function cardData(card) {
  return card ? { card } : {};
}

/** A seat's rows as letters and length: what fits into one line. `extra(row)`: more classes. */
export function rowChips(rows, extra = () => "") {
  return h(
    "span",
    { class: "row-chips", role: "img", "aria-label": rows.length ? rows.map(rowLabel).join("; ") : words.table.no_rows },
    rows.map((row) =>
      h(
        "span",
        {
          class: `row-chip${row.closed ? " row-chip-closed" : ""}${row.business ? "" : " card-back"}${extra(row)}`,
          dataset: cardData(row.business),
          title: rowLabel(row),
        },
        h("span", { class: "row-chip-letters" }, row.business && words.short[row.business]),
        h("b", {}, row.length || null),
      ),
    ),
  );
}

/** A hand as a list of cards; `options(card, index)`: those of `cardElement`. */
export function handList(hand, options = () => ({})) {
  if (!hand.length) return h("p", { class: "empty" }, words.table.empty_hand);
  return h("ul", { class: "hand-cards" }, hand.map((card, index) => h("li", {}, cardElement(card, options(card, index)))));
}

/** The Reibach track: ten marks, of which three are scorings. */
export function reibachTrack({ revealed, next_scoring_at: next }) {
  const label = next
    ? fill(words.table.track, { revealed, next })
    : fill(words.table.track_full, { revealed });
  return h(
    "div",
    { class: "track", role: "img", "aria-label": label, title: label },
    Array.from({ length: 10 }, (_, index) => {
      const mark = index + 1;
      const kinds = [mark <= revealed && "track-shown", SCORINGS.includes(mark) && "track-scoring", mark === next && "track-next"];
      return h("span", { class: kinds.filter(Boolean).join(" ") }, SCORINGS.includes(mark) ? mark : "");
    }),
  );
}
