// What the player likes, on this browser.

import { readStored, store } from "../core/storage.js";

const SETTINGS = "reibach.settings";

/** The settings: `ask`, whether taking and drawing ask first; `now`, whether the scoring as of now is open; `sound`. */
export function settings() {
  return { ask: true, now: matchMedia("(min-width: 1100px)").matches, ...readStored(SETTINGS) };
}

/** Change some of them; the others stay as they are, or as usual. */
export function change(some) {
  store(SETTINGS, { ...readStored(SETTINGS), ...some });
}
