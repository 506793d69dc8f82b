// The links of the seats that this browser has opened a game for. The service gives their tokens once.

import { keepOfGame, keptOfGame } from "../core/gamestore.js";

const LINKS = "reibach.links";

/** Keep the other seats of a game that was just opened: `[{seat, name, token}]`. */
export function keepOtherSeats(game, seats) {
  if (seats.length) keepOfGame(LINKS, game, seats.map(({ seat, name, token }) => ({ seat, name, token })));
}

/** The other seats of a game that this browser has opened; none where it hasn't, or where they are of no use any more. */
export function otherSeatsOf(game) {
  return keptOfGame(LINKS, game) ?? [];
}

/** Forget them: the game is over, or this browser plays it no more. */
export function forgetOtherSeats(game) {
  if (otherSeatsOf(game).length) keepOfGame(LINKS, game, null);
}
