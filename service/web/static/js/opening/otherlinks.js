// The links of the seats that this browser has opened a game for. The service gives their tokens once.

import { keepOfGame, keptOfGame } from "../core/storage.js";

const LINKS = "reibach.links";

/** Keep the other seats of a game that was just opened: `[{seat, name, token}]`. */
export function keepOtherSeats(game, seats) {
  if (seats.length) keepOfGame(LINKS, game, seats.map(({ seat, name, token }) => ({ seat, name, token })));
}

/** The other seats of a game that this browser has opened, by the game's view; none where it hasn't opened it. */
export function otherSeatsOf(view) {
  forgetUsedSeats(view);
  return keptOfGame(LINKS, view.id) ?? [];
}

/** Forget them once each seat has had a turn: their players have the links, and nobody is to look into others' hands. */
export function forgetUsedSeats({ id, status, seats, turn }) {
  if (status === "over" || (turn?.number ?? 0) > seats.length) forgetOtherSeats(id);
}

/** Forget them, as this browser plays the game no more, say. */
export function forgetOtherSeats(game) {
  if (keptOfGame(LINKS, game)) keepOfGame(LINKS, game, null);
}
