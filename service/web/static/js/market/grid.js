// The market: a line a player, a column a business. The same for the table and the replay; only what differs from what
// was shown before is made anew, and nothing ever changes its place.

import { cardName } from "../core/cards.js";
import { byId, drawing, fillWith, h, keyed, nameElement } from "../core/dom.js";
import { EMPTY_LOSS, ROW_BUSINESSES } from "../verify/cards/deck.js";
import { count, fill, money, signed, withMinus, words } from "../core/words.js";

const LEADING = ["monopoly", "longest", "shared_longest"];

/** Of so many players a phone has low lines. */
const FULL_TABLE = 5;

/**
 * Fill the table `#market`, and answer what shows a moment in it, given a line by seat:
 * `{rows, total, score, isOver, isOnTurn, isPlanned, facts, marks, touch}`; `score`: of `scoresNow`; `facts`: texts
 * after the money; `marks`: numbers of rows that are new; `touch`: by business what touching the viewer's `own` cell
 * lays, `{label, isTarget, change, caveat}`; `newRow`: what a new row would be, if one can be laid. `order`: the seats from the top; `choose(business)`: such a cell was touched.
 */
export function makeMarket({ names, order, own = null, choose }) {
  const lines = order.map((seat) => makeLine(seat, names[seat], seat === own, choose));
  fillWith(
    byId("market"),
    h("caption", { class: "hidden-text" }, words.market.caption),
    h("thead", {}, h("tr", { role: "row" },
      heading(words.market.players, "line-label"), ROW_BUSINESSES.map(businessHeading), heading(words.market.makers, "line-label"))),
    ...[lines.filter(({ isOwn }) => !isOwn), lines.filter(({ isOwn }) => isOwn)].map((part, index) => part.length > 0
      && h("tbody", { role: "rowgroup", class: [index ? "market-own" : "market-lines", lines.length >= FULL_TABLE && "market-full"] }, part.map(({ element }) => element))),
  );
  return (shown) => {
    const most = Math.max(1, ...shown.map(({ total, score }) => Math.max(total, total + score.income)));
    lines.forEach((line, index) => line.show({ ...shown[order[index]], most }));
  };
}

function heading(text, className) {
  return h("th", { scope: "col", role: "columnheader", class: className }, h("span", { class: "hidden-text" }, text));
}

function businessHeading(business) {
  const name = words.cards[business];
  return h("th", { scope: "col", role: "columnheader", class: "column", title: name, dataset: { card: business } },
    drawing(`card-${business}`),
    h("span", { class: "column-letters", "aria-hidden": "true" }, words.short[business]),
    h("span", { class: "column-name" }, words.faces[business]));
}

function makeLine(seat, name, isOwn, choose) {
  const head = h("th", { scope: "row", role: "rowheader", class: "line-head", dataset: { seat } });
  const cells = ROW_BUSINESSES.map((business) => h("td", { role: "cell", dataset: { cell: "", seat, business } }));
  const makers = h("td", { role: "cell", class: "makers" });
  const element = h("tr", { role: "row", class: ["line", isOwn && "line-own"], dataset: { line: seat } }, head, cells, makers);
  const showHead = keyed(head, (value) => headParts(name, value));
  const showCells = cells.map((cell, index) => keyed(cell, (value) => cellParts(value, () => choose(ROW_BUSINESSES[index]))));
  const showMakers = keyed(makers, (value) => [makerParts(value.rows), value.newRow && newRowTarget(value.newRow, () => choose(null))]);
  return {
    element,
    isOwn,
    show({ rows, total, score, most, isOver, isOnTurn, isPlanned, facts, marks, touch, newRow = null }) {
      element.classList.toggle("line-turn", isOnTurn);
      Object.assign(head.dataset, { total, gain: score.income });
      showHead({ total, gain: score.income, most, isOver, isOnTurn, isPlanned, facts });
      ROW_BUSINESSES.forEach((business, index) => {
        const row = rows.find((one) => one.business === business) ?? null;
        const earned = score.businesses[business] ?? null;
        Object.assign(cells[index].dataset, { length: row?.length ?? "", income: earned?.income ?? "" });
        showCells[index]({ row, earned, business, isNew: marks.includes(row?.row), touch: touch[business] ?? null });
      });
      const waiting = rows.filter((row) => row.business === null);
      showMakers({ newRow, rows: waiting.map(({ row, businessmaker, isNew }) => ({ row, card: businessmaker, isPlanned: isNew, isChanged: marks.includes(row) })) });
    },
  };
}

function headParts(name, { total, gain, most, isOver, isOnTurn, isPlanned, facts }) {
  const bar = h("span", { class: "bar", "aria-hidden": "true" });
  const share = (amount) => `${(100 * Math.max(0, amount)) / most}%`;
  bar.style.setProperty("--now", share(Math.min(total, total + gain))); // the policy allows no style in HTML
  bar.style.setProperty("--then", share(Math.max(total, total + gain)));
  const gained = { class: ["gain", gain < 0 && "gain-less", isPlanned && "gain-planned"], title: words.market.gain };
  return [
    h("span", { class: "line-name" }, nameElement(name), isOnTurn && h("span", { class: "hidden-text" }, `, ${words.market.on_turn}`)),
    h("span", { class: "line-money" }, h("b", { title: money(total) }, withMinus(String(total))), !isOver && h("span", gained, gain ? signed(gain) : "+0")),
    h("span", { class: "line-facts" },
      isPlanned && [h("span", { class: "not-sent" }, words.market.not_sent), " "],
      facts.map((fact, index) => [h("span", {}, index > 0 && "\u00b7 ", fact), " "])),
    bar,
  ];
}

function cellParts({ row, earned, business, isNew, touch }, onclick) {
  const isLeading = LEADING.includes(earned?.reason);
  const texts = row ? rowTexts(row, earned, isLeading, isNew) : [words.market.no_row];
  const label = [words.cards[business], ...texts].filter(Boolean).join(", ");
  const parts = [
    row && h("span", { class: "stack" }, stackCards(row)),
    row && h("b", { class: "length" }, row.length),
    touch?.isTarget
      ? [h("span", { class: "worth" }, touch.change === null ? "+" : signed(touch.change)), touch.caveat && h("span", { class: "caveat" }, touch.caveat)]
      : row && h("span", { class: "income" }, signed(earned.income)),
    isNew && h("span", { class: "new-dot" }),
  ];
  const data = { ...(row && { card: business, row: row.row }), focus: `cell:${business}` };
  const options = { class: ["cell", isLeading && "leads", touch?.isTarget && "target"], dataset: data };
  if (touch) return h("button", { ...options, onclick, title: touch.label, "aria-label": `${label}; ${touch.label}` }, parts);
  return [h("span", { class: "hidden-text" }, label), h("span", { ...options, "aria-hidden": "true", title: row ? label : null }, parts)];
}

function rowTexts({ length, closed, businessmaker }, { income }, isLeading, isNew) {
  return [
    count(words.table.length, length),
    closed && `${words.table.closed}, ${words.table.doubled}`,
    fill(words.market.brings, { amount: signed(income) }),
    isLeading && words.market.leads,
    businessmaker && shownMaker(businessmaker),
    isNew && words.table.changed,
  ];
}

function shownMaker(card) {
  return fill(words.table.shown_businessmaker, { card: words.cards[card] });
}

/** The businessmaker and the cards above it; each is covered by the next, unless that is a risk card. */
function stackCards({ businessmaker, cards, isNew, planned = 0 }) {
  const isPlanned = (index) => index >= cards.length - planned;
  const isCovered = (index) => index < cards.length && cards[index] !== "risk";
  return [stackCard(businessmaker, isNew, isCovered(0)), cards.map((card, index) => stackCard(card, isPlanned(index), isCovered(index + 1)))];
}

function stackCard(card, isPlanned, isCovered) {
  const looks = ["stack-card", !card && "card-back", isPlanned && "planned", isCovered && "stack-covered"];
  return h("i", { class: looks, dataset: card ? { card } : {} }, card === "risk" ? "\u00d72" : card && drawing(`card-${card}`));
}

/** Where the businessmaker will lie, above the hand; in a narrow window the button below the hand is as near. */
function newRowTarget(label, onclick) {
  return h("button", { class: "maker-target", title: label, "aria-label": label, onclick }, `+ ${words.table.new_row}`);
}

function makerParts(makers) {
  if (!makers.length) return null;
  const open = makers.filter(({ card }) => card).map(({ card }) => shownMaker(card));
  const text = count(words.market.waiting, makers.length, { amount: signed(-EMPTY_LOSS * makers.length) });
  return [
    h("span", { class: "maker-cards", "aria-hidden": "true" }, makers.map(makerCard)),
    h("span", { class: "maker-text", title: text }, text),
    open.length > 0 && h("span", { class: "hidden-text" }, `, ${open.join(", ")}`),
  ];
}

function makerCard({ row, card, isPlanned, isChanged }) {
  const looks = ["maker stack-card", !card && "card-back", isPlanned && "planned", isChanged && "changed"];
  return h("i", { class: looks, title: cardName(card), dataset: { row, ...(card && { card }) } }, card && words.short[card]);
}
