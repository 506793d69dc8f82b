// The start page: a game against bots by one click, or by the form.

import "./core/running.js";
import { gamePath, get, post } from "./core/api.js";
import { byId, fillWith, h, showIn } from "./core/dom.js";
import { problemText } from "./core/refusal.js";
import { allSeats, keepSeat, lastName, seatIn } from "./core/session.js";
import { pageAddress, words } from "./core/words.js";
import { fillForm, startForm } from "./opening/newgame.js";
import { tableAddress } from "./opening/otherlinks.js";
import "./install.js";

const demo = byId("demo");

async function playDemo() {
  const sayProblem = (text) => showIn("demo-problem", text);
  sayProblem(null);
  demo.disabled = true;
  try {
    const seats = [{ name: lastName() || words.start.guest }, { bot: "apprentice" }, { bot: "apprentice" }];
    const answer = await post("/v1/games", { seats }, { onretry: sayProblem });
    keepSeat(answer.game.id, answer.seats[0]);
    location.assign(tableAddress(answer.game.id));
  } catch (problem) {
    sayProblem(problemText(problem));
    demo.disabled = false;
  }
}

/**
 * Fill the form as the game was that the address names, if any: first the seat of `#seat=`, or the one that this browser
 * has there. The form isn't seen before.
 */
async function playAgain() {
  const game = new URLSearchParams(location.search).get("again");
  if (!game) return;
  const place = byId("new-game");
  place.classList.add("is-filling");
  try {
    const { seats, ...settings } = await get(gamePath(game));
    const told = Number(new URLSearchParams(location.hash.slice(1)).get("seat") ?? NaN);
    const own = seats[told]?.bot === null ? told : (seatIn(game)?.seat ?? Math.max(0, seats.findIndex((seat) => seat.bot === null)));
    fillForm({ ...settings, seats: [...seats.slice(own), ...seats.slice(0, own)] });
    place.classList.remove("is-filling");
    place.scrollIntoView();
    byId("new-game-heading").focus({ preventScroll: true });
  } catch (problem) {
    showIn("new-game-problem", problemText(problem));
  } finally {
    place.classList.remove("is-filling");
  }
}

demo.addEventListener("click", playDemo);
addEventListener("pageshow", () => {
  demo.disabled = false; // a page that comes back from the history
});
if (Object.keys(allSeats()).length) fillWith(byId("demo-hint"), h("a", { href: pageAddress("/games") }, words.common.games));
startForm();
playAgain();
