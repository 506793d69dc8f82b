// What happens at the table, as it happens: the stream of events, long polls where no stream comes through, or else looks.

import { ask, gamePath, partsOf, pause, request } from "../core/api.js";
import { isOnlineAgain, noteAnswer } from "../core/connection.js";

const OPENING = 4000; // the service sends a first line at once; what lies between may keep it back
const SILENCE = 30_000; // it sends one every ten seconds at least
const POLL_SECONDS = 25;
const FIRST_RETRY = 5000;
const LAST_RETRY = 300_000;
const LONGEST_PAUSE = 15_000;
const BETWEEN_LOOKS = 10_000;
const REFUSED = [401, 403, 404];
/** By HTTP/1.1 a browser opens six connections to a host for all its tabs. Those that wait leave two for what players do. */
const MOST_WAITING = 4;

/**
 * Follow a game from a version on, until it is over. `onnews(events, view)` is called with new events, or with none
 * and the newer view; `onconnection(isConnected)` when the connection is lost or back; `onvoid()` when the token has
 * been revoked.
 */
export async function follow(game, token, version, link) {
  const place = { last: version, failures: 0, faults: 0, streamAt: 0, tabs: new BroadcastChannel(`reibach.news.${game}`) };
  addEventListener("online", () => Object.assign(place, { faults: 0, streamAt: 0 }));
  while (!await withConnection(game, (leave) => followOnce(game, token, place, link, leave)));
  place.tabs.close();
}

/**
 * What `run(leave)` answers: `leave` is the signal to let its connection go, or null where it must not keep one. A tab
 * keeps one while it is seen: one for each game, and few in all where the browser lets tabs agree (not on pages without TLS).
 */
async function withConnection(game, run) {
  if (document.hidden) return run(null);
  const keep = async () => {
    const end = new AbortController();
    addEventListener("visibilitychange", () => end.abort(), { once: true, signal: end.signal });
    return run(end.signal).finally(() => end.abort());
  };
  if (!navigator.locks) return keep();
  const holding = (name, act) => navigator.locks.request(name, { ifAvailable: true }, (lock) => (lock ? act() : null));
  const answer = await holding(`reibach.news.${game}`, async () => {
    for (let number = 1; number <= MOST_WAITING; number += 1) {
      const inPlace = await holding(`reibach.waiting.${number}`, keep);
      if (inPlace !== null) return inPlace;
    }
    return null;
  });
  return answer ?? run(null);
}

/** One stream, one long poll or one look; whether the game is over, or can't be followed any more. */
async function followOnce(game, token, place, link, leave) {
  if (!navigator.onLine) {
    link.onconnection(false);
    await Promise.race([pause(LONGEST_PAUSE), isOnlineAgain()]); // then it is tried all the same: some browsers err
  }
  const isStream = leave && Date.now() >= place.streamAt;
  try {
    if (await (isStream ? readStream : poll)(game, token, place, link, leave)) return true;
  } catch (problem) {
    if (leave?.aborted) return false;
    if (REFUSED.includes(problem.status)) {
      link.onvoid();
      return true;
    }
    if (isStream) { // it is tried again, each time twice as late: polls find out whether it alone is lost, or the connection
      place.streamAt = Date.now() + Math.min(LAST_RETRY, FIRST_RETRY * 2 ** place.faults);
      place.faults += 1;
    } else place.failures += 1;
  }
  if (place.failures > 1) link.onconnection(false);
  if (place.failures) await Promise.race([pause(Math.min(LONGEST_PAUSE, 250 * 2 ** Math.min(place.failures, 6))), isOnlineAgain()]);
  else if (!leave) await Promise.race([pause(BETWEEN_LOOKS), nextOf(window, "visibilitychange"), nextOf(place.tabs, "message")]);
  return false;
}

function nextOf(target, event) {
  return new Promise((resolve) => target.addEventListener(event, resolve, { once: true }));
}

/** The new events, or the newer view: for this tab, and for those that have no connection of their own. */
function tellTabs(place, link, events, view) {
  place.last = view?.version ?? events.at(-1).version;
  place.tabs.postMessage(place.last);
  link.onnews(events, view);
}

/** The stream, to its end; whether the game is over. Throws where it brings nothing, or stops to. */
async function readStream(game, token, place, link, leave) {
  const stop = new AbortController();
  let guard = setTimeout(() => stop.abort(), OPENING);
  let chunks = 0;
  addEventListener("offline", () => stop.abort(), { once: true, signal: stop.signal });
  leave.addEventListener("abort", () => stop.abort(), { once: true, signal: stop.signal });
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
      if (events.length) tellTabs(place, link, events, null);
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

/** A newer view, by a long poll, or as it is without `leave`; whether the game is over. Throws ApiProblem. */
async function poll(game, token, place, link, leave) {
  const path = leave ? `${gamePath(game)}?wait=${POLL_SECONDS}` : gamePath(game);
  const view = await request(path, { token, headers: { "If-None-Match": `"${place.last}"` }, signal: leave });
  place.failures = 0;
  link.onconnection(true);
  if (view?.version < place.last) return beginAnew();
  if (view?.version > place.last) tellTabs(place, link, [], view);
  return view?.status === "over";
}
