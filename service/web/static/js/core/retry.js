// Asking again: for what the service couldn't answer, as long as someone looks at the page, and for what has changed meanwhile.

import { isPassing, pause } from "./api.js";
import { isOnlineAgain } from "./connection.js";

/** Milliseconds: the first pause, the longest one, and the longest that the service can ask for. */
const SHORTEST_PAUSE = 1000;
const MOST_WAITED = 15_000;
const MOST_ASKED = 120_000;

/**
 * What `load()` answers. While it fails because the service can't answer now it is called again: after each failure
 * twice as late, and not before the time that the service has named, or at once when the connection is back.
 * `onfailure(problem)` is called with each of these problems; any other one is thrown.
 */
export async function loadPatiently(load, onfailure) {
  for (let failures = 0; ; failures += 1) {
    try {
      return await load();
    } catch (problem) {
      if (!isPassing(problem)) throw problem;
      onfailure(problem);
      await Promise.race([pause(pauseAfter(failures, problem)), isOnlineAgain()]);
      await isSeen();
    }
  }
}

/** A function that lets `run` run once at a time; where it is called meanwhile, once more afterwards. */
export function oneAtATime(run) {
  let isWanted = false;
  let isRunning = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    try {
      while (isWanted) {
        isWanted = false;
        await run();
      }
    } finally {
      isRunning = false;
    }
  };
}

export function pauseAfter(failures, { retryAfter = 0 }) {
  const wait = Math.min(MOST_WAITED, SHORTEST_PAUSE * 2 ** failures);
  return Math.max(wait, Math.min(MOST_ASKED, 1000 * retryAfter));
}

export function isSeen() {
  return new Promise((resolve) => {
    if (!document.hidden) resolve();
    else addEventListener("visibilitychange", resolve, { once: true });
  });
}
