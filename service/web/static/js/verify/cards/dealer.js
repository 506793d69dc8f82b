// The shuffle: which cards follow from the server's seed and the players' entropy.

import { canonicalJson } from "../canonical.js";
import { DISPLAY_SIZE, REIBACH_COUNT, newDeck, reibachCards } from "./deck.js";
import { fromHex, hmacUnder, joinBytes, sha256, toHex } from "../webcrypto.js";

/** The commitment to a seed (64 hex digits each). */
export async function commitmentTo(seed) {
  return toHex(await sha256(joinBytes("reibach/commitment", fromHex(seed))));
}

/** The key of the random stream: 32 bytes. `entropies`: the texts of all seats, in seat order. */
export async function shuffleKey(seed, entropies) {
  const hmac = await hmacUnder(fromHex(seed));
  return hmac(joinBytes("reibach/shuffle", canonicalJson(entropies)));
}

/** The random stream of a key (bytes): a function that gives the next whole number of 4 bytes. */
export async function randomIntegers(key) {
  const hmac = await hmacUnder(key);
  const counter = new DataView(new ArrayBuffer(8));
  let block;
  let place = 32;
  return async () => {
    if (place === 32) {
      block = new DataView((await hmac(counter)).buffer);
      counter.setUint32(4, counter.getUint32(4) + 1);
      place = 0;
    }
    place += 4;
    return block.getUint32(place - 4);
  };
}

/** A uniform number from 0 to n - 1: integers that would favour small remainders are skipped. */
async function randomBelow(next, n) {
  const limit = 2 ** 32 - (2 ** 32 % n);
  let x = await next();
  while (x >= limit) x = await next();
  return x % n;
}

async function shuffleInPlace(cards, next) {
  for (let i = cards.length - 1; i > 0; i -= 1) {
    const j = await randomBelow(next, i + 1);
    [cards[i], cards[j]] = [cards[j], cards[i]];
  }
}

/** The deal for as many seats as there are entropies: {hands, display, draw_pile}, the pile's top card first. */
export async function dealCards(seed, entropies, handSize) {
  const next = await randomIntegers(await shuffleKey(seed, entropies));
  const cards = newDeck();
  await shuffleInPlace(cards, next);
  const hands = entropies.map(() => cards.splice(0, handSize));
  const display = cards.splice(0, DISPLAY_SIZE);
  const pile = [...cards, ...reibachCards(REIBACH_COUNT)];
  await shuffleInPlace(pile, next);
  return { hands, display, draw_pile: pile };
}

/**
 * A fork's position as it follows from what its seat saw: {hands, rows, draw_pile}.
 * What was not seen is the shuffled rest of the deck: it fills the other hands by seat, then the businessmakers by
 * seat and row; what is left is shuffled with the Reibach cards that were not revealed. Throws RangeError where more
 * cards were seen than the deck has.
 */
export async function dealPosition(seed, entropies, position) {
  const next = await randomIntegers(await shuffleKey(seed, entropies));
  const rest = newDeck();
  for (const card of seenCards(position)) {
    const place = rest.indexOf(card);
    if (place < 0) throw new RangeError(`${card} was seen too often`);
    rest.splice(place, 1);
  }
  await shuffleInPlace(rest, next);
  const hands = position.hands.map((hand, seat) =>
    seat === position.seat ? hand : rest.splice(0, position.hand_sizes[seat]));
  const rows = position.rows.map((laid) =>
    laid.map((row) => (row.shown ? row : { ...row, businessmaker: rest.shift() ?? "" })));
  const pile = [...rest, ...reibachCards(REIBACH_COUNT - position.revealed)];
  await shuffleInPlace(pile, next);
  return { hands, rows, draw_pile: pile };
}

function seenCards(position) {
  const rows = position.rows.flat();
  const shown = rows.filter((row) => row.shown).map((row) => row.businessmaker);
  return [...position.hands[position.seat], ...position.display, ...rows.flatMap((row) => row.cards), ...shown];
}
