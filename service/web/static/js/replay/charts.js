// How a game went, in charts: the players' totals, and for each business how long their rows were.

import { h } from "../core/dom.js";
import { ROW_BUSINESSES } from "../verify/cards/deck.js";
import { money, words } from "../core/words.js";
import { openPlaces, scoresNow } from "../market/worth.js";
import { makeChart, makeLegend, tablesOf } from "./chart.js";
import { turnsOf } from "./timeline.js";

/** The last view of each turn. A game that began in the middle of another one is shown as it began in the turns before. */
function lastViews(frames, numbers) {
  const views = [];
  frames.forEach(({ view }, index) => (views[numbers[index]] = view));
  for (let turn = 1; turn < views.length; turn += 1) views[turn] ??= views[turn - 1];
  return views;
}

/** The charts, put into `place`; the answer moves their cursors to the turn of a version. */
export function showCharts(place, frames, names) {
  const { numbers, scorings } = turnsOf(frames);
  const views = lastViews(frames, numbers);
  const incomes = views.map((view) => scoresNow(view, openPlaces(view)));
  const seriesOf = (measure) => names.map((_, seat) => views.map((view, turn) => measure(view.seats[seat], turn)));
  const totals = { title: words.replay.totals, series: seriesOf(({ seat, total }, turn) => total + incomes[turn][seat].income), textOf: money };
  const races = ROW_BUSINESSES.map((business) => {
    const series = seriesOf(({ rows }) => rows.find((row) => row.business === business)?.length ?? 0);
    return { title: words.cards[business], series, business, textOf: String };
  });
  const drawn = [[totals], races].map((charts) => {
    const highest = Math.max(1, ...charts.flatMap(({ series }) => series.flat()));
    return charts.map((chart) => makeChart({ ...chart, names, highest, scorings }));
  });
  const [wide, small] = drawn.map((charts) => charts.map(({ figure }) => figure));
  const legend = makeLegend(names);
  place.append(
    legend.list,
    h("h3", {}, words.replay.totals), ...wide,
    h("h3", {}, words.replay.races), h("div", { class: "charts" }, small),
    tablesOf([totals, ...races], names));
  return (version) => {
    drawn.flat().forEach((chart) => chart.moveTo(numbers[version - 1]));
    legend.show((seat) => money(frames[version - 1].view.seats[seat].total));
  };
}
