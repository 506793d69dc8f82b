// What touching the cells of one's own line lays.

import { cardName } from "../core/cards.js";
import { fill, words } from "../core/words.js";
import { targetsFor } from "../table/turn.js";
import { caveatOf, changesBy, changesText, rowsFor } from "./worth.js";

/** The seats from the top: the viewer's own line is the last, nearest to the hand; before it those who play next. */
export function orderOf(size, own) {
  const first = own === null ? 0 : own + 1;
  return Array.from({ length: size }, (_, index) => (first + index) % size);
}

/** By business `{card, row}`: where these hand cards can go after the steps. `rows`: the own ones as they are then. */
export function touchesOf(view, steps, cards, rows) {
  const found = {};
  for (const card of new Set(cards)) {
    const allowed = targetsFor(view, steps, card).rows;
    for (const row of rowsFor(rows, card).filter((one) => allowed.includes(one))) found[rows[row].business ?? card] = { card, row };
  }
  return found;
}

/** The same for the market; `isTarget`: of a chosen card. `places`: where it is said what that would bring `own`, or null. */
export function shownTouches(touches, isTarget, places, own, names) {
  return Object.fromEntries(Object.entries(touches).map(([business, { card, row }]) => {
    const changes = isTarget && places ? changesBy(card, row, own, places) : null;
    const caveat = changes && caveatOf(card, places[own].rows[row]);
    const label = [fill(words.market.lay, { card: cardName(card) }), changes && changesText(changes, own, names), caveat].filter(Boolean).join(", ");
    return [business, { isTarget, change: changes?.[own] ?? null, caveat, label }];
  }));
}
