// Takes over a newer view of the game, and with it the turn that may be composed.

import { board, canAct, letGoFor, showBoard } from "./board.js";
import { announce, isWriting } from "../core/dom.js";
import { showAbsence } from "../menu/seats.js";
import { isDockStuck, showTop } from "../core/scrolling.js";
import { showJoin } from "../opening/join.js";
import { forgetUsedSeats } from "../opening/otherlinks.js";
import { keepSeen } from "../news/recap.js";
import { isOwnTurn } from "./status.js";
import { moveInTime } from "./steady.js";
import { baseOf, canWait, keepTurn, keptTurn, stepsLeft } from "./turn.js";
import { words } from "../core/words.js";

/** Show a newer view; `events` have led to it. What was composed in another turn is gone. */
export function accept(view, events) {
  const isSameTurn = view.turn !== null && view.turn.seat === view.you?.seat && view.turn.number === board.turn.number;
  const isNewTurn = !board.turn.sending && !isSameTurn && isOwnTurn(view);
  const goesUp = isNewTurn && scrollY > 0 && isDockStuck() && !isWriting();
  const isNewer = view.version > board.view.version; // the stream may have been faster than the answer
  board.news = isNewer && !goesUp ? events : []; // no card moves over a page that scrolls
  board.view = view;
  if (!board.turn.sending) {
    if (isSameTurn) dropSent();
    else adopt(keptTurn(board.id));
    if (isNewTurn) Object.assign(board, { refusal: null, result: [], nextGame: null });
  }
  showBoard();
  if (goesUp) showTop();
  moveInTime(showPlaces);
  noteShown();
  forgetUsedSeats(view);
}

/** Show the first view of a page: with the turn that was composed before a reload, or the action of a mail's link. */
export function acceptFirst(action) {
  const kept = keptTurn(board.id);
  if (kept?.sending && board.view.you) board.turn = { base: baseOf(board.view), ...kept };
  else adopt(kept);
  takePrepared(action);
  showBoard();
  showPlaces();
  noteShown();
}

/** Another tab of this browser has composed, or sent, what it keeps now. */
export function acceptElsewhere(kept) {
  const { view, turn } = board;
  if (!view || turn.sending) return;
  adopt(kept);
  if (kept?.sending && turn.steps.length) sayElsewhere();
  showBoard();
}

/** Continue the turn that the browser keeps, if it is the one of the view. Of an earlier one nothing is left. */
function adopt(kept) {
  const { view } = board;
  const number = view.turn?.number ?? 0;
  letGoFor({ turn: { number, steps: [], sending: null, base: baseOf(view) } });
  if (!kept || kept.sending) return; // another tab awaits its answer
  if (kept.number === number && isOwnTurn(view)) {
    board.turn = { ...board.turn, ...kept };
    dropSent();
  } else if (kept.number < number || view.status === "over") {
    keepTurn(board.id, board.turn);
  }
}

/** What the seat has done elsewhere in this turn is no longer composed here. */
function dropSent() {
  const { view, turn } = board;
  if (turn.base.points !== view.turn.action_points) {
    const left = stepsLeft(turn, view);
    Object.assign(board, { selected: null, asked: null });
    if (left.length < turn.steps.length) {
      turn.steps = left;
      keepTurn(board.id, turn);
      sayElsewhere();
    }
  }
  turn.base = baseOf(view);
}

function sayElsewhere() {
  const said = words.turn.elsewhere;
  if (board.turn.steps.length) board.refusal = { action: { type: "append" }, detail: said };
  else board.result = [said];
  announce(said);
}

function takePrepared(action) {
  if (!action || !canAct()) return;
  if (canWait(action)) {
    board.turn.steps = [action];
    keepTurn(board.id, board.turn);
  } else {
    board.asked = action;
  }
}

function showPlaces() {
  showJoin(board.view, () => location.reload());
}

function noteShown() {
  const { you, seats } = board.view;
  showAbsence(you !== null && seats[you.seat].away === "abandoned");
  keepSeen();
}
