// The player's hand, and below it the turn as it is composed: what the thumb reaches.

import { EVENTS_OF } from "../core/actions.js";
import { cardElement, cardName } from "../core/cards.js";
import { board, canAct, focusOf, focusOn, letGoFor, showBoard } from "./board.js";
import { byId, fillWith, h, keyed, showIn } from "../core/dom.js";
import { markScrollable } from "../core/scrolling.js";
import { deliver, isSending, sendTurn, setSteps } from "./actions.js";
import { openPanel } from "../menu/menu.js";
import { canOfferMail } from "../menu/notifications.js";
import { askedOnce, ONCE, settings } from "../menu/settings.js";
import { isSpecial, TURN_POINTS } from "../verify/cards/deck.js";
import { isOwnTurn } from "./status.js";
import { moveInTime } from "./steady.js";
import { closeSteps, stepPanel, stepsButton } from "./steps.js";
import { canAfford, canWait, costOf, project, projectTurn, targetsFor } from "./turn.js";
import { count, fill, pageAddress, seatNames, words } from "../core/words.js";

export function showDock() {
  const { view } = board;
  byId("dock").hidden = !view?.you;
  if (!view?.you) return;
  const { hand, points } = projectTurn(view, board.turn);
  showHand(hand, view);
  fillWith(byId("hand-heading"), `${words.table.hand} \u00b7 ${count(words.table.hand_size, hand.length)}`);
  if (isHandNeeded()) byId("dock").classList.remove("dock-empty");
  else moveInTime(foldHand);
  markScrollable(byId("hand"));
  const { refusal } = board;
  showIn("hand-problem", refusal && canWait(refusal.action) ? refusal.detail : null);
  byId("turn").setAttribute("aria-busy", String(isSending()));
  fillWith(byId("turn"), board.asked ? question() : [stepPanel(), sendLine(Math.max(0, points))]);
}

function isHandNeeded() {
  const { view, turn, asked } = board;
  return view.status === "open" || projectTurn(view, turn).hand.length > 0 || turn.sending !== null || asked !== null;
}

function foldHand() {
  byId("dock").classList.toggle("dock-empty", !isHandNeeded());
}

const handCards = h("ul", { class: "hand-cards" });
const showCards = []; // as long as there are as many cards, a place shows anew only what has changed there

function showHand(hand, view) {
  const place = byId("hand");
  if (!hand.length) {
    fillWith(place, view.status === "over" ? null : h("p", { class: "empty" }, words.table.empty_hand));
    return;
  }
  if (showCards.length !== hand.length) for (const { item } of showCards.splice(0)) item.remove();
  while (showCards.length < hand.length) {
    const index = showCards.length;
    const item = h("li");
    handCards.append(item);
    showCards.push(Object.assign(keyed(item, (shown) => handCard(shown, index)), { item }));
  }
  const suggested = suggestedCards(hand);
  showCards.forEach((show, index) => show(handState(hand[index], index, suggested.includes(index))));
  if (handCards.parentNode !== place || place.childNodes.length > 1) fillWith(place, handCards);
}

/** In the first turn: two cards that one holds once, which are the best businessmakers. */
function suggestedCards(hand) {
  const { selected, asked, turn, view } = board;
  if (!canAct() || selected || asked || turn.steps.length || view.seats[view.you.seat].rows.length) return [];
  const single = [...hand.keys()].filter((index) => !isSpecial(hand[index]) && hand.indexOf(hand[index]) === hand.lastIndexOf(hand[index]));
  return (single.length ? single : [...hand.keys()]).slice(0, 2);
}

function handState(card, index, isSuggested) {
  const { view, selected, turn, refusal } = board;
  const isRefused = refusal !== null && canWait(refusal.action) && refusal.action.card === card;
  const targets = canAct() ? targetsFor(view, turn.steps, card) : { rows: [] };
  return { card, isRefused, isSuggested, canLay: targets.rows.length > 0 || targets.isNewRow === true, isSelected: selected?.index === index };
}

function handCard({ card, isRefused, isSuggested, canLay, isSelected }, index) {
  const extra = `${isRefused ? " refused" : ""}${isSuggested ? " suggested" : ""}`;
  const options = { focus: `hand:${index}`, extra, describedBy: isRefused ? "hand-problem" : null };
  return cardElement(card, canLay ? { ...options, pressed: isSelected, onclick: ({ detail }) => select(card, index, detail === 0) } : options);
}

/** Choose a hand card, or no longer choose it; `byKey`: the focus moves to where it can lie. */
export function select(card, index, byKey = false) {
  const isAgain = board.selected?.index === index;
  letGoFor({ refusal: null, selected: isAgain ? null : { card, index } });
  showBoard();
  if (isAgain) return;
  const target = document.querySelector("#market .target");
  target?.scrollIntoView({ block: "nearest", behavior: "instant" }); // all of them lie in one line
  if (byKey) (target ?? document.querySelector("#turn .row-new"))?.focus({ preventScroll: true });
}

export function focusNext() {
  const { view, turn } = board;
  const card = document.querySelector("#hand button.card");
  if (isOwnTurn(view) && project(view, turn.steps).points > 0 && card) focusOn(card.dataset.focus);
  else focusOn("send");
}

/** Add a step to the turn; it is shown as it will be told once it is sent. */
export function compose(step) {
  const { view, turn } = board;
  const row = step.row ?? project(view, turn.steps).rows.length;
  const [type] = EVENTS_OF[step.type];
  board.news = [{ type, data: { seat: view.you.seat, row, card: step.card } }];
  setSteps([...turn.steps, step]);
  focusNext();
}

/** Ask whether to take or draw: the first time, or each time where the player wants it, or if it can hardly be meant. */
export function askFor(action, isDoubtful = false) {
  if (!settings().ask && !isDoubtful) {
    sendTurn(action);
    return;
  }
  letGoFor({ asked: action });
  showBoard();
  focusOn("now");
}

/** Close the open list of steps; or else take no card after all, and choose nothing. */
export function letGo() {
  if (closeSteps()) return;
  const action = board.asked;
  const index = board.selected?.index;
  if (!action && index === undefined && !board.refusal) return;
  letGoFor({ refusal: null });
  showBoard();
  if (action) focusOn(focusOf(action));
  else if (index !== undefined) focusOn(`hand:${index}`);
}

export function canAskFor(action) {
  return canAct() && canAfford(board.view, board.turn.steps, action);
}

function question() {
  const { asked, view, turn } = board;
  const text = asked.type === "draw" ? words.turn.draw_now : fill(words.turn.take_now, { card: cardName(view.display[asked.slot]) });
  const before = turn.steps.length;
  const send = () => {
    askedOnce();
    sendTurn(board.asked);
  };
  return h("div", { class: "question", role: "group", "aria-label": text },
    h("div", { class: "question-more" },
      h("p", { class: "hint" }, before > 0 && `${count(words.turn.with_before, before)} `, settings().ask === ONCE && words.turn.ask_once)),
    dockLine(
      h("button", { class: "button", onclick: letGo }, words.turn.back),
      h("button", { class: "button button-main", onclick: send, dataset: { focus: "now" } }, `${text} (${count(words.table.cost, costOf(view, asked))})`)));
}

function dockLine(...parts) {
  return h("div", { class: "turn-line" }, parts);
}

function sendLine(points) {
  const { turn, view } = board;
  if (turn.sending) return sendingLine();
  if (!isOwnTurn(view)) return dockLine(resultLines(), nextGameLink() ?? mailOffer());
  const marks = h("span", { class: "points", role: "img", "aria-label": count(words.table.points_left, points) },
    h("span", { class: "points-marks" }, "\u25cf".repeat(points), h("span", { class: "spent" }, "\u25cf".repeat(TURN_POINTS - points))),
    h("span", { class: "points-word" }, count(words.table.cost, points)));
  const { selected } = board;
  if (selected && targetsFor(view, turn.steps, selected.card).isNewRow) return dockLine(marks, newRowButton(selected.card));
  if (!turn.steps.length) return dockLine(marks, h("p", { class: "hint" }, hint()));
  const send = { class: "button button-main", id: "send", onclick: () => sendTurn(), dataset: { focus: "send" } };
  return dockLine(marks, stepsButton(), h("button", send, count(words.turn.send, turn.steps.length)));
}

/** Where a hand card can always go: face down, under a new row. It says so in full, since it can't be taken back. */
function newRowButton(card) {
  return h("button", { class: "button row-new target", onclick: () => compose({ type: "lay_businessmaker", card }), dataset: { focus: "row:new" } },
    h("b", {}, `+ ${words.table.new_row}`), h("span", { class: "row-new-hint" }, fill(words.market.new_row_hint, { card: cardName(card) })));
}

function sendingLine() {
  if (!board.unsent) return dockLine(h("p", { class: "hint" }, words.turn.sending));
  return dockLine(
    h("p", { class: "hint", role: "status" }, board.unsent),
    h("button", { class: "button", onclick: () => deliver(), dataset: { focus: "retry" } }, words.turn.retry),
  );
}

function hint() {
  if (board.selected) return fill(words.turn.hint_target, { card: cardName(board.selected.card) });
  const { you, seats } = board.view;
  const next = you.hand.length ? words.turn.hint_pick : words.turn.hint_take;
  return board.result.at(-1) ?? (you.hand.length && !seats[you.seat].rows.length ? words.turn.hint_first : next);
}

function resultLines() {
  const { result, view } = board;
  if (view.status === "over") return null;
  if (result.length || view.status !== "playing" || !view.turn) return h("p", { class: "turn-result" }, result.join(" "));
  return h("p", { class: "hint" }, fill(words.turn.waiting, { name: seatNames(view.seats)[view.turn.seat] }));
}

/** While a person is waited for, who may take days: the way to a mail, until this browser has once gone it in this game. */
function mailOffer() {
  const { view } = board;
  const isLong = view.status === "playing" && view.turn && view.seats[view.turn.seat].bot === null && !view.seats[view.you.seat].away;
  const open = () => openPanel("notifications");
  return isLong && canOfferMail() && h("button", { class: "button", onclick: open, dataset: { focus: "mail" } }, words.notices.offer);
}

function nextGameLink() {
  if (!board.nextGame) return null;
  const { id, seats, you } = board.nextGame;
  const others = seatNames(seats).filter((_, seat) => seat !== you.seat);
  return h("a", { class: "button button-main", href: pageAddress(`/g/${id}`) }, fill(words.turn.next_game, { names: others.join(", ") }));
}
