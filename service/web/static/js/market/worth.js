// What rows bring now, and what a card would change of that: by the scoring with which games are checked.

import { isSpecial, mayAppend, SCORING_AT } from "../verify/cards/deck.js";
import { scoreRound } from "../verify/scorer.js";
import { signed, words } from "../core/words.js";

export function newRow(row, businessmaker) {
  return { row, businessmaker, business: null, cards: [], length: 0, closed: false };
}

export function extendedRow(row, card) {
  const cards = [...row.cards, card];
  if (card === "risk") return { ...row, cards, closed: true };
  return { ...row, cards, business: row.business ?? (isSpecial(card) ? null : card), length: row.length + 1 };
}

export function openPlaces({ seats }) {
  return seats.map(({ rows, hand_size: handSize }) => ({ rows, handSize }));
}

/**
 * What a scoring would bring each seat, in the form of `RoundScored`. `places`: of each seat its `rows` and `handSize`; of a
 * game that is over it is what the last round has brought, and nothing is added to the totals any more.
 */
export function scoresNow({ reibach, status }, places) {
  const scores = scoreRound(places, Math.min(reibach.rounds_scored + 1, SCORING_AT.length));
  return status === "over" ? scores.map((one) => ({ ...one, income: 0 })) : scores;
}

/** Numbers of the rows on which a card may be laid; of the empty businessmakers the first, since none is better. */
export function rowsFor(rows, card) {
  const found = [...rows.keys()].filter((row) => mayAppend(rows, row, card));
  return found.filter((row) => rows[row].business !== null || row === found[0]);
}

/** What a card on a row of a seat would change of all incomes, losses aside: by seat. */
export function changesBy(card, row, seat, places) {
  const rows = places[seat].rows.map((one, index) => (index === row ? extendedRow(one, card) : one));
  const after = incomesOf(places.map((place, index) => (index === seat ? { ...place, rows } : place)));
  return incomesOf(places).map((before, index) => after[index] - before);
}

function incomesOf(places) {
  return scoreRound(places, 1).map(({ income }) => income); // no losses yet
}

/** `{row, changes}` where the card brings its seat most; null where no row of it takes the card. */
export function bestPlace(card, seat, places) {
  const possible = rowsFor(places[seat].rows, card).map((row) => ({ row, changes: changesBy(card, row, seat, places) }));
  return possible.sort((one, other) => other.changes[seat] - one.changes[seat])[0] ?? null;
}

/** What a card does on a row that its worth doesn't tell: it closes the row, or begins one that others overtake easily. */
export function caveatOf(card, row) {
  if (card === "risk") return words.market.closes;
  return row.length ? null : words.market.first_card;
}

export function changesText(changes, seat, names) {
  const others = othersOf(changes, seat).map((other) => `${names[other]}\u00a0${signed(changes[other])}`);
  return `${signed(changes[seat])}${others.length ? ` (${others.join(", ")})` : ""}`;
}

export function othersOf(changes, seat) {
  return [...changes.keys()].filter((other) => changes[other] && other !== seat);
}
