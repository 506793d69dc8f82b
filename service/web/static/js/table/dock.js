// The player's hand, and below it the turn as it is composed: what the thumb reaches.

import { cardName, handList } from "../core/cards.js";
import { board, focusOn, showBoard } from "./board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { markScrollable, showTargets } from "../core/scrolling.js";
import { deliver, isSending, sendTurn } from "./actions.js";
import { change, settings } from "../menu/settings.js";
import { isOwnTurn } from "./status.js";
import { closeSteps, emptyButton, stepPanel, stepsButton } from "./steps.js";
import { canAfford, canWait, costOf, project, projectTurn, targetsFor } from "./turn.js";
import { count, fill, pageAddress, seatNames, words } from "../core/words.js";

const POINTS = 3;

/** Show hand and turn; without a seat there is neither. */
export function showDock() {
  const { view } = board;
  const isHere = Boolean(view?.you);
  byId("dock").hidden = !isHere;
  if (!isHere) return;
  if (!board.selected) byId("dock").classList.remove("dock-low");
  const { hand, points } = projectTurn(view, board.turn);
  fillWith(byId("hand"), view.status === "over" && !hand.length ? null : handList(hand, handOptions));
  fillWith(byId("hand-heading"), `${words.table.hand} \u00b7 ${count(words.table.hand_size, hand.length)}`);
  markScrollable(byId("hand"));
  const { refusal } = board;
  const isOfHand = refusal !== null && canWait(refusal.action);
  byId("hand-problem").hidden = !isOfHand;
  fillWith(byId("hand-problem"), isOfHand ? refusal.detail : null);
  byId("turn").setAttribute("aria-busy", String(isSending()));
  fillWith(byId("turn"), board.asked ? question() : [stepPanel(), sendLine(points)]);
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
  board.areStepsOpen = false;
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
  board.areStepsOpen = false;
  showBoard();
  focusOn("now");
}

/** Close the open list of steps; or else take no card after all, and choose nothing. */
export function letGo() {
  if (closeSteps()) return;
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

/** The one question that is asked: what can't be taken back says what it costs. */
function question() {
  const { asked, view, turn } = board;
  const text = asked.type === "draw" ? words.turn.draw_now : fill(words.turn.take_now, { card: cardName(view.display[asked.slot]) });
  const before = turn.steps.length;
  const never = h("input", { type: "checkbox", onchange: () => change({ ask: !never.checked }) });
  return h(
    "div",
    { class: "question", role: "group", "aria-label": text },
    h(
      "div",
      { class: "question-more" },
      before > 0 && h("p", { class: "hint" }, count(words.turn.with_before, before)),
      h("label", { class: "choice ask-not" }, never, words.turn.ask_not),
    ),
    h(
      "div",
      { class: "turn-line" },
      h("button", { class: "button", type: "button", onclick: letGo }, words.turn.back),
      h("button", { class: "button button-main", type: "button", onclick: () => sendTurn(asked), dataset: { focus: "now" } },
        `${text} (${count(words.table.cost, costOf(view, asked))})`),
    ),
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
    stepsButton(),
    emptyButton("button empty-in-line"),
    h("button", { class: "button button-main", type: "button", onclick: () => sendTurn(), dataset: { focus: "send" } }, count(words.turn.send, turn.steps.length)),
  );
}

function sendingLine() {
  if (!board.unsent) return h("div", { class: "turn-line" }, h("p", { class: "hint" }, words.turn.sending));
  return h(
    "div",
    { class: "turn-line" },
    h("p", { class: "hint", role: "status" }, board.unsent),
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
