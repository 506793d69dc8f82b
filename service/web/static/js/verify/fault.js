// What is wrong with an event, and how events are compared with what should have been there.

import { canonicalJson } from "./canonical.js";
import { EVENT_TABLE } from "./event_table.js";

/** An event that can't be. `group`: the check that it fails (`cards`, `play` or `scores`); `code`: why. */
export class Fault extends Error {
  constructor(group, code, expected, found) {
    super(code);
    Object.assign(this, { group, code, expected: textOfValue(expected), found: textOfValue(found) });
  }
}

export function demand(condition, group, code, expected, found) {
  if (!condition) throw new Fault(group, code, expected, found);
}

/** Throws a Fault unless the data is what is expected; a wrong card fails `cards`, anything else `play`. */
export function demandData(type, data, expected) {
  if (canonicalJson(data) === canonicalJson(expected)) return;
  const [group, code] = "card" in expected && data.card !== expected.card ? ["cards", "card"] : ["play", "differs"];
  throw new Fault(group, code, `${type} ${canonicalJson(expected)}`, `${type} ${canonicalJson(data)}`);
}

/** Throws a Fault unless the data has the members of its type: `always`, and of `maybe` any. */
export function demandMembers(type, data) {
  const { always, maybe } = EVENT_TABLE[type];
  const names = Object.keys(data);
  const isLawful = (name) => always.includes(name) || maybe.includes(name);
  const isComplete = always.every((name) => names.includes(name)) && names.every(isLawful);
  demand(isComplete, "play", "members", `${type} {${always.join(", ")}}`, `${type} {${names.sort().join(", ")}}`);
}

const textOfValue = (value) => (typeof value === "string" ? value : canonicalJson(value ?? null));
