// What a scoring round would bring if it came now.

import { gamePath, get } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { moveInTime, renderSteadily } from "../table/steady.js";
import { byId, fillWith, h, nameElement } from "../core/dom.js";
import { change, settings } from "../menu/settings.js";
import { count, money, seatNames, words } from "../core/words.js";

const SOON = 1000;

let askedVersion = 0;
let isTimeForNow = false;

/** Income, and totals where they are known, of `{seat, income, penalties, total}` in a table. */
export function totalsTable(seats, names) {
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
        h("th", { scope: "row" }, nameElement(names[seat.seat])),
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
  addEventListener("online", () => showScoresNow());
}

/** Show it for the present version; where that can't be had, what was shown stays. */
export async function showScoresNow() {
  const { view } = board;
  moveInTime(hideAtEnd);
  if (!isTimeForNow || !view || ["open", "over"].includes(view.status) || !byId("now").open || askedVersion === view.version) return;
  askedVersion = view.version;
  const now = await get(gamePath(board.id, "scores", "now"), ownToken()).catch((problem) => ({ problem }));
  if (askedVersion !== view.version) return; // a newer one was asked for since
  if (now.problem) {
    askedVersion = 0;
    if (!byId("now-list").dataset.version) fillWith(byId("now-list"), h("p", { class: "empty" }, now.problem.detail));
    return;
  }
  const names = seatNames(board.view.seats);
  byId("now-list").dataset.version = view.version;
  const lines = now.businesses.map((one) => nowLine(one, names));
  renderSteadily(() => fillWith(
    byId("now-list"),
    lines.length ? h("ul", { class: "race" }, lines) : h("p", { class: "empty" }, words.scoring.no_rows),
    totalsTable(now.seats, names),
  ));
}

function hideAtEnd() {
  byId("now").hidden = !board.view || board.view.status === "over";
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
        nameElement(names[row.seat], row.seat === own ? words.scoring.you : names[row.seat]), "\u00a0", h("b", {}, row.income), `\u00a0(${row.length}${row.doubled ? "\u00a0\u00d72" : ""})`),
    ])),
  );
}
