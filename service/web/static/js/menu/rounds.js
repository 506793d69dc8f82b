// Scoring rounds: who has what now and how the order has changed, then who got what and why. Each is shown once, below
// the status, where it covers nothing that is played with.

import { gamePath, get } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { byId, fillWith, h, nameElement } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { showHint } from "../news/hints.js";
import { showEarnings } from "../table/motion.js";
import { ROW_BUSINESSES } from "../verify/cards/deck.js";
import { count, fill, money, seatNames, signed, withMinus, words } from "../core/words.js";

const CLOSED = "reibach.rounds";

let waiting = []; // rounds that were scored and not shown yet, as in their events
let known = 0; // the last round that was queued, or had been closed before

/** Begin with the board's view. At a first visit the rounds before it count as seen. */
export function startRounds() {
  const { rounds_scored: scored } = board.view.reibach;
  known = Math.min(keptOfGame(CLOSED, board.id) ?? scored, scored);
  keepClosed(known);
  byId("round-close").addEventListener("click", closeRound);
}

/** Queue the rounds that were scored up to a view, from its events or else from the score sheet. */
export async function queueRounds(view, events) {
  for (const { type, data } of events) if (type === "RoundScored") queue(data);
  if (view.status === "over" || view.reibach.rounds_scored <= known) return;
  const scores = await get(gamePath(board.id, "scores"), ownToken()).catch(() => ({ rounds: [] }));
  scores.rounds.forEach((round, index) => queue({ ...round, totals: totalsAfter(scores, index) }));
}

function queue(round) {
  if (round.round !== known + 1) return; // what is missing between is on the score sheet
  known = round.round;
  waiting.push(round);
}

/** Show the oldest round that waits, once the table has come so far; of a game that is over its result, and no round. */
export function showNextRound() {
  const { status, reibach } = board.view;
  if (status === "over") {
    waiting = [];
    byId("round").hidden = true;
    keepClosed(reibach.rounds_scored);
  }
  if (!waiting.length || !byId("round").hidden || waiting[0].round > reibach.rounds_scored) return;
  const round = waiting.shift();
  fillWith(byId("round-title"), fill(words.scoring.title, { round: round.round }));
  fillWith(byId("round-body"), roundParts(round));
  Object.assign(byId("round"), { hidden: false }).dataset.round = round.round;
  byId("hint").hidden = true;
  showEarnings(round);
}

/** Close the round that is shown; whether there was one. A reload shows again what was not closed. */
export function closeRound() {
  const place = byId("round");
  if (place.hidden) return false;
  place.hidden = true;
  keepClosed(Number(place.dataset.round));
  showNextRound();
  if (place.hidden) showHint(Number(place.dataset.round));
  return true;
}

function keepClosed(round) {
  keepOfGame(CLOSED, board.id, round);
}

function roundParts({ seats, totals }) {
  const names = seatNames(board.view.seats);
  const businesses = ROW_BUSINESSES.filter((business) => seats.some((seat) => seat.businesses[business]));
  return [
    totalsList(seats, totals, names),
    h("details", {}, h("summary", {}, words.scoring.businesses),
      h("ul", { class: "race" }, businesses.map((business) => businessLine(business, seats, names)))),
  ];
}

function totalsList(seats, totals, names) {
  const ranks = ranksOf(totals);
  const earlier = totals.map((total, seat) => total - seats[seat].income);
  const before = new Set(earlier).size > 1 ? ranksOf(earlier) : ranks; // where all were equal nobody has lost a place
  const order = [...seats.keys()].sort((one, other) => ranks[one] - ranks[other]);
  const list = h("ol", { class: "totals" }, order.map((seat) =>
    h("li", { class: seat === board.view.you?.seat ? "own" : "", value: ranks[seat], dataset: { seat } },
      h("span", {}, `${ranks[seat]}.\u00a0`, rankChange(before[seat] - ranks[seat], before[seat])), nameElement(names[seat]),
      h("span", { class: "gain" }, signed(seats[seat].income)), h("b", { title: money(totals[seat]) }, withMinus(String(totals[seat]))))));
  list.style.setProperty("--lines", order.length > 3 ? Math.ceil(order.length / 2) : order.length); // a phone has room for three
  return list;
}

export function ranksOf(totals) {
  return totals.map((total) => 1 + totals.filter((other) => other > total).length);
}

function rankChange(places, before) {
  if (!places) return null;
  const label = fill(words.scoring.before, { rank: before });
  return h("span", { class: places > 0 ? "rank-up" : "rank-down", role: "img", "aria-label": label },
    places > 0 ? "\u25b2" : "\u25bc", Math.abs(places));
}

function businessLine(business, seats, names) {
  const rows = seats.filter((seat) => seat.businesses[business]).map((seat) => ({ seat: seat.seat, ...seat.businesses[business] }));
  rows.sort((one, other) => other.length - one.length);
  return h("li", {},
    h("span", { class: "chip", dataset: { card: business } }, words.cards[business]),
    h("ul", {}, rows.map(({ seat, income, length, reason, doubled }) =>
      h("li", { class: seat === board.view.you?.seat ? "own" : "" }, nameElement(names[seat]), h("b", {}, ` ${income}`),
        ` ${[count(words.table.length, length), words.scoring.reasons[reason], doubled && words.scoring.doubled].filter(Boolean).join(", ")}`))));
}

function totalsAfter({ rounds, bonus }, last) {
  return bonus.map((start, seat) => start + rounds.slice(0, last + 1).reduce((sum, round) => sum + round.seats[seat].income, 0));
}
