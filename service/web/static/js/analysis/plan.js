// What a turn leads to, by what its seat knows, and why another one is better.

import { EVENTS_OF } from "../core/actions.js";
import { viewAfter } from "../news/position.js";
import { canWait, costOf } from "../table/turn.js";
import { count, fill, locale, withMinus, words } from "../core/words.js";

const decimals = new Intl.NumberFormat(locale, { maximumFractionDigits: 2 });

/** An amount with decimals: `1.5 million`. */
export function amountText(millions) {
  return count(words.millions, millions, { n: decimals.format(millions) });
}

export function thinkText({ turn, seat }, names) {
  return fill(words.analysis.try, { turn, name: names[seat] });
}

/** The expected lead: `+3.1`. */
export function leadText(millions) {
  return withMinus(`${millions > 0 ? "+" : ""}${decimals.format(millions)}`);
}

/**
 * The view after a turn as its seat thinks of it, with `moves`, a line each: a card that it doesn't know yet is null.
 * `drawn`: what the turn's takes and draws turned up, if that is known.
 */
export function afterTurn(view, turn, drawn = []) {
  const { seat } = view.you;
  const found = [...drawn];
  return turn.reduce((before, action) => {
    const card = canWait(action) ? action.card : (found.shift() ?? before.display[action.slot] ?? null);
    const data = { seat, row: before.seats[seat].rows.length, ...action, card, cost: costOf(before, action) };
    const events = EVENTS_OF[action.type].map((type) => ({ type, data }));
    return { ...viewAfter(before, events), moves: [...before.moves, { ...data, type: events.at(-1).type }] };
  }, { ...view, moves: [] });
}

/** What is judged of a turn: up to a draw, or a new card. */
export function known(turn) {
  const end = turn.findIndex(({ slot }, index) => turn.slice(0, index).some((one) => one.type === "draw" || (slot >= 0 && one.slot === slot)));
  return turn.slice(0, end < 0 ? 3 : end);
}

export function isSame(view, ...turns) {
  const [one, other] = turns.map((turn) => {
    const { seats, you, display } = afterTurn(view, turn);
    const rows = seats[you.seat].rows.map(({ businessmaker, cards }) => `${businessmaker}:${cards.toSorted()}`);
    return JSON.stringify([rows.toSorted(), you.hand, display.toSorted()]);
  });
  return one === other;
}

/** Why the best turn of a judged one is better; nothing by an engine that gave no reasons. */
export function whyText({ reason }, names) {
  if (!reason) return "";
  const { code, business, other, card, seat } = reason;
  return fill(words.analysis.reasons[code] ?? "", { business: words.cards[business], other: words.cards[other], card: words.cards[card], name: names[seat] });
}
