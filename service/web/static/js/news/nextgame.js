// The next of the player's games that waits for a turn.

import { gamePath, get } from "../core/api.js";
import { allSeats } from "../core/session.js";
import { isOwnTurn } from "../table/status.js";
import { noteTurns } from "./signals.js";

const MOST = 12;

/** The view of another game where it is this browser's turn, the latest kept first; null where there is none. */
export async function findNextGame(game) {
  const others = Object.entries(allSeats()).filter(([id]) => id !== game);
  others.sort(([, one], [, other]) => (other.at ?? 0) - (one.at ?? 0));
  for (const [id, seat] of others.slice(0, MOST)) {
    try {
      const view = await get(gamePath(id), seat.token);
      noteTurns(isOwnTurn(view) ? [id] : [], [id]);
      if (isOwnTurn(view)) return view;
    } catch {
      // A game that can't be opened waits for nobody.
    }
  }
  return null;
}
