// The table: status, display, pile, the players' rows.

import { cardElement, cardName, emptySlot, reibachTrack, rowChips, rowElement, SCORINGS } from "../core/cards.js";
import { board } from "./board.js";
import { timeNow } from "../core/connection.js";
import { byId, fillWith, h } from "../core/dom.js";
import { askFor, focusNext } from "./dock.js";
import { markClass } from "../news/recap.js";
import { isOwnTurn, statusParts, statusText } from "./status.js";
import { mayMove } from "./steady.js";
import { absoluteTime, duration, relativeTime } from "../core/times.js";
import { addStep } from "./actions.js";
import { canAfford, costOf, MOST_ROWS, project, projectTurn, targetsFor } from "./turn.js";
import { count, fill, listOf, money, seatNames, words } from "../core/words.js";

/** The most rows that a seat can begin in one turn: each costs an action point. */
const ROWS_A_TURN = 3;

/** Show the view, and what can be touched. */
export function showTable() {
  const { view } = board;
  if (!view) return;
  const names = seatNames(view.seats);
  showStatus(view, names);
  byId("table").hidden = false;
  Object.assign(byId("table").dataset, { version: view.version, status: view.status });
  byId("track").className = markClass("track");
  fillWith(byId("track"), reibachTrack(view.reibach), h("p", { class: "track-hint" }, fill(words.table.scorings, { marks: listOf(SCORINGS.map(String)) })));
  fillWith(byId("display"), displayCards(view), pile(view));
  showRefusal(byId("display-problem"), "take", "draw");
  showOwn(view);
  const own = view.you?.seat ?? null;
  fillWith(byId("rivals-heading"), own === null ? words.table.players : words.table.rivals);
  const first = own === null ? 0 : own + 1;
  const order = view.seats.map((_, index) => view.seats[(first + index) % view.seats.length]);
  fillWith(byId("rivals"), order.filter((seat) => seat.seat !== own).map((seat) => rivalElement(seat, names, view)));
}

/** Whose turn it is, and until when. */
function showStatus(view, names) {
  const text = statusText(view, names);
  document.title = `${text} \u2013 ${view.name ?? "Reibach & Co."}`;
  byId("status").classList.toggle("status-own", isOwnTurn(view));
  fillWith(byId("status-room"), possibleTexts(view, names).map((other) => h("span", { dataset: { text: other } })));
  if (byId("status-text").textContent !== text) fillWith(byId("status-text"), statusParts(view, names));
  byId("status-text").title = text;
  showClock();
}

/** What the status will say in this game, of one player: it has room for all of that. */
function possibleTexts(view, names) {
  const { your_turn: own, scoring, won, their_turn: theirs } = words.table;
  return [own, scoring, ...names.flatMap((name) => [fill(theirs, { name }), count(won, 1, { names: name })]), statusText(view, names)];
}

/** The clock of the turn; it is shown again from time to time. */
export function showClock() {
  const { view } = board;
  if (!view) return;
  const deadline = view.turn?.deadline;
  const parts = [
    !board.isConnected && h("span", { class: "lost" }, words.table.connection_lost),
    board.isConnected && view.paused_since && words.table.paused,
    board.isConnected && deadline && h("time", { datetime: deadline, title: absoluteTime(deadline) }, timeLeft(view)),
    view.name && h("bdi", { title: view.name }, view.name),
  ].filter(Boolean);
  byId("status-clock").classList.toggle("has-reserve", Boolean(view.pace?.bank_seconds)); // nothing moves when it shrinks
  fillWith(byId("status-clock"), h("span", {}, parts.map((part, index) => [index > 0 && " \u00b7 ", part])));
}

/** What the turn has left until its deadline, and how much of it is the seat's reserve. */
function timeLeft({ turn, seats }) {
  const seconds = (Date.parse(turn.deadline) - timeNow()) / 1000;
  if (seconds < 0) return words.table.late;
  const left = fill(words.table.time_left, { time: duration(seconds) });
  if (!turn.bank_from) return left;
  const isInBank = timeNow() >= Date.parse(turn.bank_from);
  const reserve = isInBank ? words.table.in_reserve : fill(words.table.of_reserve, { time: duration(seats[turn.seat].bank_seconds) });
  return `${left}, ${reserve}`;
}

function displayCards(view) {
  return view.display.map((card, slot) => h("li", { class: "slot" }, slotCard(view, card, slot), costMark(view, card && { type: "take", slot })));
}

function slotCard(view, card, slot) {
  const extra = markClass(`slot:${slot}`);
  if (!card) return emptySlot();
  const action = { type: "take", slot };
  return withMark(cardElement(card, { ...touchable(view, action, cardName(card)), extra: `${extra}${stateClass(action)}` }));
}

function pile(view) {
  const action = { type: "draw" };
  const label = count(words.table.pile, view.draw_pile ?? 0);
  const options = touchable(view, action, label);
  const face = h("span", { class: "pile-count" }, view.draw_pile);
  const properties = { class: `card card-back${stateClass(action)}`, "aria-label": options.label ?? label, title: label, dataset: { focus: "draw" } };
  const card = options.onclick
    ? h("button", { ...properties, type: "button", onclick: options.onclick, "aria-describedby": options.describedBy }, face)
    : h("span", { ...properties, role: "img" }, face);
  return h("li", { class: "slot slot-pile" }, card, costMark(view, action));
}

/** The options of an element that can be taken or drawn now; without a listener where it can't. */
function touchable(view, action, name) {
  const focus = action.type === "draw" ? "draw" : `slot:${action.slot}`;
  const cost = count(words.table.cost, costOf(view, action));
  const label = `${name}, ${cost}`;
  const isRefused = isSame(board.refusal?.action, action);
  const describedBy = isRefused ? "display-problem" : undefined;
  if (!isOwnTurn(view) || board.turn.sending || !canAfford(view, board.legal, board.turn.steps, action)) return { label, focus, describedBy };
  // The second click of a double one would take the card that has come into the place of the first.
  return { label, focus, describedBy, onclick: (event) => event.detail > 1 || askFor(action) };
}

function stateClass(action) {
  const isAsked = isSame(board.asked, action) || (board.turn.sending?.actions ?? []).some((other) => isSame(other, action));
  return `${isAsked ? " asked" : ""}${isSame(board.refusal?.action, action) ? " refused" : ""}`;
}

/** Say of a card or a row that has changed that it is new, in sight and to screen readers. */
function withMark(element) {
  if (!element.classList.contains("changed")) return element;
  element.append(h("span", { class: "new-mark", "aria-hidden": "true" }, words.table.changed));
  element.setAttribute("aria-label", `${element.getAttribute("aria-label")}, ${words.table.changed}`);
  return element;
}

/** The rows of a seat as items of a list; those that have changed are marked. `options(row)`: those of `rowElement`. */
function markedRows(rows, options) {
  return rows.map((row) => h("li", {}, withMark(rowElement(row, options(row)))));
}

/** How many places for rows each other seat's list has: by seat. */
const reserved = new Map();

/** The rows of another seat, with places for those that it may lay next: no other row moves when they come. */
function placedRows(seat) {
  const room = Math.min(MOST_ROWS, seat.rows.length + ROWS_A_TURN);
  if (mayMove() || !reserved.has(seat.seat)) reserved.set(seat.seat, Math.max(room, reserved.get(seat.seat) ?? 0));
  const free = Math.max(0, reserved.get(seat.seat) - seat.rows.length);
  const places = Array.from({ length: free }, (_, index) => h("li", { class: "empty" }, !seat.rows.length && !index && words.table.no_rows));
  return h("ul", { class: "player-rows" }, markedRows(seat.rows, (row) => ({ extra: markClass(`row:${seat.seat}:${row.row}`) })), places);
}

function isSame(one, other) {
  return Boolean(one) && one.type === other.type && one.slot === other.slot;
}

/** What an action costs, below its card; its line stays where there is none, so that nothing moves when a game ends. */
function costMark(view, action) {
  const isPossible = action && view.you && view.status !== "over";
  return h("span", { class: "cost", "aria-hidden": "true" }, isPossible ? count(words.table.costs, costOf(view, action)) : "\u00a0");
}

/** The service's words, where the refused action's card lies. */
function showRefusal(place, ...types) {
  const { refusal } = board;
  const isHere = refusal !== null && types.includes(refusal.action.type);
  place.hidden = !isHere;
  fillWith(place, isHere ? refusal.detail : null);
}

function showOwn(view) {
  const own = view.you ? view.seats[view.you.seat] : null;
  byId("own").hidden = own === null;
  if (!own) return;
  fillWith(byId("own-total"), h("span", {}, money(own.total)), seatFacts(own).map((fact) => h("span", { class: "own-fact" }, `\u00b7 ${fact}`)));
  const { rows } = projectTurn(view, board.turn);
  const { selected } = board;
  const targets = selected ? targetsFor(view, board.legal, board.turn.steps, selected.card) : { rows: [], isNewRow: false };
  const items = markedRows(rows, (row) => rowOptions(own, row, targets));
  const list = items.length ? h("ul", { class: "rows", role: "list" }, items) : h("p", { class: "empty" }, words.table.no_rows);
  fillWith(byId("own-rows"), list, targets.isNewRow && newRowButton(selected.card));
}

function rowOptions(own, row, targets) {
  const extra = markClass(`row:${own.seat}:${row.row}`);
  const focus = `row:${row.row}`;
  if (!targets.rows.includes(row.row)) return { extra, focus };
  const { card } = board.selected;
  const label = fill(words.turn.step_append, { card: cardName(card), number: row.row + 1 });
  return { focus, extra: `${extra} target`, label, onclick: () => compose({ type: "append", card, row: row.row }) };
}

function newRowButton(card) {
  const label = fill(words.turn.step_lay, { card: cardName(card) });
  const lay = () => compose({ type: "lay_businessmaker", card });
  return h("button", { class: "row row-new target", type: "button", onclick: lay, "aria-label": label, dataset: { focus: "row:new" } }, `+ ${words.table.new_row}`);
}

function compose(step) {
  const { view, turn } = board;
  const row = step.row ?? project(view, turn.steps).rows.length;
  const type = step.type === "append" ? "CardAppended" : "BusinessmakerLaid";
  board.news = [{ type, data: { seat: view.you.seat, row, card: step.card } }]; // as it will be told once it is sent
  addStep(step);
  focusNext();
}

/** What else there is to say of a seat: who is away, and what time is left. */
function seatFacts(seat) {
  const facts = [];
  if (seat.away) facts.push(seat.away === "resigned" ? words.table.resigned : words.table.abandoned);
  const stop = (seat.vacations ?? []).find(({ from, until }) => Date.parse(from) <= timeNow() && timeNow() < Date.parse(until));
  if (board.view.status === "over") return facts; // no clock runs any more
  if (stop) facts.push(fill(words.table.on_vacation, { time: relativeTime(stop.until) }));
  if (seat.timeouts) facts.push(count(words.table.late_turns, seat.timeouts));
  if (seat.bank_seconds !== undefined) facts.push(fill(words.table.bank, { time: duration(seat.bank_seconds) }));
  return facts;
}

function rivalElement(seat, names, view) {
  const facts = [money(seat.total), count(words.table.hand_size, seat.hand_size)];
  const isOnTurn = view.turn?.seat === seat.seat && view.status === "playing";
  const isWide = matchMedia("(min-width: 700px)").matches;
  const isOpen = isWide || document.querySelector(`.rival[data-seat="${seat.seat}"]`)?.open;
  const element = h(
    "details",
    { class: `rival${isOnTurn ? " rival-turn" : ""}`, name: isWide ? null : "rivals", open: isOpen, dataset: { seat: seat.seat, steady: `rival:${seat.seat}` } },
    h(
      "summary",
      { dataset: { focus: `rival:${seat.seat}` } },
      h("span", { class: "rival-name" }, h("bdi", {}, names[seat.seat])),
      h("span", { class: "rival-facts" }, [...facts, ...seatFacts(seat)].map((fact, index) => [h("span", {}, index > 0 && "\u00b7 ", fact), " "])),
      rowChips(seat.rows, (row) => markClass(`row:${seat.seat}:${row.row}`)),
    ),
    placedRows(seat),
  );
  return element;
}
