// The table: status, track, display, and the market with what touching one's own cells lays.

import { cardName, reibachTrack } from "../core/cards.js";
import { board, canAct, showBoard } from "./board.js";
import { timeNow } from "../core/connection.js";
import { byId, fillWith, h, keyed, nameElement } from "../core/dom.js";
import { showDisplay } from "./display.js";
import { compose } from "./dock.js";
import { isSpecial, REIBACH_COUNT } from "../verify/cards/deck.js";
import { makeMarket } from "../market/grid.js";
import { orderOf, shownTouches, touchesOf } from "../market/touches.js";
import { openPlaces, scoresNow } from "../market/worth.js";
import { settings } from "../menu/settings.js";
import { markClass } from "../news/recap.js";
import { isOwnTurn, statusParts, statusText, timeLeft } from "./status.js";
import { absoluteTime, duration, relativeTime } from "../core/times.js";
import { project, projectTurn, targetsFor } from "./turn.js";
import { count, fill, isolated, seatNames, signed, words } from "../core/words.js";

const showTrack = keyed(byId("track"), trackParts);

export function showTable() {
  const { view } = board;
  if (!view) return;
  const names = seatNames(view.seats);
  showStatus(view, names);
  byId("table").hidden = false;
  Object.assign(byId("table").dataset, { version: view.version, status: view.status });
  byId("game").dataset.seats = view.seats.length;
  byId("game").style.setProperty("--seats", view.seats.length);
  byId("track").dataset.revealed = view.reibach.revealed;
  byId("track").className = markClass("track");
  const places = placesOf(view);
  const scores = scoresNow(view, places);
  const gains = view.status === "playing" && view.reibach.next_scoring_at ? scores.map(({ income }, seat) => ({ seat, income, name: names[seat] })) : [];
  showTrack({ reibach: view.reibach, gains, own: view.you?.seat, pile: view.draw_pile });
  showDisplay(view, places, names);
  showMarket(view, places, names, scores);
}

/** The coins, and how many are missing until the next payday; what that would bring each player as it is now, the best first. */
function trackParts({ reibach, gains, own, pile }) {
  const sorted = gains.toSorted((one, other) => other.income - one.income);
  const left = REIBACH_COUNT - reibach.revealed;
  const [coins, hint] = reibachTrack(reibach);
  if (gains[own]) hint.append(h("span", { class: "track-own" }, ` \u00b7\u00a0${fill(words.market.own_gain, { amount: signed(gains[own].income) })}`));
  return [
    coins,
    hint,
    gains.length > 0 && h("ul", { class: "track-gains", title: words.market.gain }, sorted.map(({ seat, income, name }) =>
      h("li", { class: seat === own ? "own" : "" }, nameElement(name), h("b", { class: ["gain", income < 0 && "gain-less"] }, signed(income))))),
    pile > 0 && left > 0 && h("p", { class: "track-odds" }, fill(words.market.odds, { left, size: pile, number: Math.round(pile / left) })),
  ];
}

function showStatus(view, names) {
  const text = statusText(view, names);
  const status = byId("status-text");
  document.title = `${text} \u2013 ${isolated(view.name ?? "Reibach & Co.")}`;
  byId("status").classList.toggle("status-own", isOwnTurn(view));
  fillWith(byId("status-room"), possibleTexts(view, names).map((other) => h("span", { dataset: { text: other } })));
  if (status.textContent !== text) fillWith(status, statusParts(view, names));
  status.title = text;
  showClock();
}

/** What the status will say in this game, of one player: it has room for all of that. */
function possibleTexts(view, names) {
  const { your_turn: own, scoring, won, their_turn: theirs } = words.table;
  return [own, scoring, ...names.flatMap((name) => [fill(theirs, { name }), count(won, 1, { names: name })]), statusText(view, names)];
}

export function showClock() {
  const { view, isConnected } = board;
  if (!view) return;
  const deadline = view.turn?.deadline;
  const time = deadline && h("time", { datetime: deadline, title: absoluteTime(deadline) }, clockText(view));
  const parts = [
    ...(isConnected ? [view.paused_since && words.table.paused, time] : [h("span", { class: "lost" }, words.table.connection_lost)]),
    view.name && h("bdi", { title: view.name }, view.name),
  ].filter(Boolean);
  byId("status-clock").classList.toggle("has-reserve", Boolean(view.pace?.bank_seconds)); // nothing moves when it shrinks
  fillWith(byId("status-clock"), parts.length > 0 && h("span", {}, parts.map((part, index) => [index > 0 && " \u00b7 ", part])));
}

function clockText({ turn, seats }) {
  const left = timeLeft(turn.deadline);
  if (!turn.bank_from || left === words.table.late) return left;
  const isInBank = timeNow() >= Date.parse(turn.bank_from);
  const reserve = isInBank ? words.table.in_reserve : fill(words.table.of_reserve, { time: duration(seats[turn.seat].bank_seconds) });
  return `${left}, ${reserve}`;
}

function placesOf(view) {
  const own = view.you ? projectTurn(view, board.turn) : null;
  return openPlaces(view).map((place, seat) => (seat === view.you?.seat ? { rows: own.rows, handSize: own.hand.length } : place));
}

let market = null; // {key, show}: made anew where other players sit at the table
let touches = {}; // what touching one's own cells lays: by business {card, row}

function showMarket(view, places, names, scores) {
  const own = view.you?.seat ?? null;
  const key = JSON.stringify([names, own]);
  if (market?.key !== key) market = { key, show: makeMarket({ names, own, order: orderOf(view.seats.length, own), choose }) };
  touches = own === null ? {} : touchesNow(view, places[own].rows);
  market.show(places.map(({ rows, handSize }, seat) => ({
    rows,
    total: view.seats[seat].total,
    score: scores[seat],
    isOver: view.status === "over",
    isOnTurn: view.status === "playing" && view.turn?.seat === seat,
    isPlanned: seat === own && board.turn.steps.length > 0,
    facts: [count(words.table.hand_size, handSize), ...seatFacts(view.seats[seat])],
    marks: rows.map(({ row }) => row).filter((row) => board.marks.has(`row:${seat}:${row}`)),
    newRow: seat === own ? newRowLabel(view) : null,
    touch: seat === own ? shownTouches(touches, board.selected !== null, settings().worth ? places : null, own, names) : {},
  })));
}

function touchesNow(view, rows) {
  const { selected, turn: { steps } } = board;
  if (!canAct()) return {};
  return touchesOf(view, steps, selected ? [selected.card] : project(view, steps).hand.filter((card) => !isSpecial(card)), rows);
}

/** Say what must be done first, where an empty place was touched and no row takes the chosen card. */
byId("market").addEventListener("click", ({ target }) => {
  if (!board.selected || Object.keys(touches).length || !target.closest(".line-own [data-length='']")) return;
  board.refusal = { action: { type: "append" }, detail: words.market.open_row };
  showBoard();
});

function newRowLabel(view) {
  const { selected, turn: { steps } } = board;
  if (!selected || !canAct() || !targetsFor(view, steps, selected.card).isNewRow) return null;
  return fill(words.market.new_row_hint, { card: cardName(selected.card) });
}

function choose(business) {
  if (business === null) {
    compose({ type: "lay_businessmaker", card: board.selected.card });
    return;
  }
  const { card, row } = touches[business];
  compose({ type: "append", card, row });
}

function seatFacts({ away, vacations, timeouts, bank_seconds: bank }) {
  const absence = away && (away === "resigned" ? words.table.resigned : words.table.abandoned);
  const stop = vacations?.find(({ from, until }) => Date.parse(from) <= timeNow() && timeNow() < Date.parse(until));
  const ofClock = [ // none runs any more where the game is over
    stop && fill(words.table.on_vacation, { time: relativeTime(stop.until) }),
    timeouts && count(words.table.late_turns, timeouts),
    bank !== undefined && fill(words.table.bank, { time: duration(bank) }),
  ];
  return [absence, ...(board.view.status === "over" ? [] : ofClock)].filter(Boolean);
}
