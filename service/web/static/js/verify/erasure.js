// Erased text: an operator has taken a person's words out of a log. The event keeps its hash, which is taken as stated.

import { isHash } from "./webcrypto.js";

const ERASABLE = { PlayerJoined: "name", SeatReplaced: "name", MessagePosted: "text" };

export function isErased({ type, data, hash }) {
  return type in ERASABLE && data.erased === true && data[ERASABLE[type]] === null && isHash(hash);
}

/** The event as the rules take it: with another text, of a bot its own name, where it was erased. */
export function readErased(event) {
  if (!isErased(event)) return event;
  const { erased: _, ...data } = event.data;
  return { ...event, data: { ...data, [ERASABLE[event.type]]: data.bot ?? "?" } };
}
