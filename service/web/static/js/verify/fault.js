// What is wrong with an event, and how events are compared with what should have been there.

import { canonicalJson } from "./canonical.js";
import { EVENT_TABLE } from "./event_table.js";

const CODES_OF_CARDS = ["card", "deal", "not_in_hand", "too_many"];

/** An event that can't be. `code`: why; `group`: the check that it fails (`cards`, `play` or `scores`). */
export class Fault extends Error {
  constructor(code, expected, found, group = CODES_OF_CARDS.includes(code) ? "cards" : "play") {
    super(code);
    Object.assign(this, { group, code, expected: textOfValue(expected), found: textOfValue(found) });
  }
}

export function demand(condition, ...fault) {
  if (!condition) throw new Fault(...fault);
}

/** Throws a Fault unless the data is what is expected; a wrong card fails `cards`, anything else `play`. */
export function demandData(type, data, expected) {
  const code = "card" in expected && data.card !== expected.card ? "card" : "differs";
  const [right, given] = [expected, data].map(canonicalJson);
  demand(given === right, code, `${type} ${right}`, `${type} ${given}`);
}

/** Throws a Fault unless the data has the members of its type: `always`, and of `maybe` any. */
export function demandMembers(type, data) {
  const { always, maybe } = EVENT_TABLE[type];
  const names = Object.keys(data);
  const isLawful = (name) => always.includes(name) || maybe.includes(name);
  const isComplete = always.every((name) => names.includes(name)) && names.every(isLawful);
  demand(isComplete, "members", `${type} {${always.join(", ")}}`, `${type} {${names.sort().join(", ")}}`);
}

export const isWithin = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;

export const hasLength = (value, least, most) => typeof value === "string" && isWithin([...value].length, least, most);

export const isPlainText = (value, least, most) => hasLength(value, least, most) && !/\p{Cc}/u.test(value);

/** A fault as a check's step shows it: `version` is the event's, the last two are texts. */
export const faultAt = (version, code, expected, found) => ({ version, code, expected, found });

const textOfValue = (value) => (typeof value === "string" ? value : canonicalJson(value ?? null));
