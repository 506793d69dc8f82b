// A game against bots, by one click.

import { post } from "../core/api.js";
import { keepSeat, lastName } from "../core/session.js";
import { tableAddress } from "./otherlinks.js";
import { words } from "../core/words.js";

const BOTS = 2;

/** Open a game against bots, and go to its table; `onretry`: see `post`. Throws ApiProblem. */
export async function playDemo(onretry) {
  const name = lastName() || words.start.guest;
  const seats = [{ name }, ...Array.from({ length: BOTS }, () => ({ bot: "greedy" }))];
  const answer = await post("/v1/games", { seats }, { onretry });
  keepSeat(answer.game.id, answer.seats[0]);
  location.assign(tableAddress(answer.game.id));
}
