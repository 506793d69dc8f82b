// The steps of the turn that is composed: a list; in a narrow window one button in the dock, which opens it over the page.

import { cardElement, cardName } from "../core/cards.js";
import { board, focusOn, showBoard } from "./board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { setSteps } from "./actions.js";
import { canMoveForward, keptTurn, project } from "./turn.js";
import { count, fill, words } from "../core/words.js";

export function stepPanel() {
  const { turn, areStepsOpen } = board;
  if (!turn.steps.length) return null;
  return h("div", { class: ["step-panel", areStepsOpen && "step-panel-open"], id: "steps" },
    h("ol", { class: "steps", "aria-label": words.turn.heading }, turn.steps.map(stepElement)),
    !turn.sending && h("button", { class: "button empty-in-panel", onclick: emptyTurn }, words.turn.empty));
}

/** Show what this browser keeps of the turn, as long as no view can be loaded. */
export function showKeptSteps() {
  const steps = keptTurn(board.id)?.steps ?? [];
  byId("table").hidden = !steps.length;
  fillWith(byId("turn"), h("p", { class: "hint" }, words.turn.heading), h("ol", { class: "steps" }, steps.map((step, index) =>
    h("li", { class: "step", dataset: { step: index } }, smallCard(step), h("span", {}, stepText(step))))));
}

export function stepsButton() {
  const { steps } = board.turn;
  const label = count(words.turn.change_steps, steps.length);
  const state = { "aria-expanded": board.areStepsOpen, "aria-controls": "steps" };
  return h("button", { class: "button steps-button", title: label, "aria-label": label, ...state, dataset: { focus: "steps" }, onclick: toggleSteps },
    steps.map((step, index) => smallCard(step, isRefused(step, index) ? " refused" : "")),
    h("span", { class: "steps-sign", "aria-hidden": "true" }, board.areStepsOpen ? "\u25be" : "\u25b4"));
}

export function emptyTurn() {
  if (board.turn.sending || !board.turn.steps.length) return;
  setSteps([]);
  focusOn("hand:0");
}

export function closeSteps() {
  if (!board.areStepsOpen) return false;
  toggleSteps();
  focusOn("steps");
  return true;
}

function toggleSteps() {
  board.areStepsOpen = !board.areStepsOpen;
  showBoard();
}

function stepElement(step, index) {
  const { steps, sending } = board.turn;
  const text = stepText(step);
  return h("li", { class: ["step", isRefused(step, index) && "refused"], title: text, dataset: { step: index } },
    smallCard(step),
    h("span", { class: "step-text" }, text),
    !sending && canMoveForward(board.view, steps, index)
      && stepButton("\u25c2", fill(words.turn.earlier, { step: text }), `earlier:${index}`, () => swap(index)),
    !sending && stepButton("\u2715", fill(words.turn.remove, { step: text }), `remove:${index}`, () => remove(index)));
}

function isRefused(step, index) {
  const action = board.refusal?.action;
  return index === 0 && action?.type === step.type && action.card === step.card;
}

export function stepText(step) {
  return fill(words.turn.steps[step.type], { card: cardName(step.card), number: step.row + 1 });
}

function smallCard(step, extra = "") {
  const card = cardElement(step.card, { small: true, extra });
  card.setAttribute("aria-hidden", "true");
  return card;
}

function stepButton(sign, label, focus, onclick) {
  return h("button", { class: "step-button", title: label, "aria-label": label, onclick, dataset: { focus } }, sign);
}

function swap(index) {
  const { steps } = board.turn;
  setSteps(steps.with(index - 1, steps[index]).with(index, steps[index - 1]));
  focusOn(`earlier:${index - 1}`) || focusOn(`remove:${index - 1}`);
}

/** Take a step out, and those that lie on a row which it would have opened. */
function remove(index) {
  const { steps } = board.turn;
  const left = steps.filter((_, other) => other !== index);
  const gone = steps[index].type === "lay_businessmaker" ? project(board.view, steps.slice(0, index)).rows.length : Infinity;
  const kept = left.filter((step) => step.type !== "append" || step.row !== gone);
  setSteps(kept.map((step) => (step.type === "append" && step.row > gone ? { ...step, row: step.row - 1 } : step)));
  focusOn(`remove:${Math.max(0, index - 1)}`) || focusOn("hand:0");
}
