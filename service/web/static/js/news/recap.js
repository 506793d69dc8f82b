// What has happened since the player's last action: sentences of the service, and marks at what has changed.

import { gamePath, get } from "../core/api.js";
import { board } from "../table/board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { markScrollable } from "../core/scrolling.js";
import { countMessages } from "./unread.js";
import { words } from "../core/words.js";

const SEEN = "reibach.seen";
const LONGEST = 60;
const MOST_ITEMS = 1000;
const RECENT = 40;
const SPACE = 16;

let items = [];
let seen = 0;
let recapVersion = 0; // the items have all that has happened up to it

/** The version up to which this browser has shown the game before this visit. */
export function lastSeen(game) {
  return keptOfGame(SEEN, game) ?? 0;
}

/** Keep what has been shown; nothing while nobody can see the page. */
export function keepSeen() {
  if (document.visibilityState === "visible" && board.view) keepOfGame(SEEN, board.id, board.view.version);
}

/** The recap of a page that is being loaded: by turn, since the seat's last action; for one who watches the last part. */
export async function loadRecap(game, token, version) {
  return loadPages(game, token, "turn", token ? null : Math.max(0, (version ?? 0) - RECENT));
}

/** What has happened after a version (without one: after those of the list), by action: `{items, version}`. */
export async function loadNews(game, token, since = recapVersion) {
  return loadPages(game, token, "action", since);
}

/** All pages of a recap, of which the last one has the newest items: `{items, version}`. */
async function loadPages(game, token, by, since) {
  const found = [];
  for (let next = since; ; ) {
    const after = next === null ? "" : `&since=${next}`;
    const page = await get(`${gamePath(game, "recap")}?by=${by}&limit=${MOST_ITEMS}${after}`, token);
    found.push(...page.items);
    if (page.next === null) return { items: found, version: page.version };
    ({ next } = page);
  }
}

/** Whether something has happened that the list doesn't have yet. */
export function isBehind() {
  return recapVersion < board.view.version;
}

/** Begin with a recap as it was loaded; what is newer than the last visit is marked. */
export function startRecap(found) {
  seen = lastSeen(board.id) || Infinity;
  replaceRecap(found);
  const events = found.items.flatMap((item) => item.events);
  countMessages(events);
  markChanges(events.filter((event) => event.version > seen));
}

/**
 * Add what `loadNews` has found, but nothing twice: requests overtake each other. `isOwn`: the player has just acted,
 * so the list begins anew. Answers the items that are new.
 */
export function addToRecap({ items: found, version }, isOwn) {
  const added = (isOwn ? found : found.filter((item) => item.version > recapVersion)).slice(-LONGEST);
  items = [...(isOwn ? [] : items), ...added.filter(isWorthTelling)].slice(-LONGEST);
  recapVersion = Math.max(recapVersion, version);
  countMessages(found.flatMap((item) => item.events));
  return added;
}

/** Whether the list names a businessmaker that was open when it was laid, and lies face down now. */
export function isOutdated() {
  const isHidden = ({ seat, row }) => !board.view.seats[seat].rows[row]?.businessmaker;
  return items.some(({ events }) => events.some(({ type, data }) => type === "BusinessmakerLaid" && data.card && isHidden(data)));
}

/** Tell the items of a recap in place of the list. */
export function replaceRecap({ items: found, version }) {
  recapVersion = version;
  items = found.filter(isWorthTelling).slice(-LONGEST);
}

/** Whether the list tells an item: the line above it says whose turn it is. */
function isWorthTelling({ events }) {
  return events.length > 1 || events[0].type !== "TurnStarted";
}

/** Mark what these events have changed; `isOwn`: by the player's own action, after which no older mark stays. */
export function markChanges(events, isOwn = false) {
  board.fresh = new Set(events.map(markOf).filter(Boolean));
  board.marks = new Set([...(isOwn ? [] : board.marks), ...board.fresh]);
}

function markOf({ type, data }) {
  if (type === "CardAppended" || type === "BusinessmakerLaid") return `row:${data.seat}:${data.row}`;
  if (type === "DisplayRefilled" || type === "CardTaken") return `slot:${data.slot}`;
  return type === "ReibachRevealed" ? "track" : null;
}

/** The classes of something that has changed. */
export function markClass(key) {
  return `${board.marks.has(key) ? " changed" : ""}${board.fresh.has(key) ? " pulse" : ""}`;
}

/** Whether an item is a message, of which the list shows the first lines: all of it stands with the messages. */
function isMessage({ events }) {
  return events.some(({ type }) => type === "MessagePosted");
}

/** Show the sentences; the newest is at the end, and in sight. */
export function showRecap() {
  if (!board.view) return;
  const place = byId("recap");
  fillWith(byId("recap-heading"), board.view.you ? words.table.recap_own : words.table.recap_all);
  const lines = items.map((item) => h("li", { class: item.version > seen && seen !== Infinity ? "recap-new" : "" }, isMessage(item) ? h("span", { class: "recap-message", title: item.text }, item.text) : item.text));
  const before = place.firstElementChild?.children.length;
  if (before === lines.length && place.textContent === items.map((item) => item.text).join("")) return;
  fillWith(place, lines.length ? h("ul", {}, lines) : h("p", { class: "empty" }, words.table.recap_none));
  place.scrollTop = place.scrollHeight;
  const last = place.querySelector("li:last-child"); // one that is higher than the place is read from its beginning
  if (last) place.scrollTop -= Math.max(0, last.offsetHeight - place.clientHeight + SPACE);
  markScrollable(place);
  showCut();
}

/** Let the list fade where it goes on above. */
export function showCut() {
  byId("recap").classList.toggle("cut", byId("recap").scrollTop > 2);
}
