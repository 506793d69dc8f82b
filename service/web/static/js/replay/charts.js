// How a game went, in charts: the players' totals, and for each business how long their rows were.

import { drawing, fillWith, h } from "../core/dom.js";
import { cardName } from "../core/cards.js";
import { ROW_BUSINESSES } from "../verify/cards/deck.js";
import { fill, listOf, money, words } from "../core/words.js";
import { openPlaces, scoresNow } from "../market/worth.js";
import { stepChart } from "./chart.js";
import { turnNumbers } from "./timeline.js";

/**
 * What the charts show: of each turn its last state. `totals` (with what a scoring would bring) and `lengths[business]`
 * have a series for each seat. A
 * game that began in the middle of another one has none of the turns before, which are shown as it began.
 */
function measureTurns(frames) {
  const numbers = turnNumbers(frames);
  const states = [];
  frames.forEach(({ view }, index) => (states[numbers[index]] = view));
  for (let turn = 1; turn < states.length; turn += 1) states[turn] ??= states[turn - 1];
  const incomes = states.map((view) => scoresNow(view, openPlaces(view)));
  const seats = states.at(-1).seats.map((seat) => seat.seat);
  const lengthIn = (seat, business) => seat.rows.find((row) => row.business === business)?.length ?? 0;
  return {
    numbers,
    scorings: frames.flatMap(({ event }, index) => (event.type === "RoundScored" ? [numbers[index]] : [])),
    totals: seats.map((seat) => states.map((view, turn) => view.seats[seat].total + incomes[turn][seat].income)),
    lengths: Object.fromEntries(
      ROW_BUSINESSES.map((business) => [business, seats.map((seat) => states.map((view) => lengthIn(view.seats[seat], business)))]),
    ),
  };
}

/** The charts, put into `place`; the answer moves their cursors to the turn of a version. */
export function showCharts(place, frames, names) {
  const course = measureTurns(frames);
  const charts = [];
  const titleOf = (seat) => (seat < 0 ? words.replay.nobody_leads : fill(words.replay.leads, { name: names[seat] }));
  const add = (title, series, highest, describe, extra) => {
    const label = `${title}: ${listOf(names.map((name, seat) => `${name} ${describe(series[seat].at(-1))}`))}`;
    const lowest = Math.min(0, ...series.flat());
    const chart = stepChart({ label, series, highest, lowest, showsZero: extra !== undefined, scorings: course.scorings, titleOf });
    charts.push(chart);
    return h("figure", { class: `chart-box ${extra ?? ""}` }, h("figcaption", {}, h("span", { class: extra ? "hidden-text" : null }, title)), chart.svg, h("span", { class: "chart-top", "aria-hidden": "true" }, highest));
  };
  const longest = Math.max(1, ...Object.values(course.lengths).flat(2));
  const most = Math.max(1, ...course.totals.flat());
  const totals = names.map(() => h("span", { class: "legend-value" }));
  place.append(
    legend(names, totals),
    h("h3", {}, words.replay.totals),
    add(words.replay.totals, course.totals, most, money, "chart-wide"),
    h("h3", {}, words.replay.races),
    h(
      "div",
      { class: "charts" },
      ROW_BUSINESSES.map((business) => raceChart(business, add(cardName(business), course.lengths[business], longest, String))),
    ),
    tables(course, names),
  );
  return (version) => {
    charts.forEach((chart) => chart.moveTo(course.numbers[version - 1]));
    totals.forEach((value, seat) => fillWith(value, money(frames[version - 1].view.seats[seat].total)));
  };
}

function raceChart(business, figure) {
  figure.dataset.card = business;
  figure.querySelector("figcaption").prepend(h("span", { class: "chart-card", dataset: { card: business } }, drawing(`card-${business}`)));
  return figure;
}

export function legend(names, totals) {
  return h(
    "ul",
    { class: "legend" },
    names.map((name, seat) => h("li", {}, h("span", { class: `legend-line lead-${seat}`, "aria-hidden": "true" }), h("bdi", {}, name), totals[seat])),
  );
}

/** The numbers of the charts as tables, made when they are opened: a line for each turn in which one changed. */
function tables(course, names) {
  const place = h("div", { class: "chart-tables" });
  const details = h("details", { class: "more" }, h("summary", {}, words.replay.as_tables), place);
  details.addEventListener("toggle", () => {
    if (place.childElementCount) return;
    place.append(tableOf(words.replay.totals, course.totals, names));
    for (const business of ROW_BUSINESSES) place.append(tableOf(cardName(business), course.lengths[business], names));
  });
  return details;
}

export function tableOf(title, series, names) {
  const turns = series[0].map((_, turn) => turn);
  const changed = turns.filter((turn) => turn === 0 || series.some((values) => values[turn] !== values[turn - 1]));
  return h(
    "div",
    { class: "table-scroll", role: "region", "aria-label": title, tabindex: "0" },
    h(
      "table",
      {},
      h("caption", {}, title),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.replay.turn), names.map((name) => h("th", { scope: "col", class: "number" }, h("bdi", {}, name))))),
      h(
        "tbody",
        {},
        changed.map((turn) =>
          h("tr", {}, h("th", { scope: "row" }, turn), series.map((values) => h("td", { class: "number" }, values[turn]))),
        ),
      ),
    ),
  );
}
