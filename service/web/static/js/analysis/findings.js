// What an analysis has found: the chances to win as a chart, and the turns of a seat that have cost most.

import { byId, fillWith, h, svgNode } from "../core/dom.js";
import { makeChart, makeLegend, tablesOf } from "../replay/chart.js";
import { turnsOf } from "../replay/timeline.js";
import { COSTLY_TURNS, keepOfGame } from "../core/storage.js";
import { fill, words } from "../core/words.js";
import { percentText } from "./analysis.js";
import { amountText, thinkText } from "./plan.js";
import { openTrial } from "./trial.js";

/** A turn that costs less is no mistake: millions. */
const LEAST = 0.5;

/** Show it, with the turns of seat `own` if that isn't null; the answer moves the cursor to the turn of a version. */
export function showFindings(game, { turns, seats }, own, stage) {
  const { frames, names, rail } = stage;
  const { numbers, scorings } = turnsOf(frames);
  const title = words.analysis.chances;
  const byTurn = [];
  for (const one of turns) byTurn[one.turn] = one;
  for (let turn = byTurn.length - 2; turn >= 0; turn -= 1) byTurn[turn] ??= byTurn[turn + 1]; // in some nothing was done
  const series = names.map((_, seat) => byTurn.map(({ chances }) => chances[seat]));
  const chart = makeChart({ title, names, series, highest: 1, top: percentText(1), textOf: percentText, scorings, apart: 0 });
  const mistakes = svgNode("path", { class: "chart-mistakes" });
  chart.svg.append(mistakes);
  const slider = h("input", { type: "range", max: byTurn.length - 1, "aria-label": words.replay.turn,
    oninput: () => rail.go(byTurn[slider.value].version), onkeydown: (event) => event.stopPropagation() });
  const legend = makeLegend(names);
  const think = h("button", { class: "button", onclick: () => openTrial(shown, [shown], stage) });
  const chosen = h("div");
  let shown = null;
  const costlyTurns = (seat) => turns.filter((one) => one.seat === seat && one.loss >= LEAST);

  function showSeat(seat) {
    history.replaceState(history.state, "", `#analysis=${seat}`);
    const costly = costlyTurns(seat);
    const { worst } = seats[seat];
    const listed = turns.filter((one) => costly.includes(one) || worst.includes(one.turn)).sort((one, other) => other.loss - one.loss);
    mistakes.setAttribute("d", costly.map(({ turn }) => `M${turn + 0.5} 50V60`).join(""));
    rail.mark(costly.map(({ version }) => version));
    for (const button of whose.children) button.setAttribute("aria-pressed", button.value === String(seat));
    const turnButton = (one) => h("button",
      { class: `button${worst.includes(one.turn) ? " button-main" : ""}`, onclick: () => openTrial(one, listed, stage) },
      fill(words.analysis.cost, { turn: one.turn, amount: amountText(one.loss) }));
    fillWith(chosen,
      h("h3", { class: listed.length ? "is-marked" : "" }, fill(listed.length ? words.analysis.costly : words.analysis.none, { name: names[seat] })),
      h("ol", { class: "buttons" }, listed.map((one) => h("li", {}, turnButton(one)))));
  }

  const whose = h("div", { class: "buttons" }, seats.map(({ seat, loss }) =>
    h("button", { class: "button", value: seat, "aria-pressed": false, onclick: () => showSeat(seat) },
      h("bdi", {}, names[seat]), ` \u2212${amountText(loss)}`)));
  fillWith(byId("analysis-body"), h("h3", {}, words.analysis.whose), whose, chosen, h("h3", {}, title), legend.list, chart.figure, slider, think,
    tablesOf([{ title, series: series.map((chances) => chances.map(percentText)) }], names));
  if (own !== null) {
    showSeat(own);
    keepOfGame(COSTLY_TURNS, game, costlyTurns(own).length);
  }
  return (version) => {
    shown = byTurn[Math.min(numbers[version - 1], byTurn.length - 1)];
    const { turn, seat, chances } = shown;
    chart.moveTo(turn);
    slider.value = turn;
    slider.setAttribute("aria-valuetext", `${turn}, ${names[seat]}: ${chart.textAt(turn)}`);
    fillWith(think, thinkText(shown, names));
    legend.show((other) => percentText(chances[other]));
  };
}
