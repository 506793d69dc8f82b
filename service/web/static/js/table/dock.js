// The player's hand, and below it the turn as it is composed: what the thumb reaches.

import { cardElement, cardName, handList } from "../core/cards.js";
import { board, focusOn, showBoard } from "./board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { markScrollable, showTargets } from "../core/scrolling.js";
import { deliver, isSending, sendTurn, setSteps } from "./actions.js";
import { change, settings } from "../menu/settings.js";
import { isOwnTurn } from "./status.js";
import { canAfford, canMoveForward, canWait, costOf, project, targetsFor } from "./turn.js";
import { count, fill, pageAddress, seatNames, words } from "../core/words.js";

const POINTS = 3;

/** Show hand and turn; without a seat there is neither. */
export function showDock() {
  const { view } = board;
  const isHere = Boolean(view?.you);
  byId("dock").hidden = !isHere;
  if (!isHere) return;
  if (!board.selected) byId("dock").classList.remove("dock-low");
  const { hand, points } = project(view, board.turn.steps);
  fillWith(byId("hand"), view.status === "over" && !hand.length ? null : handList(hand, handOptions));
  fillWith(byId("hand-heading"), `${words.table.hand} \u00b7 ${count(words.table.hand_size, hand.length)}`);
  markScrollable(byId("hand"));
  const { refusal } = board;
  const isOfHand = refusal !== null && canWait(refusal.action);
  byId("hand-problem").hidden = !isOfHand;
  fillWith(byId("hand-problem"), isOfHand ? refusal.detail : null);
  byId("turn").setAttribute("aria-busy", String(isSending()));
  fillWith(byId("turn"), stepList(), board.asked ? question() : sendLine(points));
}

function handOptions(card, index) {
  const { view, selected, turn, refusal } = board;
  const focus = `hand:${index}`;
  const isRefused = refusal !== null && canWait(refusal.action) && refusal.action.card === card;
  const extra = isRefused ? " refused" : "";
  const describedBy = isRefused ? "hand-problem" : undefined;
  const targets = isOwnTurn(view) && !turn.sending ? targetsFor(view, board.legal, turn.steps, card) : { rows: [] };
  if (!targets.rows.length && !targets.isNewRow) return { focus, extra, describedBy };
  return { focus, extra, describedBy, pressed: selected?.index === index, onclick: (event) => select(card, index, event) };
}

/** Choose a hand card, or no longer choose it. By keyboard the focus goes on to where it can lie. */
function select(card, index, event) {
  const isAgain = board.selected?.index === index;
  board.refusal = null;
  board.selected = isAgain ? null : { card, index };
  board.asked = null;
  showBoard();
  if (isAgain) return;
  showTargets();
  if (event.detail === 0) document.querySelector("#own-rows .target")?.focus({ preventScroll: true });
}

/** Put the focus where the turn goes on: at the hand, or at the button that sends. */
export function focusNext() {
  const { view, turn } = board;
  const card = document.querySelector("#hand button.card");
  if (isOwnTurn(view) && project(view, turn.steps).points > 0 && card) focusOn(card.dataset.focus);
  else focusOn("send");
}

/** Ask whether to take or draw; without asking where the player has said so. */
export function askFor(action) {
  if (!settings().ask) {
    sendTurn(action);
    return;
  }
  board.asked = action;
  board.selected = null;
  showBoard();
  focusOn("now");
}

/** Take no card after all; nothing is chosen. */
export function letGo() {
  const action = board.asked;
  const index = board.selected?.index;
  if (!action && index === undefined && !board.refusal) return;
  board.asked = null;
  board.refusal = null;
  board.selected = null;
  showBoard();
  if (action) focusOn(action.type === "draw" ? "draw" : `slot:${action.slot}`);
  else if (index !== undefined) focusOn(`hand:${index}`);
}

/** Take or draw, by a key. */
export function askByKey(action) {
  const { view, turn } = board;
  if (isOwnTurn(view) && !turn.sending && canAfford(view, board.legal, turn.steps, action)) askFor(action);
}

function stepText(step) {
  const card = cardName(step.card);
  if (step.type === "lay_businessmaker") return fill(words.turn.step_lay, { card });
  return fill(words.turn.step_append, { card, number: step.row + 1 });
}

function stepList() {
  const { steps } = board.turn;
  if (!steps.length) return null;
  return h("ol", { class: "steps", "aria-label": words.turn.heading }, steps.map(stepElement));
}

function stepElement(step, index) {
  const { steps, sending } = board.turn;
  const text = stepText(step);
  const isRefused = index === 0 && board.refusal?.action?.type === step.type && board.refusal.action.card === step.card;
  const target = step.type === "append" ? String(step.row + 1) : "+";
  return h(
    "li",
    { class: `step${isRefused ? " refused" : ""}`, title: text },
    h("span", { class: "hidden-text" }, text),
    cardElementOf(step),
    h("span", { class: "step-target", "aria-hidden": "true" }, `\u2192\u2009${target}`),
    !sending && canMoveForward(board.view, steps, index) && stepButton("\u25c2", fill(words.turn.earlier, { step: text }), `earlier:${index}`, () => swap(index)),
    !sending && stepButton("\u2715", fill(words.turn.remove, { step: text }), `remove:${index}`, () => remove(index)),
  );
}

function cardElementOf(step) {
  const card = cardElement(step.card, { small: true });
  card.setAttribute("aria-hidden", "true");
  return card;
}

function stepButton(sign, label, focus, onclick) {
  return h("button", { class: "step-button", type: "button", title: label, "aria-label": label, onclick, dataset: { focus } }, sign);
}

function swap(index) {
  const steps = [...board.turn.steps];
  [steps[index - 1], steps[index]] = [steps[index], steps[index - 1]];
  setSteps(steps);
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

/** Take all steps out. */
export function emptyTurn() {
  if (board.turn.sending || !board.turn.steps.length) return;
  setSteps([]);
  focusOn("hand:0");
}

/** The one question that is asked: what can't be taken back says what it costs. */
function question() {
  const { asked, view, turn } = board;
  const text = asked.type === "draw" ? words.turn.draw_now : fill(words.turn.take_now, { card: cardName(view.display[asked.slot]) });
  const before = turn.steps.length;
  const never = h("input", { type: "checkbox", onchange: () => change({ ask: !never.checked }) });
  return h(
    "div",
    { class: "question", role: "group", "aria-label": text },
    before > 0 && h("p", { class: "hint" }, count(words.turn.with_before, before)),
    h(
      "div",
      { class: "turn-line" },
      h("button", { class: "button", type: "button", onclick: letGo }, words.turn.back),
      h("button", { class: "button button-main", type: "button", onclick: () => sendTurn(asked), dataset: { focus: "now" } },
        `${text} (${count(words.table.cost, costOf(view, asked))})`),
    ),
    h("label", { class: "choice ask-not" }, never, words.turn.ask_not),
  );
}

function sendLine(points) {
  const { turn, view } = board;
  if (turn.sending) return sendingLine();
  if (!isOwnTurn(view)) return h("div", { class: "turn-line" }, resultLines(), nextGameLink());
  const marks = h("span", { class: "points", role: "img", "aria-label": count(words.table.points_left, points) },
    h("span", { class: "points-marks" }, "\u25cf".repeat(Math.max(0, points)), h("span", { class: "spent" }, "\u25cf".repeat(Math.max(0, POINTS - points)))),
    h("span", { class: "points-word" }, count(words.table.cost, Math.max(0, points))));
  if (!turn.steps.length) return h("div", { class: "turn-line" }, marks, h("p", { class: "hint" }, hint()));
  return h(
    "div",
    { class: "turn-line" },
    marks,
    h("button", { class: "button", type: "button", onclick: emptyTurn }, words.turn.empty),
    h("button", { class: "button button-main", type: "button", onclick: () => sendTurn(), dataset: { focus: "send" } }, count(words.turn.send, turn.steps.length)),
  );
}

function sendingLine() {
  if (!board.isUnsent) return h("div", { class: "turn-line" }, h("p", { class: "hint" }, words.turn.sending));
  return h(
    "div",
    { class: "turn-line" },
    h("p", { class: "hint", role: "status" }, words.turn.unsent),
    h("button", { class: "button", type: "button", onclick: () => deliver(), dataset: { focus: "retry" } }, words.turn.retry),
  );
}

function hint() {
  if (board.selected) return fill(words.turn.hint_target, { card: cardName(board.selected.card) });
  return board.result.at(-1) ?? words.turn.hint_pick;
}

/** What the last sending did, or else for whom the game waits; nothing of turns in a game that is over. */
function resultLines() {
  const { result, view } = board;
  if (view.status === "over") return null;
  if (result.length || view.status !== "playing" || !view.turn) return h("p", { class: "result" }, result.join(" "));
  return h("p", { class: "hint" }, fill(words.turn.waiting, { name: seatNames(view.seats)[view.turn.seat] }));
}

function nextGameLink() {
  const { nextGame } = board;
  if (!nextGame) return null;
  const others = seatNames(nextGame.seats).filter((_, seat) => seat !== nextGame.you.seat);
  return h("a", { class: "button button-main", href: pageAddress(`/g/${nextGame.id}`) }, fill(words.turn.next_game, { names: others.join(", ") }));
}
