// Reads a log: an export (NDJSON) or a page of events (`{"events": […]}`), whatever is wrong with it.

import { canonicalJson, hasCanonicalForm } from "./canonical.js";
import { faultAt } from "./fault.js";
import { isHash } from "./webcrypto.js";

const LINE_FEED = 10;
const EVENT_MEMBERS = "at,data,hash,type,version";
const TIME_FORM = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/**
 * A log of bytes: {events, isCut, isExport, size, fault}.
 * `events`: those up to the first that can't be read or has no type or no data; `isCut`: whether there is such a one.
 * `isExport`: whether each line's bytes could be compared.
 * `fault`: the first difference from the bytes of an export, {version, code, expected, found}; null where all is well.
 */
export function readLog(bytes) {
  const page = pageOf(bytes);
  const { events, fault, isCut } = page ? { events: page, fault: null, isCut: false } : readLines(bytes);
  const unreadable = events.findIndex((event) => !isReadable(event));
  const log = unreadable < 0 ? { events, isCut } : { events: events.slice(0, unreadable), isCut: true };
  const faults = [fault, formFault(events)].filter(Boolean).sort((one, other) => one.version - other.version);
  return { ...log, isExport: !page, size: bytes.length, fault: faults[0] ?? null };
}

/** The events of a page of the API; null where the bytes are none. */
function pageOf(bytes) {
  const events = valueOf(textOf(bytes, { ignoreBOM: false }))?.events;
  return Array.isArray(events) ? events : null;
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
      fault ??= faultAt(version, "not_json", "JSON", line ?? "");
      return { events, fault, isCut: true };
    }
    const expected = canonicalJson(event);
    if (line !== expected) fault ??= faultAt(version, "not_canonical", expected, line);
    if (end < 0) fault ??= faultAt(version, "no_line_feed", "\\n", "");
    events.push(event);
    start = end < 0 ? bytes.length : end + 1;
  }
  return { events, fault, isCut: false };
}

function textOf(bytes, { ignoreBOM = true } = {}) {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
  } catch {
    return null;
  }
}

/** The value of a text; undefined where it is no JSON. */
function valueOf(text) {
  try {
    const value = JSON.parse(text ?? "");
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
    const fault = (code, expected, found) => faultAt(version, code, expected, canonicalJson(found ?? null));
    const members = isObject(event) ? Object.keys(event).sort().join() : event;
    if (members !== EVENT_MEMBERS || !isReadable(event)) return fault("members", EVENT_MEMBERS, members);
    if (event.version !== version) return fault("version", `${version}`, event.version);
    if (version === 1 && event.type !== "GameCreated") return fault("unexpected", "GameCreated", event.type);
    if (!hasCanonicalForm(event)) return fault("value", "≤ 2^53 − 1", event.data);
    if (!isHash(event.hash)) return fault("hash", "[0-9a-f]{64}", event.hash);
    if (!isTime(event.at)) return fault("time", "2026-01-31T18:05:09.123Z", event.at);
    if (event.at < last) return fault("time", `≥ ${last}`, event.at);
    last = event.at;
  }
  return events.length ? null : faultAt(1, "empty", "GameCreated", "");
}

export function isTime(at) {
  if (typeof at !== "string" || !TIME_FORM.test(at)) return false;
  const time = new Date(at);
  return !Number.isNaN(time.getTime()) && time.toISOString() === at;
}
