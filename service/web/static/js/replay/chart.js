// A small chart: a stepped line for each player over the turns, and below them who leads.

import { svgNode } from "../core/dom.js";

/** Lines that run on the same height are drawn beside each other, so far apart, in units of the chart. */
const APART = 0.03;
/** The height of the lines' part and of the whole chart. */
const PLOT = 60;
const WHOLE = 70;

/**
 * A chart as `{svg, moveTo(turn)}`. `series`: of each seat a value for each turn, the first is turn 0; `highest`,
 * `lowest`: of the values shown; `showsZero`: whether 0 has a line; `scorings`: the turns in which rounds were scored;
 * `titleOf(seat)`: what is said of a stretch that a seat leads in, -1: several.
 */
export function stepChart({ label, series, highest, lowest, showsZero, scorings, titleOf, apart = APART }) {
  const turns = series[0].length;
  const span = Math.max(1, highest - lowest);
  const heightOf = (value, seat) => {
    const share = (value - lowest) / span + (seat - (series.length - 1) / 2) * apart;
    return (4 + (PLOT - 8) * (1 - share)).toFixed(1);
  };
  const path = (name, d) => svgNode("path", { class: name, d });
  const cursor = path("chart-cursor", `M0 0V${WHOLE}`);
  const svg = svgNode("svg", { class: "chart", viewBox: `0 0 ${turns} ${WHOLE}`, preserveAspectRatio: "none", role: "img", "aria-label": label },
    path("chart-scorings", scorings.map((turn) => `M${turn + 0.5} 0V${PLOT}`).join("")),
    path("chart-ground", `M0 ${PLOT}H${turns}`),
    series.map((values, seat) => path(`chart-line line-${seat}`, stepsOf(values.map((value) => (value || showsZero ? heightOf(value, seat) : null))))),
    stretchesOf(series, lowest).map(({ seat, from, to }) =>
      svgNode("rect", { class: `chart-lead lead-${seat < 0 ? "none" : seat}`, x: from, y: PLOT + 2, width: to - from, height: WHOLE - PLOT - 2 }, svgNode("title", {}, titleOf(seat)))),
    cursor);
  return { svg, moveTo: (turn) => cursor.setAttribute("transform", `translate(${turn + 0.5})`) };
}

/** A path that has each height for the width of one turn, and a gap for null; after a gap it rises from the ground. */
function stepsOf(heights) {
  let path = "";
  heights.forEach((height, turn) => {
    const before = heights[turn - 1] ?? null;
    if (before !== null && height !== before) path += `H${turn}${height === null ? "" : `V${height}`}`;
    if (before === null && height !== null) path += turn ? `M${turn} ${PLOT}V${height}` : `M0 ${height}`;
  });
  return heights.at(-1) === null ? path : `${path}H${heights.length}`;
}

/** Who leads from which turn to which: a seat, or -1 for several; nothing where nobody is above the lowest value. */
function stretchesOf(series, lowest) {
  const found = [];
  for (let turn = 0; turn < series[0].length; turn += 1) {
    const values = series.map((one) => one[turn]);
    const most = Math.max(...values);
    if (most <= lowest) continue;
    const seat = values.indexOf(most) === values.lastIndexOf(most) ? values.indexOf(most) : -1;
    const last = found.at(-1);
    if (last?.seat === seat && last.to === turn) last.to = turn + 1;
    else found.push({ seat, from: turn, to: turn + 1 });
  }
  return found;
}
