// The API, as any client uses it. A token goes into a header only.

import { ApiProblem, assertOnline, connectionLost, isOnlineAgain, noteAnswer, noteRequest } from "./connection.js";
import { keepReceipt } from "./session.js";
import { readStored, store } from "./storage.js";
import { language, words } from "./words.js";

const ATTEMPTS = 4;
const PASSING = [0, 429, 502, 503, 504];
/** Codes whose text is for those who write clients: a player has a link, and knows of no token. */
const OF_TOKENS = ["missing-token", "invalid-token", "not-your-game"];
const BUSY = { 429: words.common.too_many, 503: words.common.unavailable };

/** 48 hexadecimal digits by chance. `crypto.randomUUID` is missing on pages without TLS. */
export function randomHex() {
  return Array.from(crypto.getRandomValues(new Uint8Array(24)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The answer to a request by a seat, or by one who watches, whatever its status. Throws ApiProblem where there is none. */
export async function ask(path, token, headers, options = {}) {
  assertOnline();
  const all = { "Accept-Language": language, ...(token && { Authorization: `Bearer ${token}` }), ...headers };
  const end = options.signal ? () => undefined : noteRequest(); // what ends by a signal is meant to wait
  try {
    return await fetch(path, { headers: all, cache: "no-store", credentials: "omit", ...options });
  } catch {
    throw connectionLost();
  } finally {
    end();
  }
}

/** The body of the answer to a request; null for 204 and 304. Throws ApiProblem. */
export async function request(path, { method = "GET", token = null, body, headers, signal } = {}) {
  const sent = { Accept: "application/json", ...(body !== undefined && { "Content-Type": "application/json" }), ...headers };
  const answer = await ask(path, token, sent, { method, body: JSON.stringify(body), signal });
  noteAnswer(answer);
  if (answer.status === 204 || answer.status === 304) return null;
  if (!answer.ok) throw await problemOf(answer, method);
  const content = await answer.json().catch(() => Promise.reject(connectionLost())); // half-way
  if (content?.receipt?.signature && content.game?.id) keepReceipt(content.game.id, content.receipt);
  return content;
}

/** What an answer of 400 or more to a request by `method` says, as an ApiProblem with `retryAfter` in seconds. */
export async function problemOf(answer, method = "GET") {
  const content = await answer.json().catch(() => null);
  const code = String(content?.type ?? "").replace("/problems/", "") || "unavailable";
  const problem = new ApiProblem(code, answer.status, detailFor(code, answer.status, content?.detail, method), content?.errors);
  return Object.assign(problem, { retryAfter: Number(answer.headers.get("Retry-After")) || 0 });
}

/**
 * What a player is told of a problem. The service's words for requests that only read, and those that name a header, are
 * for those who write clients; others say what became of what was sent, or which limit was reached.
 */
function detailFor(code, status, detail, method) {
  if (OF_TOKENS.includes(code)) return words.common.void_link;
  if (BUSY[status] && (method === "GET" || /Idempotency-Key/.test(detail))) return BUSY[status];
  return detail ?? words.common.unavailable;
}

export function get(path, token = null) {
  return request(path, { token });
}

/** The same; null where there is none, of which no view tells: then 404 says so, also in the browser's console. */
export function getIfAny(path, token) {
  return get(path, token).catch((problem) => (problem.status === 404 ? null : Promise.reject(problem)));
}

/** The pages of what the service gives in parts, from `next` on; `addressOf(next)`: where each is. */
export async function* pages(addressOf, next, token) {
  do {
    const page = await get(addressOf(next), token);
    yield page;
    ({ next } = page);
  } while (next !== null);
}

/** The text of an answer as it comes: at each time a list of those parts of it that are whole, each before a `separator`. */
export async function* partsOf({ body }, separator) {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    const parts = (rest + read.value).split(separator);
    rest = parts.pop();
    yield parts;
  }
}

/** What was sent by POST and not answered yet, by path, token and body: `{key, answer}`; `answer`: while it is awaited. */
const unanswered = new Map();

/**
 * The body of an answer to POST. The same body to the same path is one request until it is answered: a second press of
 * a button waits for the first one's answer, and after a lost one repeats it with its key. `onretry(text)` is called with
 * what to say while it is sent again. Throws ApiProblem.
 */
export async function post(path, body, { token = null, key = randomHex(), onretry } = {}) {
  const name = JSON.stringify([path, token, body]);
  const sent = unanswered.get(name) ?? { key, answer: null };
  unanswered.set(name, sent);
  sent.answer ??= postOnce(path, body, token, sent.key, onretry);
  try {
    const answer = await sent.answer;
    unanswered.delete(name);
    return answer;
  } catch (problem) {
    if (!isPassing(problem)) unanswered.delete(name);
    throw problem;
  } finally {
    sent.answer = null;
  }
}

/** Whether a request that failed like this may yet be carried out, or may be accepted later. */
export function isPassing(problem) {
  return problem instanceof ApiProblem && PASSING.includes(problem.status);
}

/** The word that opens games where the operator has set one: the page asks once, and again where it is refused. */
const OPENING_KEY = "reibach.opening-key";

function askForOpeningKey() {
  const word = (prompt(words.common.opening_key) ?? "").trim();
  if (!/^[ -~]+$/.test(word)) return false;
  store(OPENING_KEY, word);
  return true;
}

function openingHeaders(path) {
  const word = path === "/v1/games" && readStored(OPENING_KEY);
  return word ? { "Reibach-Opening-Key": word } : {};
}

/**
 * A request by POST. It is sent again, with the same key, when the connection is lost or the service says that it can't
 * answer now: a repeat changes nothing that the first one has done.
 */
async function postOnce(path, body, token, key, onretry) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await request(path, { method: "POST", token, body, headers: { "Idempotency-Key": key, ...openingHeaders(path) } });
    } catch (problem) {
      if (problem.code === "opening-key-required" && askForOpeningKey()) continue;
      if (!isPassing(problem) || attempt === ATTEMPTS) throw problem;
      onretry?.(`${problem.detail} ${words.common.retrying}`);
      await Promise.race([pause(Math.max(300 * 2 ** attempt, 1000 * (problem.retryAfter ?? 0))), isOnlineAgain()]);
    }
  }
}

export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

export function gamePath(game, ...rest) {
  return ["/v1/games", ...[game, ...rest].map(encodeURIComponent)].join("/");
}
