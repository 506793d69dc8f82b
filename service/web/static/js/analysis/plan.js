// What a turn leads to, by what its seat knows, and why another one is better.

import { EVENTS_OF } from "../core/actions.js";
import { bestPlace, openPlaces, scoresNow } from "../market/worth.js";
import { viewAfter } from "../news/position.js";
import { canWait, costOf } from "../table/turn.js";
import { ROW_BUSINESSES } from "../verify/cards/deck.js";
import { count, fill, listOf, locale, withMinus, words } from "../core/words.js";

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

/** What a turn gains that is better than the played one, in a sentence, from the views after both. */
export function whyText(played, best, names) {
  const own = best.you.seat;
  const places = openPlaces(best);
  const [before, after] = [scoresNow(played, openPlaces(played)), scoresNow(best, places)];
  const change = (seat, business) => (after[seat].businesses[business]?.income ?? 0) - (before[seat].businesses[business]?.income ?? 0);
  const ahead = (business) => names.reduce((sum, _, seat) => sum + change(seat, business) * (seat === own ? names.length - 1 : -1), 0);
  const ranked = ROW_BUSINESSES.toSorted((one, other) => ahead(other) - ahead(one));
  const [business, other] = [ranked[0], ranked.at(-1)];
  const lossOf = ({ penalties }) => penalties.empty_businessmakers + penalties.hand_cards;
  const saved = lossOf(after[own]) - lossOf(before[own]);
  if (saved > 0 && saved * (names.length - 1) > ahead(business)) return fill(words.analysis.saves, { amount: amountText(saved) });
  const losers = [...names.keys()].filter((seat) => change(seat, business) < 0);
  const [more, less] = [change(own, business), -change(own, other)];
  const isMore = ranked.reduce((sum, one) => sum + ahead(one), 0) > 0;
  const better = more <= 0 ? words.analysis.denies : losers.length ? words.analysis.takes : words.analysis.gains;
  const form = isMore ? better : more > 0 && less > 0 && words.analysis.swaps;
  if (!form) return cardText(played, best, places, names);
  return fill(form, {
    ...{ business: words.cards[business], amount: amountText(more), other: words.cards[other], less: amountText(less) },
    list: listOf(losers.map((seat) => `${names[seat]} ${amountText(-change(seat, business))}`)),
    reason: words.scoring.reasons[after[own].businesses[business]?.reason],
  });
}

/** Which card the turn gains that is better: one that it leaves in hand, or takes away from another player. */
function cardText(played, best, places, names) {
  const own = best.you.seat;
  const held = best.you.hand.filter((card) => card && !played.you.hand.includes(card)).map((card) => [own, card]);
  const taken = played.display.filter((card) => card && !best.display.includes(card)).flatMap((card) => names.map((_, seat) => [seat, card]));
  const gains = [...held, ...taken.filter(([seat]) => seat !== own)]
    .map(([seat, card]) => ({ seat, card, isOwn: seat === own, gain: bestPlace(card, seat, places)?.changes[seat] ?? 0 }));
  const [most] = gains.filter(({ gain }) => gain > 0).sort((one, other) => other.isOwn - one.isOwn || other.gain - one.gain);
  if (!most) return words.analysis.later;
  const { seat, card, isOwn, gain } = most;
  return fill(isOwn ? words.analysis.holds : words.analysis.away, { card: words.cards[card], name: names[seat], amount: amountText(gain) });
}
