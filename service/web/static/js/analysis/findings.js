// What an analysis has found: the chances to win as a chart, and the turns of a seat that have cost most.

import { byId, fillWith, h, svgNode } from "../core/dom.js";
import { stepChart } from "../replay/chart.js";
import { legend, tableOf } from "../replay/charts.js";
import { turnNumbers } from "../replay/timeline.js";
import { fill, listOf, locale, words } from "../core/words.js";
import { amountText, thinkText } from "./plan.js";
import { openTrial } from "./trial.js";

/** A turn that costs less is no mistake: millions. */
const LEAST = 0.5;
const percents = new Intl.NumberFormat(locale, { style: "percent" });

export function percentText(share) {
  return percents.format(share);
}

/** Show it, with the turns of seat `own` if that isn't null; the answer moves the cursor to the turn of a version. */
export function showFindings({ turns, seats }, own, stage) {
  const { frames, names, rail } = stage;
  const numbers = turnNumbers(frames);
  const byTurn = [];
  for (const one of turns) byTurn[one.turn] = one;
  for (let turn = byTurn.length - 2; turn >= 0; turn -= 1) byTurn[turn] ??= byTurn[turn + 1]; // in some nothing was done
  const series = names.map((_, seat) => byTurn.map(({ chances }) => chances[seat]));
  const textOf = (turn) => listOf(names.map((name, seat) => `${name} ${percentText(series[seat][turn])}`));
  const chart = stepChart({
    ...{ series, highest: 1, lowest: 0, showsZero: true, apart: 0 },
    label: `${words.analysis.chances}: ${textOf(byTurn.length - 1)}`,
    scorings: frames.flatMap(({ event }, index) => (event.type === "RoundScored" ? [numbers[index]] : [])),
    titleOf: (seat) => (seat < 0 ? words.replay.nobody_leads : fill(words.replay.leads, { name: names[seat] })),
  });
  const mistakes = svgNode("path", { class: "chart-mistakes" });
  chart.svg.append(mistakes);
  const slider = h("input", { type: "range", max: byTurn.length - 1, "aria-label": words.replay.turn,
    oninput: () => rail.go(byTurn[slider.value].version), onkeydown: (event) => event.stopPropagation() });
  const values = names.map(() => h("span", { class: "legend-value" }));
  const think = h("button", { class: "button", onclick: () => openTrial(shown, [shown], stage) });
  const chosen = h("div");
  let shown = null;

  function showSeat(seat) {
    history.replaceState(history.state, "", `#analysis=${seat}`);
    const costly = turns.filter((one) => one.seat === seat && one.loss >= LEAST);
    const { worst } = seats[seat];
    const listed = [...worst.map((turn) => byTurn[turn]), ...costly.filter(({ turn }) => !worst.includes(turn))];
    mistakes.setAttribute("d", costly.map(({ turn }) => `M${turn + 0.5} 50V60`).join(""));
    rail.mark(costly.map(({ version }) => version));
    for (const button of whose.children) button.setAttribute("aria-pressed", button.value === String(seat));
    fillWith(chosen, h("h3", { class: listed.length ? "is-marked" : "" }, fill(listed.length ? words.analysis.costly : words.analysis.none, { name: names[seat] })),
      h("ol", { class: "buttons" }, listed.map((one, index) => h("li", {},
        h("button", { class: `button${index < worst.length ? " button-main" : ""}`, onclick: () => openTrial(one, listed, stage) }, fill(words.analysis.cost, { turn: one.turn, amount: amountText(one.loss) }))))));
  }

  const whose = h("div", { class: "buttons" }, seats.map(({ seat, loss }) =>
    h("button", { class: "button", value: seat, "aria-pressed": false, onclick: () => showSeat(seat) }, h("bdi", {}, names[seat]), ` \u2212${amountText(loss)}`)));
  fillWith(byId("analysis-body"), h("h3", {}, words.analysis.whose), whose, chosen, h("h3", {}, words.analysis.chances), legend(names, values),
    h("figure", { class: "chart-box chart-wide" }, chart.svg, h("span", { class: "chart-top", "aria-hidden": "true" }, percentText(1))), slider, think,
    h("details", { class: "more" }, h("summary", {}, words.replay.as_tables), tableOf(words.analysis.chances, series.map((chances) => chances.map(percentText)), names)));
  if (own !== null) showSeat(own);
  return (version) => {
    shown = byTurn[Math.min(numbers[version - 1], byTurn.length - 1)];
    const { turn, seat } = shown;
    chart.moveTo(turn);
    slider.value = turn;
    slider.setAttribute("aria-valuetext", `${turn}, ${names[seat]}: ${textOf(turn)}`);
    fillWith(think, thinkText(shown, names));
    values.forEach((value, seat) => fillWith(value, percentText(shown.chances[seat])));
  };
}
