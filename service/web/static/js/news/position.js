// The view that events lead to, as far as they tell it: what is seen of others' actions while the service's own waits.

import { sortedHand } from "../core/cards.js";
import { DRAW_COST, SCORING_AT, TURN_POINTS } from "../verify/cards/deck.js";
import { extendedRow, newRow } from "../market/worth.js";

/** A view as it is after these events. What they don't tell, such as a deadline, is as before. */
export function viewAfter(view, events) {
  const next = structuredClone(view);
  for (const { type, data, version } of events) {
    EFFECTS[type]?.(next, data);
    next.version = version;
  }
  return next;
}

const EFFECTS = {
  TurnStarted(view, { turn, seat }) {
    view.turn = { number: turn, seat, action_points: TURN_POINTS };
    for (const row of view.seats[seat].rows) row.businessmaker = null; // it lies face down from now on
  },
  CardTaken(view, { seat, slot, card, cost }) {
    spend(view, cost);
    view.display[slot] = null;
    gain(view, seat, card);
  },
  PileDrawn(view) {
    spend(view, DRAW_COST);
  },
  CardDrawn(view, { seat, card }) {
    view.draw_pile -= 1;
    gain(view, seat, card);
  },
  DisplayRefilled(view, { slot, card }) {
    view.draw_pile -= 1;
    view.display[slot] = card;
  },
  ReibachRevealed(view, { count }) {
    view.draw_pile -= 1;
    view.reibach.revealed = count;
  },
  BusinessmakerLaid(view, { seat, row, card }) {
    lay(view, seat, card).push(newRow(row, card));
  },
  CardAppended(view, { seat, row, card }) {
    const rows = lay(view, seat, card);
    rows[row] = extendedRow(rows[row], card);
  },
  ScoringStarted(view) {
    view.status = "scoring";
  },
  RoundScored(view, { round, totals }) {
    view.status = "playing";
    view.reibach = { ...view.reibach, rounds_scored: round, next_scoring_at: SCORING_AT[round] ?? null };
    for (const seat of view.seats) seat.total = totals[seat.seat];
  },
};

function spend(view, cost) {
  if (view.turn) view.turn.action_points -= cost;
}

function gain({ seats, you }, seat, card) {
  seats[seat].hand_size += 1;
  if (you?.seat === seat) you.hand = sortedHand([...you.hand, card]);
}

/** Take a card out of a hand; answers the rows of its seat, for one of which it is. */
function lay(view, seat, card) {
  const { seats, you } = view;
  spend(view, 1);
  seats[seat].hand_size -= 1;
  if (you?.seat === seat && you.hand.includes(card)) you.hand.splice(you.hand.indexOf(card), 1);
  return seats[seat].rows;
}
