// Words under a salt: the chain takes a digest of what a person wrote, so that it stays when an operator erases them.

import { fromHex, hmacUnder, isHash, joinBytes, toHex } from "./webcrypto.js";

const ERASABLE = { PlayerJoined: "name", SeatReplaced: "name", MessagePosted: "text" };
const SALT_FORM = /^[0-9a-f]{32}$/;
const isErasable = (type) => Object.hasOwn(ERASABLE, type);

export const isErased = ({ type, data }) => isErasable(type) && data.erased === true && data[ERASABLE[type]] === null;

/** What is not lawful about an event's salt, digest or `erased`: {code, expected}; null where all is. */
export function wordsFault({ type, data }) {
  const fault = (expected, code = "value") => ({ code, expected });
  if (!isErasable(type)) return "erased" in data ? fault(type) : null;
  const member = ERASABLE[type];
  if ("erased" in data) {
    if (!isErased({ type, data }) || "salt" in data) return fault(`{"${member}":null,"erased":true}`);
    if (!("digest" in data)) return fault("digest", "unproved");
    return isHash(data.digest) ? null : fault("digest: [0-9a-f]{64}");
  }
  if ("digest" in data) return fault(`${member}, salt`);
  const isSalt = typeof data.salt === "string" && SALT_FORM.test(data.salt);
  return !("salt" in data) || (isSalt && typeof data[member] === "string") ? null : fault(`${member}, salt: [0-9a-f]{32}`);
}

/** The data as the chain takes it; of an event from before salts, as it stands. */
export async function hashedData({ type, data }) {
  if (!isErasable(type) || !("salt" in data || "digest" in data)) return data;
  const { [ERASABLE[type]]: words, salt, erased: _, ...rest } = data;
  if (salt === undefined) return rest;
  const hmac = await hmacUnder(fromHex(salt));
  return { ...rest, digest: toHex(await hmac(joinBytes(words))) };
}

/** The event as the rules take it: where it was erased, with another text, of a bot its own name; its digest as salt. */
export function readErased(event) {
  if (!isErased(event)) return event;
  const { erased: _, digest, ...data } = event.data;
  const salt = digest === undefined ? {} : { salt: digest };
  return { ...event, data: { ...data, ...salt, [ERASABLE[event.type]]: data.bot ?? "?" } };
}
