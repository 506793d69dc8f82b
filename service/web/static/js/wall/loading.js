// The games of this browser as the service has them: those that run as their seats see them, those that are over in sums.

import { gamePath, get } from "../core/api.js";
import { allSeats, keepSeat } from "../core/session.js";
import { forgetUsedSeats } from "../opening/otherlinks.js";

/** Requests that run at a time, and games that one request sums up. */
const MOST_REQUESTS = 4;
const MOST_SUMS = 100;

let running = 0;
const waiting = [];

/** What the service tells everybody of these games: `{id, name, status, seats, bots, totals, winners, …}`. Throws ApiProblem. */
export async function loadSums(ids) {
  const games = [];
  for (let at = 0; at < ids.length; at += MOST_SUMS) {
    const query = new URLSearchParams({ ids: ids.slice(at, at + MOST_SUMS) });
    games.push(...(await get(`/v1/games?${query}`)).games);
  }
  return games;
}

export function seatsOf({ status, seats, bots = [], totals = [] }) {
  return seats.map((name, seat) => ({ seat, name, bot: bots[seat] ?? null, erased: name === null && status !== "open", total: totals[seat] }));
}

/**
 * Every kept game as `{id, seat, state, view, at, problem}`. `state`: its view, of one that is over as much of a view as its
 * sum has; null where there is a `problem`. `at`: when it last changed, if that is known.
 */
export async function loadOwnGames() {
  const kept = Object.entries(allSeats());
  const sums = await loadSums(kept.map(([id]) => id)).catch(() => []); // each game is loaded by itself then, and says what is wrong
  return Promise.all(kept.map(([id, seat]) => {
    const sum = sums.find((one) => one.id === id);
    const game = { id, seat, state: null, view: null, at: sum?.updated_at ?? null, problem: null };
    if (sum?.status !== "over" || seat.seat === null) return addView(game);
    return { ...game, state: { ...sum, seats: seatsOf(sum), you: { seat: seat.seat } } };
  }));
}

export async function addView(game) {
  if (running < MOST_REQUESTS) running += 1;
  else await new Promise((resolve) => { waiting.push(resolve); });
  try {
    const view = await get(gamePath(game.id), game.seat.token);
    forgetUsedSeats(view);
    if (view.you && game.seat.seat === null) keepSeat(game.id, { token: game.seat.token, seat: view.you.seat, name: view.seats[view.you.seat].name });
    return { ...game, view, state: view };
  } catch (problem) {
    return { ...game, problem };
  } finally {
    const next = waiting.shift(); // it has this one's place
    if (next) next();
    else running -= 1;
  }
}
