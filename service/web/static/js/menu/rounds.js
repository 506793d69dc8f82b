// Scoring rounds, business by business: who got what and why. Each is shown once, in their order.

import { cardElement } from "../core/cards.js";
import { gamePath, get } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { h } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { isSheetOpen, onSheetLeft, openSheet } from "./sheet.js";
import { totalsTable } from "../news/scoring.js";
import { count, fill, listOf, money, seatNames, words } from "../core/words.js";

const CLOSED = "reibach.rounds";

let waiting = []; // rounds that were scored and not shown yet, as in their events
let known = 0; // the last round that was queued, or had been closed before

/** Begin with the board's view. At a first visit the rounds before it count as seen, and so do all of a game that is over. */
export function startRounds() {
  const { rounds_scored: scored } = board.view.reibach;
  const isOver = board.view.status === "over"; // its result comes first, and the menu has the rounds
  known = isOver ? scored : Math.min(keptOfGame(CLOSED, board.id) ?? scored, scored);
  keepClosed(known);
}

/** Queue the rounds that were scored up to a view: from its events, or else from the score sheet. */
export async function queueRounds(view, events) {
  for (const { type, data } of events) if (type === "RoundScored") queue(data);
  if (view.reibach.rounds_scored <= known) return;
  const scores = await get(gamePath(board.id, "scores"), ownToken()).catch(() => ({ rounds: [] }));
  scores.rounds.forEach((round, index) => queue({ ...round, totals: totalsAfter(scores, index) }));
}

function queue(round) {
  if (round.round !== known + 1) return; // what is missing between is on the score sheet
  known = round.round;
  waiting.push(round);
}

/** Show the oldest round that waits. It goes on waiting while a sheet is open, and the last one for the end of the game. */
export function showNextRound() {
  if (!waiting.length || isSheetOpen() || board.view.status === "scoring") return;
  const round = waiting.shift();
  showRound(round);
  onSheetLeft(() => keepClosed(round.round));
}

/** Whether a round was scored that is still to be shown. */
export function isRoundWaiting() {
  return waiting.length > 0;
}

/** Keep the number of the last round that was closed: a reload shows again what was not. */
function keepClosed(round) {
  keepOfGame(CLOSED, board.id, round);
}

/** Show a round: `{round, seats, totals}`, as in its event. */
function showRound({ round, seats, totals }) {
  const names = seatNames(board.view.seats);
  const found = Object.keys(words.cards).filter((business) => seats.some((seat) => seat.businesses[business]));
  const race = found.map((business) => ({
    business,
    rows: seats.filter((seat) => seat.businesses[business]).map((seat) => ({ seat: seat.seat, ...seat.businesses[business] })).sort((one, other) => other.length - one.length),
  }));
  const { winners } = board.view;
  openSheet(
    fill(words.scoring.title, { round }),
    h("ul", { class: "race race-animated" }, race.map((one) => raceLine(one, names))),
    h("h3", {}, words.scoring.totals),
    totalsTable(seats.map((seat) => ({ ...seat, total: totals?.[seat.seat] ?? null })), names),
    winners?.length > 0 && h("p", { class: "winners" }, count(words.table.won, winners.length, { names: listOf(winners.map((seat) => names[seat])) })),
  );
}

function raceLine({ business, rows }, names) {
  return h(
    "li",
    { class: "race-line" },
    cardElement(business, { small: true }),
    h(
      "div",
      {},
      h("strong", {}, words.cards[business]),
      h("ul", { class: "race-rows" }, rows.map((row) =>
        h(
          "li",
          { class: row.income > 0 ? "race-earns" : "" },
          h("bdi", { class: row.seat === board.view.you?.seat ? "own" : "" }, names[row.seat]),
          h("span", { class: "race-why" }, [count(words.table.length, row.length), words.scoring.reasons[row.reason], row.doubled && words.scoring.doubled].filter(Boolean).join(", ")),
          h("b", { class: "race-income" }, money(row.income)),
        ),
      )),
    ),
  );
}

/** All rounds that were scored, one after the other. */
export async function roundsPanel() {
  const scores = await get(gamePath(board.id, "scores"), ownToken());
  const names = seatNames(board.view.seats);
  if (!scores.rounds.length) return h("p", { class: "empty" }, words.scoring.no_round);
  const buttons = scores.rounds.map((round, index) => {
    const isLast = index === scores.rounds.length - 1;
    return h("button", { class: "button", type: "button", onclick: () => showRound({ ...round, totals: isLast ? scores.totals : totalsAfter(scores, index) }) },
      fill(words.scoring.title, { round: round.round }));
  });
  return [
    h("div", { class: "buttons" }, buttons),
    totalsTable(board.view.seats.map(({ seat, total }) => ({ seat, total, ...summed(scores, seat) })), names),
  ];
}

function totalsAfter({ rounds, bonus }, last) {
  return bonus.map((start, seat) => start + rounds.slice(0, last + 1).reduce((sum, round) => sum + round.seats[seat].income, 0));
}

function summed({ rounds }, seat) {
  const sum = (member) => rounds.reduce((total, round) => total + member(round.seats[seat]), 0);
  return {
    income: sum((one) => one.income),
    penalties: { empty_businessmakers: sum((one) => one.penalties.empty_businessmakers), hand_cards: sum((one) => one.penalties.hand_cards) },
  };
}
