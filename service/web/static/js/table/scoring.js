// Scoring rounds: business by business, who got what and why; and what a round would bring if it came now.

import { cardElement } from "../core/cards.js";
import { gamePath, get } from "../core/api.js";
import { board, ownToken } from "./board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { openSheet } from "../menu/sheet.js";
import { change, settings } from "../menu/settings.js";
import { count, fill, listOf, money, seatNames, words } from "../core/words.js";

const SOON = 1000;

let shownVersion = 0;
let isTimeForNow = false;

/** Show a round that was scored: `{round, seats, totals}`, as in its event. */
export function showRound({ round, seats, totals }) {
  const names = seatNames(board.view.seats);
  const found = Object.keys(words.cards).filter((business) => seats.some((seat) => seat.businesses[business]));
  const race = found.map((business) => ({
    business,
    rows: seats.filter((seat) => seat.businesses[business]).map((seat) => ({ seat: seat.seat, ...seat.businesses[business] })).sort((one, other) => other.length - one.length),
  }));
  const { winners } = board.view;
  openSheet(
    fill(words.scoring.title, { round }),
    h("ul", { class: "race race-told" }, race.map((one) => raceLine(one, names))),
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
          h("bdi", {}, names[row.seat]),
          h("span", { class: "race-why" }, [count(words.table.length, row.length), words.scoring.reasons[row.reason], row.doubled && words.scoring.doubled].filter(Boolean).join(", ")),
          h("b", { class: "race-income" }, money(row.income)),
        ),
      )),
    ),
  );
}

function totalsTable(seats, names) {
  const hasLosses = seats.some(({ penalties }) => penalties.empty_businessmakers + penalties.hand_cards < 0);
  return h(
    "table",
    { class: "totals" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.scoring.player), hasLosses && h("th", { scope: "col", class: "number" }, words.scoring.losses),
      h("th", { scope: "col", class: "number" }, words.scoring.income), h("th", { scope: "col", class: "number" }, words.scoring.total))),
    h("tbody", {}, seats.map((seat) =>
      h(
        "tr",
        { class: seat.seat === board.view.you?.seat ? "own" : "" },
        h("th", { scope: "row" }, h("bdi", {}, names[seat.seat])),
        hasLosses && h("td", { class: "number", title: lossesText(seat.penalties) }, money(seat.penalties.empty_businessmakers + seat.penalties.hand_cards)),
        h("td", { class: "number" }, money(seat.income)),
        h("td", { class: "number" }, h("b", {}, seat.total === null ? "" : money(seat.total))),
      ),
    )),
  );
}

function lossesText(penalties) {
  return [
    `${words.scoring.empty_businessmakers}: ${money(penalties.empty_businessmakers)}`,
    `${words.scoring.hand_cards}: ${money(penalties.hand_cards)}`,
  ].join("\n");
}

/** Show all rounds that were scored, one after the other. */
export async function showRounds() {
  const scores = await get(gamePath(board.id, "scores"), ownToken());
  const names = seatNames(board.view.seats);
  if (!scores.rounds.length) {
    openSheet(words.scoring.rounds, h("p", { class: "empty" }, words.scoring.no_round));
    return;
  }
  const buttons = scores.rounds.map((round, index) => {
    const isLast = index === scores.rounds.length - 1;
    return h("button", { class: "button", type: "button", onclick: () => showRound({ ...round, totals: isLast ? scores.totals : totalsAfter(scores, index) }) },
      fill(words.scoring.title, { round: round.round }));
  });
  openSheet(
    words.scoring.rounds,
    h("div", { class: "buttons" }, buttons),
    totalsTable(board.view.seats.map(({ seat, total }) => ({ seat, total, ...summed(scores, seat) })), names),
  );
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

/**
 * Let the part of the page open that says what a scoring round would bring now. It is loaded while it is open, and
 * where it is open from the beginning a moment later: the table comes first.
 */
export function startScoresNow() {
  const place = byId("now");
  place.open = settings().now;
  setTimeout(() => {
    isTimeForNow = true;
    showScoresNow();
  }, SOON);
  place.querySelector("summary").addEventListener("click", () => {
    isTimeForNow = true;
    change({ now: !place.open });
  });
  place.addEventListener("toggle", () => showScoresNow());
}

/** Show it for the present version. */
export async function showScoresNow() {
  const { view } = board;
  byId("now").hidden = !view || view.status === "open" || view.status === "over";
  if (!isTimeForNow || byId("now").hidden || !byId("now").open || shownVersion === view.version) return;
  shownVersion = view.version;
  const now = await get(gamePath(board.id, "scores", "now"), ownToken()).catch((problem) => ({ problem }));
  if (now.problem) {
    shownVersion = 0;
    fillWith(byId("now-list"), h("p", { class: "empty" }, now.problem.detail));
    return;
  }
  const names = seatNames(board.view.seats);
  fillWith(
    byId("now-list"),
    now.businesses.length ? h("ul", { class: "race" }, now.businesses.map((one) => nowLine(one, names))) : h("p", { class: "empty" }, words.scoring.no_rows),
    totalsTable(now.seats, names),
  );
}

/** One line a business: `you 3 (5 cards), Bert 1 (3 cards)`. */
function nowLine({ business, rows }, names) {
  const own = board.view.you?.seat;
  return h(
    "li",
    { class: "now-line" },
    h("span", { class: "chip", dataset: { card: business }, "aria-hidden": "true" }, words.short[business]),
    h("span", { class: "hidden-text" }, `${words.cards[business]}: `),
    h("span", {}, rows.map((row, index) => [
      index > 0 && ", ",
      h("span", { class: row.seat === own ? "own" : "", title: [count(words.table.length, row.length), words.scoring.reasons[row.reason]].join(", ") },
        h("bdi", {}, row.seat === own ? words.scoring.you : names[row.seat]), "\u00a0", h("b", {}, row.income), ` (${row.length}${row.doubled ? "\u00a0\u00d72" : ""})`),
    ])),
  );
}
