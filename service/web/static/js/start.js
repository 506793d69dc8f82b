// The start page.

import { showCreated } from "./opening/created.js";
import { playDemo } from "./opening/demo.js";
import { byId, fillWith, h, showIn } from "./core/dom.js";
import { settingsAgain } from "./opening/again.js";
import { fillForm, startForm } from "./opening/newgame.js";
import { allSeats } from "./core/session.js";
import { pageAddress, words } from "./core/words.js";
import "./core/install.js";

const demo = byId("demo");

demo.addEventListener("click", async () => {
  byId("demo-problem").hidden = true;
  demo.disabled = true;
  try {
    await playDemo((text) => showIn("demo-problem", text));
  } catch (problem) {
    showIn("demo-problem", problem.detail ?? String(problem));
    demo.disabled = false;
  }
});
addEventListener("pageshow", () => {
  demo.disabled = false; // a page that comes back from the history
});
startForm(showCreated);
if (Object.keys(allSeats()).length) fillWith(byId("demo-hint"), h("a", { href: pageAddress("/games") }, words.common.games));

/** Fill the form as a game was that the address names, if any; it isn't seen before. */
async function playAgain() {
  const place = byId("new-game");
  try {
    place.classList.toggle("is-filling", location.search !== "");
    const settings = await settingsAgain();
    if (!settings) return;
    fillForm(settings);
    place.classList.remove("is-filling");
    place.scrollIntoView();
    byId("new-game-heading").focus({ preventScroll: true });
  } catch (problem) {
    showIn("new-game-problem", problem.detail ?? String(problem));
  } finally {
    place.classList.remove("is-filling");
  }
}

playAgain();
