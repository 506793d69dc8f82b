// A small chart: a stepped line for each player over the turns, and below them who leads; with its legend, and as a table.

import { drawing, fillWith, h, svgNode } from "../core/dom.js";
import { fill, listOf, words } from "../core/words.js";

/** The height of the lines' part and of the whole chart. */
const PLOT = 60;
const WHOLE = 70;

/**
 * A chart as `{figure, svg, moveTo(turn), textAt(turn)}`. `series`: of each seat a value for each turn, the first is turn 0;
 * `highest`: of the values shown, in words `top`; `textOf(value)`; `scorings`: the turns in which rounds were scored;
 * `business`: of a small chart, in which 0 has no line; `apart`: lines on the same height are drawn beside each other.
 */
export function makeChart({ title, names, series, highest, top = highest, textOf, scorings, business, apart = 0.03 }) {
  const turns = series[0].length;
  const lowest = Math.min(0, ...series.flat());
  const span = Math.max(1, highest - lowest);
  const heightOf = (value, seat) => {
    const share = (value - lowest) / span + (seat - (series.length - 1) / 2) * apart;
    return (4 + (PLOT - 8) * (1 - share)).toFixed(1);
  };
  const textAt = (turn) => listOf(names.map((name, seat) => `${name} ${textOf(series[seat].at(turn))}`));
  const path = (name, d) => svgNode("path", { class: name, d });
  const cursor = path("chart-cursor", `M0 0V${WHOLE}`);
  const looks = { class: "chart", viewBox: `0 0 ${turns} ${WHOLE}`, preserveAspectRatio: "none" };
  const svg = svgNode("svg", { ...looks, role: "img", "aria-label": `${title}: ${textAt(-1)}` },
    path("chart-scorings", scorings.map((turn) => `M${turn + 0.5} 0V${PLOT}`).join("")),
    path("chart-ground", `M0 ${PLOT}H${turns}`),
    series.map((values, seat) => path(`chart-line line-${seat}`, stepsOf(values.map((value) => (value || !business ? heightOf(value, seat) : null))))),
    stretchesOf(series, lowest).map(({ seat, from, to }) =>
      svgNode("rect", { class: `chart-lead lead-${seat}`, x: from, y: PLOT + 2, width: to - from, height: WHOLE - PLOT - 2 },
        svgNode("title", {}, seat in names ? fill(words.replay.leads, { name: names[seat] }) : words.replay.nobody_leads))),
    cursor);
  const dataset = business ? { card: business } : {};
  const figure = h("figure", { class: `chart-box${business ? "" : " chart-wide"}`, dataset },
    h("figcaption", {},
      business && h("span", { class: "chart-card", dataset }, drawing(`card-${business}`)),
      h("span", { class: business ? null : "hidden-text" }, title)),
    svg, h("span", { class: "chart-top", "aria-hidden": "true" }, top));
  return { figure, svg, textAt, moveTo: (turn) => cursor.setAttribute("transform", `translate(${turn + 0.5})`) };
}

/** A path that has each height for the width of one turn; where there is none at first it rises from the ground. */
function stepsOf(heights) {
  const first = heights.findIndex((height) => height !== null);
  const steps = heights.map((height, turn) => (turn < first ? "" : `V${height}H${turn + 1}`));
  return first < 0 ? "" : `M${first} ${first ? PLOT : heights[0]}${steps.join("")}`;
}

/** Who leads from which turn to which: a seat, or "none" of several; nothing where nobody is above the lowest value. */
function stretchesOf(series, lowest) {
  const found = [];
  series[0].forEach((_, turn) => {
    const values = series.map((one) => one[turn]);
    const most = Math.max(...values);
    if (most <= lowest) return;
    const first = values.indexOf(most);
    const seat = first === values.lastIndexOf(most) ? first : "none";
    const last = found.at(-1);
    if (last?.seat === seat && last.to === turn) last.to += 1;
    else found.push({ seat, from: turn, to: turn + 1 });
  });
  return found;
}

/** `{list, show(textOf)}`: the players' lines, and what shows a text for each. */
export function makeLegend(names) {
  const values = names.map(() => h("span", { class: "legend-value" }));
  const line = (name, seat) => h("li", {}, h("span", { class: `legend-line lead-${seat}`, "aria-hidden": "true" }), h("bdi", {}, name), values[seat]);
  return {
    list: h("ul", { class: "legend" }, names.map(line)),
    show: (textOf) => values.forEach((value, seat) => fillWith(value, textOf(seat))),
  };
}

/** The numbers of charts as tables, made when they are opened: a line for each turn in which one changed. */
export function tablesOf(charts, names) {
  const place = h("div", { class: "chart-tables" });
  const show = () => place.firstChild ?? fillWith(place, charts.map(({ title, series }) => tableOf(title, series, names)));
  return h("details", { class: "more", ontoggle: show }, h("summary", {}, words.replay.as_tables), place);
}

function tableOf(title, series, names) {
  const changed = [...series[0].keys()].filter((turn) => turn === 0 || series.some((values) => values[turn] !== values[turn - 1]));
  return h("div", { class: "table-scroll", role: "region", "aria-label": title, tabindex: "0" },
    h("table", {},
      h("caption", {}, title),
      h("thead", {}, h("tr", {},
        h("th", { scope: "col" }, words.replay.turn),
        names.map((name) => h("th", { scope: "col", class: "number" }, h("bdi", {}, name))))),
      h("tbody", {}, changed.map((turn) =>
        h("tr", {}, h("th", { scope: "row" }, turn), series.map((values) => h("td", { class: "number" }, values[turn])))))));
}
