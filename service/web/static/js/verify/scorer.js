// The scoring rounds, business by business.

import { EMPTY_LOSS, ROW_BUSINESSES, SCORING_AT } from "./cards/deck.js";

/**
 * One scoring round in the shape of the event `RoundScored`.
 * `places`: of each seat its `rows` ({business, length, closed}; `business` null on an empty businessmaker) and its
 * `handSize`. The last round brings the losses.
 */
export function scoreRound(places, round) {
  const awards = Object.fromEntries(ROW_BUSINESSES.map((business) => [business, awardsOf(places, business)]));
  return places.map((place, seat) => {
    const businesses = {};
    for (const business of ROW_BUSINESSES) {
      const row = place.rows.find((one) => one.business === business);
      if (!row) continue;
      const [income, reason] = awards[business][seat];
      // Rounded down first, then doubled.
      businesses[business] = { income: income * (row.closed ? 2 : 1), reason, length: row.length, doubled: row.closed };
    }
    const last = round === SCORING_AT.length;
    const empty = place.rows.filter((row) => row.business === null).length;
    const penalties = {
      empty_businessmakers: last ? 0 - EMPTY_LOSS * empty : 0,
      hand_cards: last ? 0 - place.handSize : 0,
    };
    const amounts = [...Object.values(businesses).map((one) => one.income), ...Object.values(penalties)];
    return { seat, businesses, penalties, income: amounts.reduce((sum, amount) => sum + amount, 0) };
  });
}

/** By seat that has a row of the business: [income before doubling, reason]. */
function awardsOf(places, business) {
  const lengths = new Map();
  places.forEach((place, seat) => {
    const row = place.rows.find((one) => one.business === business);
    if (row) lengths.set(seat, row.length);
  });
  const ranked = [...new Set(lengths.values())].sort((one, other) => other - one);
  const seatsOf = (length) => [...lengths.keys()].filter((seat) => lengths.get(seat) === length);
  const [first, second] = [seatsOf(ranked[0]), seatsOf(ranked[1])];
  const awardOf = (seat) => {
    if (lengths.size === 1) return [4, "monopoly"];
    const isFirst = first.includes(seat);
    if (isFirst) return first.length === 1 ? [3, "longest"] : [Math.floor(4 / first.length), "shared_longest"];
    // After a tie for longest no row is second.
    if (first.length > 1 || !second.includes(seat)) return [0, "none"];
    return second.length === 1 ? [1, "second"] : [0, "shared_second"];
  };
  return Object.fromEntries([...lengths.keys()].map((seat) => [seat, awardOf(seat)]));
}

export function winnersOf(totals) {
  const most = Math.max(...totals);
  return totals.flatMap((total, seat) => (total === most ? [seat] : []));
}
