// What a scoring round has brought, and the totals, in a table.

import { board } from "../table/board.js";
import { h, nameElement } from "../core/dom.js";
import { money, words } from "../core/words.js";

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
