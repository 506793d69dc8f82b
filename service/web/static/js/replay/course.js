// The whole course of a game: loaded once, and from then on nothing is asked of the service.

import { gamePath, get, headersFor, problemOf } from "../core/api.js";
import { assertOnline } from "../core/connection.js";
import { ApiProblem } from "../core/connection.js";
import { language, words } from "../core/words.js";

const PAGE = 1000;

/**
 * All states of a game with the events that led to them, and the sentences that tell of it, as the seat with `token`,
 * or one who watches, may see them: `{frames, items}`. Throws ApiProblem. What happens meanwhile in a running game may
 * be among the sentences already, but not among the states: it is left out.
 */
export async function loadCourse(game, token) {
  const [frames, items] = await Promise.all([loadFrames(game, token), loadSentences(game, token)]);
  const head = frames.at(-1).version;
  return { frames, items: items.filter((item) => item.version <= head) };
}

/** `{version, event, view}` of each version from 1 on. Lines are read as they come: no task is long. */
async function loadFrames(game, token) {
  const headers = headersFor(token, { Accept: "application/x-ndjson" });
  assertOnline();
  let answer;
  try {
    answer = await fetch(gamePath(game, "replay"), { headers, credentials: "omit" });
  } catch {
    throw new ApiProblem("offline", 0, words.common.offline);
  }
  if (!answer.ok) throw await problemOf(answer);
  const frames = [];
  let rest = "";
  try {
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const lines = (rest + part.value).split("\n");
      rest = lines.pop();
      for (const line of lines) frames.push(JSON.parse(line));
    }
  } catch {
    throw new ApiProblem("offline", 0, words.common.offline); // the connection was lost half-way
  }
  if (!frames.length) throw new ApiProblem("unavailable", answer.status, words.common.unavailable);
  return frames;
}

async function loadSentences(game, token) {
  const items = [];
  for (let since = 0; since !== null; ) {
    const page = await get(`${gamePath(game, "recap")}?since=${since}&by=action&limit=${PAGE}&language=${language}`, token);
    items.push(...page.items);
    since = page.next;
  }
  return items;
}
