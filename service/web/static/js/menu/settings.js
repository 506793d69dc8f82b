// What the player likes, on this browser.

import { readStored, store } from "../core/storage.js";

const SETTINGS = "reibach.settings";

/** Taking and drawing ask the first time, and then no more. */
export const ONCE = "once";

/** The settings: `ask`, whether taking and drawing ask first (`ONCE`, true, false); `worth`, whether cards say what they bring; `sound`. */
export function settings() {
  return { ask: ONCE, worth: true, ...readStored(SETTINGS) };
}

export function change(some) {
  store(SETTINGS, { ...readStored(SETTINGS), ...some });
}

export function askedOnce() {
  if (settings().ask === ONCE) change({ ask: false });
}
