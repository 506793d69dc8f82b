// The hash chain over a game's events. It is keyed, so that a hash says nothing about a hidden card.

import { canonicalJson } from "./canonical.js";
import { isErased } from "./erasure.js";
import { fromHex, hmacUnder, joinBytes, toHex } from "./webcrypto.js";

export async function chainKey(seed) {
  const hmac = await hmacUnder(fromHex(seed));
  return hmac(joinBytes("reibach/chain"));
}

export function hashedPart({ at, data, type, version }) {
  return canonicalJson({ at, data, type, version });
}

/** hash(0), hash(1), …, hash(n) of a log of n events, in hex. */
export async function chainHashes(seed, game, events) {
  const hmac = await hmacUnder(await chainKey(seed));
  let previous = await hmac(joinBytes(game));
  const hashes = [toHex(previous)];
  for (const event of events) {
    previous = isErased(event) ? fromHex(event.hash) : await hmac(joinBytes(previous, hashedPart(event)));
    hashes.push(toHex(previous));
  }
  return hashes;
}
