// What has happened since the player's last action, in short lines, and marks at what has changed.

import { EVENTS_OF, LAYING } from "../core/actions.js";
import { gamePath, pages } from "../core/api.js";
import { board } from "../table/board.js";
import { chip } from "../core/cards.js";
import { byId, fillWith, h, nameElement } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { countMessages } from "./messages.js";
import { count, fill, listOf, seatNames, signed, words } from "../core/words.js";

const SEEN = "reibach.seen";
const LONGEST = 60;
const MOST_ITEMS = 1000;
const RECENT = 40;

let items = [];
let recapVersion = 0; // the items have all that has happened up to it

/** Keep what has been shown; nothing while nobody can see the page. */
export function keepSeen() {
  if (document.visibilityState === "visible" && board.view) keepOfGame(SEEN, board.id, board.view.version);
}

/** The recap of a page that is being loaded: by turn, since the seat's last action; for one who watches the last part. */
export function loadRecap(token, version) {
  return loadPages(token, "turn", token ? null : Math.max(0, (version ?? 0) - RECENT));
}

/** What has happened after a version (without one: after those of the list), by action: `{items, version}`. */
export function loadNews(token, since = recapVersion) {
  return loadPages(token, "action", since);
}

/** All pages of a recap, of which the last one has the newest items: `{items, version}`. */
async function loadPages(token, by, since) {
  const found = { items: [], version: 0 };
  const addressOf = (next) => `${gamePath(board.id, "recap")}?by=${by}&limit=${MOST_ITEMS}${next === null ? "" : `&since=${next}`}`;
  for await (const page of pages(addressOf, since, token)) {
    found.items.push(...page.items);
    found.version = page.version;
  }
  return found;
}

export function isBehind() {
  return recapVersion < board.view.version;
}

/** Begin with a recap as it was loaded; what is newer than the last visit is marked. */
export function startRecap(found) {
  const seen = keptOfGame(SEEN, board.id) || Infinity; // what a visit before this one has shown
  items = [];
  recapVersion = 0;
  addToRecap(found);
  markChanges(found.items.flatMap(({ events }) => events).filter(({ version }) => version > seen));
}

/**
 * Add what `loadNews` has found, but nothing twice: requests overtake each other. `own`: the number of the turn in which
 * the player has just acted, or null; once that is over, `isOver`, the list begins anew with it. Answers what is new.
 */
export function addToRecap({ items: found, version }, own = null, isOver = false) {
  const added = (own === null ? found.filter((item) => item.version > recapVersion) : found).slice(-LONGEST);
  const first = added[0]?.version ?? Infinity;
  const kept = items.filter((item) => item.version < first && (!isOver || item.own === own));
  items = [...kept, ...added.map((item) => ({ ...item, own }))].slice(-LONGEST);
  recapVersion = Math.max(recapVersion, version);
  countMessages(found.flatMap((item) => item.events));
  return added;
}

/** Mark what these events have changed; `isOwn`: by the player's own action, after which no older mark stays. */
export function markChanges(events, isOwn = false) {
  board.fresh = new Set(events.map(markOf).filter(Boolean));
  board.marks = new Set([...(isOwn ? [] : board.marks), ...board.fresh].filter((mark) => !mark.startsWith(`row:${board.view?.you?.seat}:`)));
}

function markOf({ type, data }) {
  if (LAYING.includes(type)) return `row:${data.seat}:${data.row}`;
  if (type === "DisplayRefilled" || type === "CardTaken") return `slot:${data.slot}`;
  return type === "ReibachRevealed" ? "track" : null;
}

export function markClass(key) {
  return `${board.marks.has(key) ? " changed" : ""}${board.fresh.has(key) ? " pulse" : ""}`;
}

/** Nothing new to those who see the table, or the end. */
const UNTOLD = ["ScoringStarted", "GameEnded", "GameCreated", "GameStarted", "PositionSet", "TurnStarted", "DisplayRefilled"];

const ACTED = Object.values(EVENTS_OF).flat();

/** The moves of an item; a businessmaker is named as long as it may be seen. */
function movesOf({ events }) {
  const isOpen = ({ type, data: { seat, row } }) => type !== "BusinessmakerLaid" || board.view.seats[seat].rows[row]?.businessmaker;
  return events.filter(({ type }) => type in words.market.done).map((event) => ({ type: event.type, card: isOpen(event) ? event.data.card : null }));
}

/**
 * What is told: a line a turn of another player, a line for each round, who turned up Reibach cards, sentences on all
 * else, and who has written. Of what the player has just done the Reibach cards are told, too.
 * A sentence on what was played for the viewer gives way to a line, too, where it names a card that has been closed.
 */
function linesOf(names) {
  const own = board.view.you?.seat;
  const lines = [];
  const written = {};
  let turning = null; // whose action a refill or draw belongs to that a round interrupts
  for (const item of items.filter(({ version }) => version <= board.view.version)) { // others' actions are shown one by one
    const { seat, events } = item;
    const isOwn = item.own !== null;
    const coins = events.filter(({ type }) => type === "ReibachRevealed").map(({ data }) => data.count);
    const acted = events.find(({ type }) => ACTED.includes(type));
    turning = acted?.data.seat ?? (item.type === "TurnStarted" ? seat : turning ?? board.view.turn?.seat);
    const moves = movesOf(item);
    const round = events.find(({ type }) => type === "RoundScored");
    const isClosed = moves.some(({ type, card }) => type === "BusinessmakerLaid" && !card);
    if (events[0].type === "MessagePosted") written[seat] = (written[seat] ?? 0) + 1;
    else if (moves.length && !isOwn && (seat !== own || isClosed)) {
      const last = lines.findLast((line) => line.moves);
      if (last?.seat === seat) last.moves.push(...moves);
      else lines.push({ seat, moves });
    } else if (round) lines.push({ element: roundLine(round.data, names) });
    else if (!isOwn && !UNTOLD.includes(item.type) && !coins.length) lines.push({ element: h("li", {}, item.text) });
    if (coins.length && lines.at(-1)?.turned === turning) lines.at(-1).coins.push(...coins);
    else if (coins.length) lines.push({ turned: turning, coins });
  }
  delete written[own];
  return [
    ...lines.map((line) => line.element ?? (line.coins ? coinsLine(line, names) : turnLine(line, names))),
    ...Object.entries(written).map(([seat, number]) => messagesLine(names[seat], number)),
  ];
}

function turnLine({ seat, moves }, names) {
  const parts = moves.map(({ type, card }, index) => [
    moves[index - 1]?.type !== type && `${index ? " \u00b7 " : ""}${words.market.done[type]}`,
    " ",
    (card || type === "BusinessmakerLaid") && chip(card),
  ]);
  return h("li", { class: "recap-turn", dataset: { seat } }, nameElement(names[seat]), " ", parts);
}

function coinsLine({ turned, coins }, names) {
  const list = listOf(coins.map(String));
  const told = turned === board.view.you?.seat
    ? count(words.market.own_coins, coins.length, { list })
    : [nameElement(names[turned]), " ", count(words.market.coins, coins.length, { list })];
  return h("li", { class: "recap-coins" }, told);
}

function roundLine({ round, seats }, names) {
  return h("li", { class: "recap-round" }, h("b", {}, fill(words.scoring.title, { round })),
    seats.map(({ seat, income }) => [" ", h("span", { class: "recap-income" }, nameElement(seat === board.view.you?.seat ? words.scoring.you : names[seat]), `\u00a0${signed(income)}`)]));
}

function messagesLine(name, number) {
  const open = () => {
    byId("messages").open = true;
    byId("messages").scrollIntoView({ block: "nearest" });
  };
  return h("li", { class: "recap-messages" },
    h("button", { class: "link", onclick: open, dataset: { focus: `written:${name}` } }, count(words.messages.by, number, { name })));
}

/** Show the lines. All are whole: where there is no room, what is old and no turn goes first, and a turn of each is smaller. */
export function showRecap() {
  const { view } = board;
  if (!view) return;
  const place = byId("recap");
  fillWith(byId("recap-heading"), view.you ? words.table.recap_own : words.table.recap_all);
  place.style.setProperty("--lines", Math.min(4, view.seats.length + 1)); // the others, a payday, and who has written, for whom five leave no room
  const lines = linesOf(seatNames(view.seats));
  const list = h("ul", {}, lines);
  const isFull = () => getComputedStyle(place).overflowY !== "auto" && place.scrollHeight > place.clientHeight + 1;
  if (place.textContent === (lines.length ? list.textContent : words.table.recap_none) && !isFull()) return;
  fillWith(place, lines.length ? list : h("p", { class: "empty" }, words.table.recap_none));
  const drop = (kind, least) => {
    while (isFull() && list.querySelectorAll(kind).length > least) list.querySelector(kind).remove();
  };
  place.classList.remove("recap-tight");
  if (lines.length > 1) drop("li:not(.recap-turn, .recap-messages, .recap-round, .recap-coins)", 0);
  drop(".recap-turn", view.seats.length - 1);
  place.classList.toggle("recap-tight", isFull());
  drop(".recap-round", 0);
  drop(".recap-coins", 0);
  drop(".recap-messages", 0);
  drop("li", 1);
}
