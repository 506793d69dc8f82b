// What happens at the table, as it happens: the stream of events, or long polls where no stream comes through.

import { ask, gamePath, partsOf, pause, request } from "../core/api.js";
import { isOnlineAgain, noteAnswer } from "../core/connection.js";

const OPENING = 4000; // the service sends a first line at once; what lies between may keep it back
const SILENCE = 30_000; // it sends one every ten seconds at least
const POLL_SECONDS = 25;
const FIRST_RETRY = 5000;
const LAST_RETRY = 300_000;
const LONGEST_PAUSE = 15_000;
const REFUSED = [401, 403, 404];

/**
 * Follow a game from a version on, until it is over. `onnews(events, view)` is called with new events, or with none
 * and the newer view; `onconnection(isConnected)` when the connection is lost or back; `onvoid()` when the token has
 * been revoked.
 */
export async function follow(game, token, version, link) {
  const place = { last: version, failures: 0, faults: 0, streamAt: 0 };
  addEventListener("online", () => Object.assign(place, { faults: 0, streamAt: 0 }));
  for (;;) {
    if (!navigator.onLine) {
      link.onconnection(false);
      await Promise.race([pause(LONGEST_PAUSE), isOnlineAgain()]); // then it is tried all the same: some browsers err
    }
    const isPoll = Date.now() < place.streamAt;
    try {
      if (await (isPoll ? pollOnce : readStream)(game, token, place, link)) return undefined;
    } catch (problem) {
      if (REFUSED.includes(problem.status)) return link.onvoid();
      if (isPoll) place.failures += 1;
      else { // the stream is tried again, each time twice as late: polls find out whether it alone is lost, or the connection
        place.streamAt = Date.now() + Math.min(LAST_RETRY, FIRST_RETRY * 2 ** place.faults);
        place.faults += 1;
      }
    }
    if (place.failures > 1) link.onconnection(false);
    if (place.failures) await Promise.race([pause(Math.min(LONGEST_PAUSE, 250 * 2 ** Math.min(place.failures, 6))), isOnlineAgain()]);
  }
}

/** The stream, to its end; whether the game is over. Throws where it brings nothing, or stops to. */
async function readStream(game, token, place, link) {
  const stop = new AbortController();
  let guard = setTimeout(() => stop.abort(), OPENING);
  let chunks = 0;
  addEventListener("offline", () => stop.abort(), { once: true, signal: stop.signal });
  try {
    const headers = { Accept: "text/event-stream", "Last-Event-ID": String(place.last) };
    const answer = await ask(gamePath(game, "events"), token, headers, { signal: stop.signal });
    noteAnswer(answer);
    if (answer.status === 204) return true;
    if (answer.status === 404 && /\/no-such-version$/.test((await answer.json()).type)) return beginAnew();
    if (!answer.ok || !answer.body) throw Object.assign(new Error("no stream"), { status: answer.ok ? 503 : answer.status });
    for await (const blocks of partsOf(answer, "\n\n")) {
      clearTimeout(guard);
      guard = setTimeout(() => stop.abort(), SILENCE);
      chunks += 1;
      place.failures = 0;
      if (chunks > 1) place.faults = 0;
      link.onconnection(true);
      if (blocks.includes("id: 0")) return beginAnew();
      const events = blocks.flatMap((block) => block.match(/^data: .*/m) ?? []).map((line) => JSON.parse(line.slice("data: ".length)));
      if (!events.length) continue;
      place.last = events.at(-1).version;
      link.onnews(events, null);
    }
    if (chunks < 2) throw new Error("the stream was cut off"); // by what lies between, it may be each time
    return false;
  } finally {
    clearTimeout(guard);
    stop.abort();
  }
}

/** The service has lost events that the page shows: the log as it is now is another one. */
function beginAnew() {
  location.reload();
  return true;
}

/** A long poll for a newer view; whether the game is over. Throws ApiProblem. */
async function pollOnce(game, token, place, link) {
  const view = await request(`${gamePath(game)}?wait=${POLL_SECONDS}`, { token, headers: { "If-None-Match": `"${place.last}"` } });
  place.failures = 0;
  link.onconnection(true);
  if (view?.version < place.last) return beginAnew();
  if (view?.version > place.last) {
    place.last = view.version;
    link.onnews([], view);
  }
  return view?.status === "over";
}
