// What the player likes, on this browser.

const SETTINGS = "reibach.settings";

/** The settings: `ask`, whether taking and drawing ask first; `now`, whether the scoring as of now is open; `sound`. */
export function settings() {
  const usual = { ask: true, now: matchMedia("(min-width: 1100px)").matches };
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
