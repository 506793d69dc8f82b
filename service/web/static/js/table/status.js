// Whose turn it is, in words.

import { count, fill, listOf, seatNames, words } from "../core/words.js";

/** The state of a game in a line. */
export function statusText(view, names = seatNames(view.seats)) {
  if (view.status === "open") return words.table.waits_for_players;
  if (view.status === "scoring") return words.table.scoring;
  if (view.status === "over") {
    if (!view.winners?.length) return words.table.over;
    return count(words.table.won, view.winners.length, { names: listOf(view.winners.map((seat) => names[seat])) });
  }
  if (view.turn === null) return words.table.waits_for_players;
  return isOwnTurn(view) ? words.table.your_turn : fill(words.table.their_turn, { name: names[view.turn.seat] });
}

/** Whether the view's own seat can act; for one that has resigned a bot does. */
export function isOwnTurn(view) {
  const isOn = view.status === "playing" && view.you !== null && view.turn?.seat === view.you.seat;
  return isOn && view.seats[view.you.seat].away !== "resigned";
}
