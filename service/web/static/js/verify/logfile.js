// Reads a log: an export (NDJSON) or a page of events (`{"events": […]}`), whatever is wrong with it.

import { canonicalJson, hasCanonicalForm } from "./canonical.js";
import { isHash } from "./webcrypto.js";

const LINE_FEED = 10;
const EVENT_MEMBERS = "at,data,hash,type,version";
const TIME_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * A log of bytes: {events, isCut, isExport, size, fault}.
 * `events`: those up to the first that can't be read or has no type or no data; `isCut`: whether there is such a one.
 * `isExport`: whether each line's bytes could be compared.
 * `fault`: the first thing that is not as an export has it, {version, code, expected, found}; null where all is well.
 */
export function readLog(bytes) {
  const page = pageOf(bytes);
  const { events, fault, isCut } = page ? { events: page, fault: null, isCut: false } : readLines(bytes);
  const unreadable = events.findIndex((event) => !isReadable(event));
  const log = unreadable < 0 ? { events, isCut } : { events: events.slice(0, unreadable), isCut: true };
  return { ...log, isExport: !page, size: bytes.length, fault: firstFault(fault, formFault(events)) };
}

function firstFault(one, other) {
  if (!one || !other) return one ?? other;
  return other.version < one.version ? other : one;
}

/** The events of a page of the API; null where the bytes are none. */
function pageOf(bytes) {
  try {
    const value = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    return Array.isArray(value?.events) ? value.events : null;
  } catch {
    return null;
  }
}

function readLines(bytes) {
  const events = [];
  let fault = null;
  for (let start = 0; start < bytes.length;) {
    const version = events.length + 1;
    const end = bytes.indexOf(LINE_FEED, start);
    const line = textOf(bytes.subarray(start, end < 0 ? bytes.length : end));
    const event = valueOf(line);
    if (event === undefined) {
      fault ??= { version, code: "not_json", expected: "JSON", found: line ?? "" };
      return { events, fault, isCut: true };
    }
    const expected = canonicalJson(event);
    if (line !== expected) fault ??= { version, code: "not_canonical", expected, found: line };
    if (end < 0) fault ??= { version, code: "no_line_feed", expected: "\\n", found: "" };
    events.push(event);
    start = end < 0 ? bytes.length : end + 1;
  }
  return { events, fault, isCut: false };
}

function textOf(bytes) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return null;
  }
}

/** The value of a line; undefined where it is no JSON. */
function valueOf(line) {
  try {
    const value = JSON.parse(line ?? "");
    canonicalJson(value); // too deep for a call stack: no event
    return value;
  } catch {
    return undefined;
  }
}

const isObject = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
const isReadable = (event) => isObject(event) && typeof event.type === "string" && isObject(event.data);

function formFault(events) {
  let last = "";
  for (const [index, event] of events.entries()) {
    const version = index + 1;
    const fault = (code, expected, found) => ({ version, code, expected, found: canonicalJson(found ?? null) });
    if (!isReadable(event) || Object.keys(event).sort().join() !== EVENT_MEMBERS) {
      return fault("members", EVENT_MEMBERS, isObject(event) ? Object.keys(event).sort().join() : event);
    }
    if (event.version !== version) return fault("version", `${version}`, event.version);
    if (version === 1 && event.type !== "GameCreated") return fault("unexpected", "GameCreated", event.type);
    if (!hasCanonicalForm(event)) return fault("value", "≤ 2^53 − 1", event.data);
    if (!isHash(event.hash)) return fault("hash", "[0-9a-f]{64}", event.hash);
    if (!isTime(event.at)) return fault("time", "2026-01-31T18:05:09.123Z", event.at);
    if (event.at < last) return fault("time", `≥ ${last}`, event.at);
    last = event.at;
  }
  return events.length ? null : { version: 1, code: "empty", expected: "GameCreated", found: "" };
}

export function isTime(at) {
  if (typeof at !== "string" || !TIME_FORM.test(at)) return false;
  const time = new Date(at);
  return !Number.isNaN(time.getTime()) && time.toISOString() === at;
}
