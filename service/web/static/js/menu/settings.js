// What the player likes, on this browser.

const SETTINGS = "reibach.settings";

/** Taking and drawing ask the first time, and then no more. */
export const ONCE = "once";

/** The settings: `ask`, whether taking and drawing ask first (`ONCE`, true, false); `worth`, whether cards say what they bring; `sound`. */
export function settings() {
  const usual = { ask: ONCE, worth: true };
  try {
    return { ...usual, ...JSON.parse(localStorage.getItem(SETTINGS)) };
  } catch {
    return usual;
  }
}

/** Change some of them; the others stay as they are, or as usual. */
export function change(some) {
  try {
    localStorage.setItem(SETTINGS, JSON.stringify({ ...JSON.parse(localStorage.getItem(SETTINGS)), ...some }));
  } catch {
    // Without storage the settings are those of a first visit.
  }
}

/** The player has seen the question. */
export function askedOnce() {
  if (settings().ask === ONCE) change({ ask: false });
}
