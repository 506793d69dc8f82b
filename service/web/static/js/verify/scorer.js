// The scoring rounds, business by business.

import { EMPTY_LOSS, ROW_BUSINESSES, SCORING_AT } from "./cards/deck.js";

/**
 * One scoring round in the shape of the event `RoundScored`.
 * `places`: of each seat its `rows` ({business, length, closed}; `business` null on an empty businessmaker) and its
 * `handSize`. The last round brings the losses.
 */
export function scoreRound(places, round) {
  const isLast = round === SCORING_AT.length;
  const rowsOf = (business) => places.map(({ rows }) => rows.find((row) => row.business === business));
  const races = ROW_BUSINESSES.map((business) => [business, rowsOf(business)]);
  return places.map(({ rows, handSize }, seat) => {
    const businesses = {};
    for (const [business, race] of races) {
      if (race[seat]) businesses[business] = earningsOf(race[seat], race.filter(Boolean));
    }
    const empty = rows.filter((row) => row.business === null).length;
    const penalties = { empty_businessmakers: isLast ? 0 - EMPTY_LOSS * empty : 0, hand_cards: isLast ? 0 - handSize : 0 };
    const amounts = [...Object.values(businesses).map((one) => one.income), ...Object.values(penalties)];
    return { seat, businesses, penalties, income: amounts.reduce((sum, amount) => sum + amount, 0) };
  });
}

function earningsOf({ length, closed }, race) {
  const longer = race.filter((row) => row.length > length).length;
  const equal = race.filter((row) => row.length === length).length;
  const [income, reason] = race.length === 1 ? [4, "monopoly"] : awardFor(longer, equal);
  return { income: income * (closed ? 2 : 1), reason, length, doubled: closed }; // rounded down first, then doubled
}

/** What a row earns, and why, where so many rows of its business are longer, and so many as long, itself among them. */
function awardFor(longer, equal) {
  if (longer === 0) return equal === 1 ? [3, "longest"] : [Math.floor(4 / equal), "shared_longest"];
  if (longer > 1) return [0, "none"]; // after a tie for longest no row is second
  return equal === 1 ? [1, "second"] : [0, "shared_second"];
}

export function winnersOf(totals) {
  const most = Math.max(...totals);
  return totals.flatMap((total, seat) => (total === most ? [seat] : []));
}
