// The links of games that this browser has opened: of its own seat, and of the others, whose tokens the service gives once.

import { seatFragment } from "../core/session.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { pageAddress } from "../core/words.js";

const LINKS = "reibach.links";

export function tableAddress(game) {
  return pageAddress(`/g/${game}`) + seatFragment(game);
}

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

export function forgetOtherSeats(game) {
  if (keptOfGame(LINKS, game)) keepOfGame(LINKS, game, null);
}
