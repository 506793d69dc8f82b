// The hash chain over a game's events. It is keyed, so that a hash says nothing about a hidden card.

import { canonicalJson } from "./canonical.js";
import { hashedData, wordsFault } from "./erasure.js";
import { fromHex, hmacUnder, joinBytes, toHex } from "./webcrypto.js";

export async function chainKey(seed) {
  const hmac = await hmacUnder(fromHex(seed));
  return hmac(joinBytes("reibach/chain"));
}

export async function hashedPart(event) {
  const { at, type, version } = event;
  return canonicalJson({ at, data: await hashedData(event), type, version });
}

/** hash(0), hash(1), …, hash(n) of a log of n events, in hex; up to the first whose words have no lawful form. */
export async function chainHashes(seed, game, events) {
  const hmac = await hmacUnder(await chainKey(seed));
  let previous = await hmac(joinBytes(game));
  const hashes = [toHex(previous)];
  for (const event of events) {
    if (wordsFault(event)) break;
    previous = await hmac(joinBytes(previous, await hashedPart(event)));
    hashes.push(toHex(previous));
  }
  return hashes;
}
