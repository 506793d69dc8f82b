// What happens at the table, as it happens: the stream of events, or long polls where no stream can be had.

import { gamePath, headersFor, pause, request } from "../core/api.js";

const SILENCE = 30_000;
const POLL_SECONDS = 25;

/**
 * Follow a game from a version on, until it is over. `onnews(events)` is called with new events, with an empty list
 * where only the version is known to be newer; `onconnection(isConnected)` when the connection is lost or back;
 * `onvoid()` when the token has become void.
 */
export async function follow(game, token, version, link) {
  const place = { last: version, failures: 0 };
  for (;;) {
    try {
      if (await readStream(game, token, place, link)) return;
      place.failures += 1; // the service has closed the stream, or a proxy has
    } catch (problem) {
      if ([401, 403, 404].includes(problem.status)) {
        link.onvoid();
        return;
      }
      // Any other fault, too: what lies between may let no stream through.
      if (await pollOnce(game, token, place, link)) return;
      place.failures += 1;
    }
    if (place.failures > 1) link.onconnection(false);
    await Promise.race([pause(Math.min(15_000, 250 * 2 ** Math.min(place.failures, 6))), isOnlineAgain()]);
  }
}

/** The stream, to its end; whether the game is over. */
async function readStream(game, token, place, link) {
  const stop = new AbortController();
  let guard = setTimeout(() => stop.abort(), SILENCE);
  addEventListener("offline", () => stop.abort(), { once: true, signal: stop.signal });
  try {
    const headers = headersFor(token, { Accept: "text/event-stream", "Last-Event-ID": String(place.last) });
    const answer = await fetch(gamePath(game, "events"), { headers, signal: stop.signal, cache: "no-store", credentials: "omit" });
    if (answer.status === 204) return true;
    if (!answer.ok || !answer.body) throw Object.assign(new Error("no stream"), { status: answer.ok ? 503 : answer.status });
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return false;
      clearTimeout(guard);
      guard = setTimeout(() => stop.abort(), SILENCE);
      place.failures = 0;
      link.onconnection(true);
      const blocks = (rest + value).split("\n\n");
      rest = blocks.pop();
      const events = blocks.map(eventOf).filter(Boolean);
      if (!events.length) continue;
      place.last = events.at(-1).version;
      link.onnews(events);
    }
  } finally {
    clearTimeout(guard);
    stop.abort();
  }
}

function eventOf(block) {
  const line = block.split("\n").find((one) => one.startsWith("data: "));
  return line ? JSON.parse(line.slice(6)) : null;
}

/** A long poll for a newer version; whether the game is over. */
async function pollOnce(game, token, place, link) {
  try {
    const headers = { "If-None-Match": `"${place.last}"` };
    const answer = await request(`${gamePath(game)}?wait=${POLL_SECONDS}`, { token, headers });
    place.failures = 0;
    link.onconnection(true);
    if (answer.body && answer.body.version > place.last) {
      place.last = answer.body.version;
      link.onnews([]);
    }
    return answer.body?.status === "over";
  } catch {
    return false; // the next attempt finds out what is wrong
  }
}

function isOnlineAgain() {
  return new Promise((resolve) => {
    addEventListener("online", resolve, { once: true });
  });
}
