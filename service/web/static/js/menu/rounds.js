// Paydays (scoring rounds): who turned up the coin, what each has now, how the order has changed, and why, once each and in the
// middle of the table. While what others do is played back it goes by itself, unless a first game explains it; else it stands
// until the next tap or key.

import { gamePath, get } from "../core/api.js";
import { board, ownToken, showBoard } from "../table/board.js";
import { announce, byId, fillWith, h, nameElement } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { lessonOf } from "../news/hints.js";
import { isLively, showEarnings } from "../table/motion.js";
import { ROW_BUSINESSES, SCORING_AT } from "../verify/cards/deck.js";
import { isSheetOpen } from "./sheet.js";
import { fill, money, seatNames, signed, withMinus, words } from "../core/words.js";

const CLOSED = "reibach.rounds";
/** Milliseconds that a payday is shown in the playback. */
export const PAYDAY_SHOWN = 2500;

let waiting = null; // the last round that was scored and not shown yet, as in its event
let known = 0; // the last round that was queued, or had been closed before
let isNews = false; // whether it comes while one watches
let shownAt = 0;
let closing = null; // the timer
let lesson = null; // what the payday in sight teaches in a first game
let actor = null; // the seat that took or drew last
const turnedBy = {}; // by number of the coin: the seat
let onclosed = () => undefined;

/** Whether a payday is in sight, or comes next: the end of a game waits for it. */
export function isPayday() {
  return !byId("round").hidden || (isNews && waiting?.round === board.view.reibach.rounds_scored);
}

/** Begin with the board's view. At a first visit the rounds before it count as seen. `listener`: called when one is closed. */
export function startRounds(listener) {
  onclosed = listener;
  const { rounds_scored: scored } = board.view.reibach;
  known = Math.min(keptOfGame(CLOSED, board.id) ?? scored, scored);
  keepClosed(known);
  // The tap that ends the playback shows the payday, and a key that is held is no tap.
  for (const type of ["click", "keydown"]) addEventListener(type, ({ timeStamp, repeat }) => timeStamp > shownAt && !repeat && !isSheetOpen() && closeRound());
}

/** Queue the last round that was scored while nobody looked, from the score sheet. */
export async function queueMissed({ status, reibach }) {
  if (status === "over" || reibach.rounds_scored <= known) return;
  const scores = await get(gamePath(board.id, "scores"), ownToken()).catch(() => ({ rounds: [] }));
  scores.rounds.forEach((round, index) => queue({ ...round, totals: totalsAfter(scores, index) }, false));
}

/** Queue the rounds of these events. */
export function queueRounds(events) {
  for (const { type, data } of events) {
    if (type === "CardTaken" || type === "PileDrawn") actor = data.seat;
    else if (type === "ReibachRevealed") turnedBy[data.count] = actor;
    else if (type === "RoundScored") queue(data, true);
  }
}

function queue(round, isFresh) {
  if (round.round !== known + 1) return; // what is missing between is on the score sheet
  known = round.round;
  waiting = round;
  isNews = isFresh;
}

/** Show the payday that waits, once the table has come so far; of a game that was over before its result alone. */
export function showNextRound() {
  const { status, reibach } = board.view;
  if (status === "over" && !(isNews && byId("ending").hidden)) {
    waiting = null;
    keepClosed(reibach.rounds_scored);
  }
  if (waiting?.round !== reibach.rounds_scored) return;
  const round = waiting;
  waiting = null;
  const names = seatNames(board.view.seats);
  const turner = turnedBy[SCORING_AT[round.round - 1]] ?? null;
  fillWith(byId("round-title"), fill(words.scoring.title, { round: round.round }));
  fillWith(byId("round-turned"), turner !== null && turnedText(turner, SCORING_AT[round.round - 1], names));
  fillWith(byId("round-why"), whyOf(round, names));
  fillWith(byId("round-bars"), bars(round, names));
  lesson = lessonOf(round.round);
  Object.assign(byId("round"), { hidden: false }).dataset.round = round.round;
  byId("hint").hidden = true;
  shownAt = performance.now();
  markPaid(round);
  showEarnings(round);
  clearTimeout(closing);
  if (isNews && isLively() && !lesson) closing = setTimeout(closeRound, PAYDAY_SHOWN);
}

/** Close the payday that is shown; whether there was one. A reload shows again what was not closed. */
export function closeRound() {
  const place = byId("round");
  if (place.hidden) return false;
  hide();
  keepClosed(Number(place.dataset.round));
  if (lesson) {
    board.result = [lesson];
    announce(lesson); // the payday itself was told before
    showBoard();
  }
  onclosed();
  return true;
}

function hide() {
  clearTimeout(closing);
  byId("round").hidden = true;
  for (const cell of document.querySelectorAll("#market .paid")) cell.classList.remove("paid");
}

function keepClosed(round) {
  keepOfGame(CLOSED, board.id, round);
}

function turnedText(seat, number, names) {
  const isOwn = seat === board.view.you?.seat;
  return fill(isOwn ? words.scoring.turned_own : words.scoring.turned, { name: names[seat], number });
}

/** One sentence: the row that has paid most. */
function whyOf({ seats }, names) {
  const paid = seats.flatMap(({ seat, businesses }) => Object.entries(businesses).map(([business, row]) => ({ seat, business, ...row })));
  const most = paid.sort((one, other) => other.income - one.income)[0];
  if (!most?.income) return null;
  const text = most.seat === board.view.you?.seat ? words.scoring.paid_own : words.scoring.paid;
  const reason = [words.scoring.reasons[most.reason], most.doubled && words.scoring.doubled].filter(Boolean).join(", ");
  return fill(text, { name: names[most.seat], business: words.cards[most.business], amount: money(most.income), reason });
}

function bars({ seats, totals }, names) {
  const ranks = ranksOf(totals);
  const earlier = totals.map((total, seat) => total - seats[seat].income);
  const before = new Set(earlier).size > 1 ? ranksOf(earlier) : ranks; // where all were equal nobody has lost a place
  const order = [...seats.keys()].sort((one, other) => ranks[one] - ranks[other]);
  const longest = Math.max(1, ...totals, ...earlier);
  return order.map((seat) => {
    const [least, most] = [totals[seat], earlier[seat]].sort((one, other) => one - other).map((amount) => Math.max(0, amount));
    const gained = seats[seat].income;
    return h("li", { class: seat === board.view.you?.seat ? "own" : "", value: ranks[seat], dataset: { seat } },
      h("span", { class: "payday-name" }, rankChange(before[seat] - ranks[seat], before[seat]), nameElement(names[seat])),
      h("span", { class: "payday-bar" },
        barPart("payday-had", least, longest, withMinus(String(earlier[seat]))), barPart(gained < 0 ? "payday-lost" : "payday-gained", most - least, longest, signed(gained))),
      h("b", { title: money(totals[seat]) }, withMinus(String(totals[seat]))));
  });
}

function barPart(className, amount, longest, text) {
  const element = h("span", { class: className }, text);
  element.style.width = `${(100 * amount) / longest}%`; // the policy allows no style in HTML
  return element;
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

/** The cells that have paid are gold, column by column. */
function markPaid({ seats }) {
  for (const { seat, businesses } of seats) for (const [business, { income }] of Object.entries(businesses)) {
    const cell = document.querySelector(`#market [data-cell][data-seat="${seat}"][data-business="${business}"]`);
    if (!cell || income <= 0) continue;
    cell.classList.add("paid");
    cell.style.setProperty("--column", ROW_BUSINESSES.indexOf(business));
  }
}

function totalsAfter({ rounds, bonus }, last) {
  return bonus.map((start, seat) => start + rounds.slice(0, last + 1).reduce((sum, round) => sum + round.seats[seat].income, 0));
}
