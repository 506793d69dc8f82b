// The whole course of a game: loaded once, and from then on nothing is asked of the service.

import { ask, gamePath, pages, partsOf, problemOf } from "../core/api.js";
import { ApiProblem, connectionLost } from "../core/connection.js";
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
  const answer = await ask(gamePath(game, "replay"), token, { Accept: "application/x-ndjson" }, { cache: "default" });
  if (!answer.ok) throw await problemOf(answer);
  const frames = [];
  try {
    for await (const lines of partsOf(answer, "\n")) for (const line of lines) frames.push(JSON.parse(line));
  } catch {
    throw connectionLost(); // half-way
  }
  if (!frames.length) throw new ApiProblem("unavailable", answer.status, words.common.unavailable);
  return frames;
}

async function loadSentences(game, token) {
  const items = [];
  const addressOf = (since) => `${gamePath(game, "recap")}?since=${since}&by=action&limit=${PAGE}&language=${language}`;
  for await (const page of pages(addressOf, 0, token)) items.push(...page.items);
  return items;
}
