// The seats that this browser plays, and receipts of what it did there. Tokens are in its storage; where it is forbidden
// the one of the open table is after the # of the address. No cookie holds one.

import { isStored, keepOfGame, keptGames, keptOfGame, readStored, store } from "./storage.js";

const SEATS = "reibach.seats";
const NAME = "reibach.name";
const RECEIPTS = "reibach.receipts";
/** Of each game. */
const MOST_RECEIPTS = 5;
export const LONGEST_NAME = 40;

/** `{game: {seat, token, name, at, push}}`. `push`: the address at which it is told on this device, if it is. */
export function allSeats() {
  return keptGames(SEATS);
}

export function seatIn(game) {
  return keptOfGame(SEATS, game);
}

/**
 * Keep a seat, as the one that this browser plays in the game; other seats that it had there are kept beside it in
 * `others`, so that opening a friend's link loses no token. `at`: when, in milliseconds since 1970.
 */
export function keepSeat(game, { seat = null, token, name = null }) {
  const known = seatsIn(game);
  const same = known.find((one) => one.token === token);
  const entry = { ...same, seat: seat ?? same?.seat ?? null, token, name: name ?? same?.name ?? null, at: Date.now() };
  keepAll(game, entry, known.filter((one) => one.token !== token && (one.seat ?? -1) !== entry.seat));
  if (!isStored(SEATS) && decodeURIComponent(location.pathname.split("/")[2] ?? "") === game) {
    history.replaceState(history.state, "", location.pathname + location.search + fragmentOf(token));
  }
}

function keepAll(game, seat, others) {
  keepOfGame(SEATS, game, others.length ? { ...seat, others } : seat, Infinity);
}

function seatsIn(game) {
  const { others = [], ...seat } = seatIn(game) ?? {};
  return seat.token ? [seat, ...others] : [];
}

export function chooseSeat(game, number) {
  const found = seatsIn(game).find(({ seat }) => seat === number);
  if (found) keepSeat(game, found);
  return found !== undefined;
}

/** Note at which address this device is told of the game's seat; undefined: at none. */
export function notePush(game, push) {
  const seat = seatIn(game);
  if (seat) keepOfGame(SEATS, game, { ...seat, push }, Infinity);
}

export function keepsSeats() {
  return isStored(SEATS);
}

export function forgetSeat(game) {
  keepOfGame(SEATS, game, null, Infinity);
}

/** Forget the seat that is played; the one that was kept beside it last takes its place. */
export function forgetToken(game) {
  const [, next = null, ...others] = seatsIn(game);
  keepAll(game, next, others);
}

export function lastName() {
  return readStored(NAME, "");
}

export function keepName(name) {
  store(NAME, name);
}

/** The signed receipts that this browser was given in a game, by rising version; at most `MOST_RECEIPTS`. */
export function keptReceipts(game) {
  return keptOfGame(RECEIPTS, game) ?? [];
}

export function keepReceipt(game, { version, hash, key, signature }) {
  const before = keptReceipts(game);
  if (before.some((one) => one.version === version && one.hash === hash)) return;
  const all = [...before, { version, hash, key, signature }].sort((one, other) => one.version - other.version);
  keepOfGame(RECEIPTS, game, spread(all));
}

/** All but the one whose neighbours are closest, where there are too many: those left show a change of any part. */
function spread(receipts) {
  if (receipts.length <= MOST_RECEIPTS) return receipts;
  const gaps = receipts.slice(2).map((next, index) => next.version - receipts[index].version);
  const dropped = 1 + gaps.indexOf(Math.min(...gaps));
  return receipts.filter((_, index) => index !== dropped);
}

/** The link that opens a game for a seat. What is after # is never sent to a server. */
export function seatLink(game, token) {
  return `${location.origin}/g/${encodeURIComponent(game)}${fragmentOf(token)}`;
}

function fragmentOf(token) {
  return `#token=${encodeURIComponent(token)}`;
}

/** What the address of a game's table needs after it, where this browser can't keep the seat that it plays there. */
export function seatFragment(game) {
  const seat = keepsSeats() ? null : seatIn(game);
  return seat ? fragmentOf(seat.token) : "";
}

/** What a token looks like: data, a point, and a signature of 27 characters. */
const TOKEN = /\.?[\w-]+\.[\w-]{27}/;
const LONGEST_TOKEN = 300;
const LONGEST_TEXT = 2000;

/** The token in what a player has opened or pasted, without what a mail has added to it; null where none is whole. */
export function findToken(text) {
  const token = text.slice(0, LONGEST_TEXT).match(TOKEN)?.[0] ?? null;
  return token !== null && token.length <= LONGEST_TOKEN ? token : null;
}

/**
 * What the address holds after its #, which is cleaned: `{token, seat, action, putBack}`, or null where it is no seat's
 * link. `token`: to be kept once the service has taken it; null where the link is damaged, undefined where it has none.
 * `seat`: its number, or null. `action`: what a mail's link has prepared, or null. `putBack()`: lets a reload try it again.
 */
export function takeSeatLink() {
  const { hash } = location;
  const address = location.pathname + location.search;
  const members = new URLSearchParams(hash.slice(1));
  const hasToken = members.has("token");
  if (!hasToken && !members.has("seat")) return null;
  history.replaceState(history.state, "", address);
  return {
    token: hasToken ? findToken(members.get("token")) : undefined,
    seat: members.has("seat") ? Number(members.get("seat")) : null,
    action: members.has("type") ? preparedAction(members) : null,
    putBack: () => history.replaceState(history.state, "", address + hash),
  };
}

function preparedAction(members) {
  const prepared = ["type", "card", "slot", "row"].filter((name) => members.has(name));
  return Object.fromEntries(prepared.map((name) => [name, /^(slot|row)$/.test(name) ? Number(members.get(name)) : members.get(name)]));
}
