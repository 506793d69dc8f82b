// Takes over a newer view of the game, and with it the turn that may be composed.

import { board, showBoard } from "./board.js";
import { showAbsence } from "../menu/clockpanel.js";
import { isDockStuck, showTop } from "../core/scrolling.js";
import { showJoin } from "../opening/join.js";
import { forgetUsedSeats } from "../opening/otherlinks.js";
import { keepSeen } from "../news/recap.js";
import { isOwnTurn } from "./status.js";
import { moveInTime } from "./steady.js";
import { canWait, keepTurn, keptTurn } from "./turn.js";

const FIELDS_OF_TEXT = "textarea, input, select";

/** Show a newer view; `events` have led to it. What was composed in another turn is gone. */
export function accept(view, events) {
  const isSameTurn = view.turn !== null && view.turn.seat === view.you?.seat && view.turn.number === board.turn.number;
  const isNewTurn = !board.turn.sending && !isSameTurn && isOwnTurn(view);
  const goesUp = isNewTurn && scrollY > 0 && isDockStuck() && !document.activeElement?.matches(FIELDS_OF_TEXT);
  const isNewer = view.version > board.view.version; // the stream may have been faster than the answer
  board.news = isNewer && !goesUp ? events : []; // no card moves over a page that scrolls
  board.view = view;
  if (!board.turn.sending && !isSameTurn) {
    board.selected = null;
    board.asked = null;
    startTurn();
    if (isNewTurn) {
      board.refusal = null;
      board.result = [];
      board.nextGame = null;
    }
  }
  showBoard();
  if (goesUp) showTop();
  moveInTime(showPlaces);
  showAbsence(isAway());
  keepSeen();
  forgetUsedSeats(view);
}

/** Show the first view of a page: with the turn that was composed before a reload, or the action of a mail's link. */
export function acceptFirst(action) {
  restoreTurn();
  takePrepared(action);
  showBoard();
  showPlaces();
  showAbsence(isAway());
  keepSeen();
}

/** The turn that was composed before a reload; of another turn nothing is left. */
function restoreTurn() {
  const { view } = board;
  const kept = keptTurn(board.id);
  if (kept && view.you && (kept.sending || (isOwnTurn(view) && kept.number === view.turn.number))) board.turn = kept;
  else startTurn();
}

function startTurn() {
  board.turn = { number: board.view.turn?.number ?? 0, steps: [], sending: null };
  keepTurn(board.id, board.turn);
}

/** Offer the action that a mail's link has prepared: composed, and not sent. */
function takePrepared(action) {
  if (!action || !isOwnTurn(board.view) || board.turn.sending) return;
  if (canWait(action)) {
    board.turn.steps = [action];
    keepTurn(board.id, board.turn);
  } else {
    board.asked = action;
  }
}

/** Show above the table the form for one who may sit down. */
function showPlaces() {
  showJoin(board.view, () => location.reload());
}

function isAway() {
  const { you, seats } = board.view;
  return you !== null && seats[you.seat].away === "abandoned";
}
