// JSON in the one form that is hashed: JCS (RFC 8785).
// No event holds a fraction, a whole number beyond 2^53 - 1 or a member name beyond U+FFFF: other readers sort and
// write those in other ways.

const HALF_OF_PAIR = /\p{Surrogate}/u;
const ANY_SURROGATE = /[\ud800-\udfff]/;

/** JCS of a value for which `hasCanonicalForm` holds. */
export function canonicalJson(value) {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  // `sort` compares UTF-16 units, as JCS does.
  const members = Object.keys(value).sort().map((name) => `${JSON.stringify(name)}:${canonicalJson(value[name])}`);
  return `{${members.join(",")}}`;
}

/** Whether an event may hold the value: see the top of the file. */
export function hasCanonicalForm(value) {
  if (typeof value === "string") return !HALF_OF_PAIR.test(value);
  if (typeof value === "number") return Number.isSafeInteger(value);
  if (value === null || typeof value !== "object") return true;
  if (Array.isArray(value)) return value.every(hasCanonicalForm);
  return Object.keys(value).every((name) => !ANY_SURROGATE.test(name) && hasCanonicalForm(value[name]));
}

export function isSameJson(left, right) {
  return canonicalJson(left ?? null) === canonicalJson(right ?? null);
}
