// The seats that this browser plays, and receipts of what it did there. Tokens are in its storage, and nowhere else: no
// cookie, no address.

const SEATS = "reibach.seats";
const NAME = "reibach.name";
const RECEIPTS = "reibach.receipts";
/** Of each game; and games, of which those are forgotten that were played longest ago. */
const MOST_RECEIPTS = 5;
const MOST_GAMES = 50;
/** Characters of a name, as the service takes it. */
export const LONGEST_NAME = 40;

function readStored(key, otherwise) {
  if (key in kept) return kept[key];
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    delete kept[key];
  } catch {
    // Full or forbidden: the page works until it is closed.
    kept[key] = value;
  }
}

/** What could not be stored. */
const kept = {};

/** All seats: `{game: {seat, token, name, at}}`. */
export function allSeats() {
  return readStored(SEATS, {});
}

/** This browser's seat in a game, or null. */
export function seatIn(game) {
  return allSeats()[game] ?? null;
}

/**
 * Keep a seat, as the one that this browser plays in the game; other seats that it had there are kept beside it in
 * `others`, so that opening a friend's link loses no token. `at`: when, in milliseconds since 1970.
 */
export function keepSeat(game, { seat = null, token, name = null }) {
  const before = allSeats()[game];
  const known = [before, ...(before?.others ?? [])].filter(Boolean);
  const same = known.find((one) => one.token === token);
  const others = known.filter((one) => one.token !== token).map(({ others: _, ...one }) => one);
  const entry = { seat: seat ?? same?.seat ?? null, token, name: name ?? same?.name ?? null, at: Date.now() };
  store(SEATS, { ...allSeats(), [game]: others.length ? { ...entry, others } : entry });
}

/** Forget the seats of a game: their tokens are gone from this browser. */
export function forgetSeat(game) {
  const { [game]: _, ...others } = allSeats();
  store(SEATS, others);
}

/** Forget the seat that this browser plays in the game; the one that was kept beside it last takes its place. */
export function forgetToken(game) {
  const [next, ...others] = allSeats()[game]?.others ?? [];
  if (next) store(SEATS, { ...allSeats(), [game]: others.length ? { ...next, others } : next });
  else forgetSeat(game);
}

/** The name under which the player has sat down last. */
export function lastName() {
  return readStored(NAME, "");
}

/** Keep it for the next form. */
export function keepName(name) {
  store(NAME, name);
}

/** The signed receipts that this browser was given in a game, by rising version; at most `MOST_RECEIPTS`. */
export function keptReceipts(game) {
  return readStored(RECEIPTS, {})[game] ?? [];
}

/** Keep a signed receipt: an answer to an own request. */
export function keepReceipt(game, { version, hash, key, signature }) {
  const { [game]: before = [], ...others } = readStored(RECEIPTS, {});
  if (before.some((one) => one.version === version && one.hash === hash)) return;
  const all = [...before, { version, hash, key, signature }].sort((one, other) => one.version - other.version);
  const games = [...Object.entries(others), [game, spread(all)]]; // a game played now is the last one
  store(RECEIPTS, Object.fromEntries(games.slice(-MOST_GAMES)));
}

/** All but the one whose neighbours are closest, where there are too many: those left show a change of any part. */
function spread(receipts) {
  if (receipts.length <= MOST_RECEIPTS) return receipts;
  const gaps = receipts.slice(2).map((next, index) => next.version - receipts[index].version);
  const dropped = 1 + gaps.indexOf(Math.min(...gaps));
  return receipts.filter((_, index) => index !== dropped);
}

/** The link that opens a game for a seat. What stands behind # is never sent to a server. */
export function seatLink(game, token) {
  return `${location.origin}/g/${encodeURIComponent(game)}#token=${encodeURIComponent(token)}`;
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
 * What the address holds behind its #, which is cleaned: `{token, action, putBack}`, or null where it is no seat's link.
 * `token`: to be kept once the service has taken it; null where the link is damaged. `action`: what a mail's link has
 * prepared, or null. `putBack()`: lets a reload try the link again.
 */
export function takeSeatLink() {
  const { hash } = location;
  const address = location.pathname + location.search;
  const members = new URLSearchParams(hash.slice(1));
  if (!members.has("token")) return null;
  history.replaceState(history.state, "", address);
  const link = { token: findToken(members.get("token")), action: null, putBack: () => history.replaceState(history.state, "", address + hash) };
  if (!members.has("type")) return link;
  link.action = {};
  for (const name of ["type", "card", "slot", "row"]) {
    if (members.has(name)) link.action[name] = /^(slot|row)$/.test(name) ? Number(members.get(name)) : members.get(name);
  }
  return link;
}
