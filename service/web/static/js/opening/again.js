// A new game with the players and settings of one that was played.

import { gamePath, get } from "../core/api.js";
import { seatIn } from "../core/session.js";

/** The parameter of the start page's address that names the game. */
export const AGAIN = "again";

/**
 * The settings of the game that the address names, as in a request for a new game, first the seat of `#seat=`, or
 * the one that this browser has there; null where it names none. Throws ApiProblem.
 */
export async function settingsAgain() {
  const game = new URLSearchParams(location.search).get(AGAIN);
  if (!game) return null;
  const { name, seats, variants, pace, listed, replaceable } = await get(gamePath(game));
  const told = Number(new URLSearchParams(location.hash.slice(1)).get("seat") ?? NaN);
  const own = seats[told]?.bot === null ? told : (seatIn(game)?.seat ?? Math.max(0, seats.findIndex((seat) => seat.bot === null)));
  const turned = [...seats.slice(own), ...seats.slice(0, own)];
  const plans = turned.map((seat) => (seat.bot ? { bot: seat.bot } : { name: seat.name }));
  return { name, seats: plans, variants, pace, listed, replaceable: Boolean(replaceable) };
}
