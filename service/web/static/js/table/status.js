// Whose turn it is, in words.

import { timeNow } from "../core/connection.js";
import { nameElement } from "../core/dom.js";
import { duration } from "../core/times.js";
import { count, fill, listOf, seatNames, words } from "../core/words.js";

export function statusText(view, names = seatNames(view.seats)) {
  if (view.status === "open") return words.table.waits_for_players;
  if (view.status === "scoring" || isBetween(view)) return words.table.scoring;
  if (view.status === "over") {
    if (!view.winners?.length) return words.table.cancelled;
    return count(words.table.won, view.winners.length, { names: listOf(view.winners.map((seat) => names[seat])) });
  }
  if (view.turn === null) return words.table.waits_for_players;
  return isOwnTurn(view) ? words.table.your_turn : fill(words.table.their_turn, { name: names[view.turn.seat] });
}

/** The same with each name in an element of its own, which is cut where it is wider than the line. */
export function statusParts(view, names) {
  const parts = statusText(view, names.map((_, seat) => `{${seat}}`)).split(/\{(\d+)\}/);
  return parts.map((part, index) => (index % 2 ? nameElement(names[part]) : part));
}

export function timeLeft(deadline) {
  const seconds = (Date.parse(deadline) - timeNow()) / 1000;
  return seconds > 0 ? fill(words.table.time_left, { time: duration(seconds) }) : words.table.late;
}

/** Whether the view's own seat can act; for one that has resigned a bot does. */
export function isOwnTurn(view) {
  const isOn = view.status === "playing" && view.you !== null && view.turn?.seat === view.you.seat && !isBetween(view);
  return isOn && view.seats[view.you.seat].away !== "resigned";
}

/** Whether the own turn is over and the next one hasn't begun: a payday that is played back. */
function isBetween(view) {
  return view.turn?.seat === view.you?.seat && view.turn?.action_points === 0;
}
