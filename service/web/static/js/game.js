// The page of one game.

import { gamePath, get, pause } from "./core/api.js";
import {
  addToRecap, isBehind, isOutdated, keepSeen, loadNews, loadRecap, markChanges, replaceRecap, showCut, showRecap, startRecap,
} from "./table/recap.js";
import { board, onBoard, onView, ownToken, showBoard } from "./table/board.js";
import { announce, byId } from "./core/dom.js";
import { deliver, onAccepted } from "./table/actions.js";
import { focusNext, showDock } from "./table/dock.js";
import { follow } from "./table/live.js";
import { showJoin } from "./opening/join.js";
import { listenToKeys } from "./table/keyboard.js";
import { loadMessages, startMessages } from "./table/messages.js";
import { startMenu } from "./menu/menu.js";
import { showEnding } from "./menu/ending.js";
import { notePlaces, showMoves } from "./table/motion.js";
import { findNextGame } from "./table/nextgame.js";
import { showOtherSeats } from "./menu/otherseats.js";
import { queueRounds, showNextRound, startRounds } from "./menu/rounds.js";
import { showScoresNow, startScoresNow } from "./table/scoring.js";
import { noteLink, openSeat, showUnknown } from "./opening/seatlink.js";
import { showAbsence } from "./menu/clockpanel.js";
import { keepSeat } from "./core/session.js";
import { isDockStuck, showTop, watchScrollable } from "./core/scrolling.js";
import { onSheetClosed, startSheet } from "./menu/sheet.js";
import { isOwnTurn } from "./table/status.js";
import { showClock, showTable } from "./table/table.js";
import { canWait, isAsAssumed, keepTurn, keptTurn } from "./table/turn.js";

const CLOCK = 15_000;
const AGAIN = 1000;
const ON_SHEETS = ["RoundScored", "GameEnded"];
const FIELDS_OF_TEXT = "textarea, input, select";

let news = null;
let isRefreshing = false;
let isExplaining = false;

/** Show the game for this browser's seat, or for one who watches. */
async function showGame() {
  let opened = null;
  try {
    opened = await openSeat(board.id, loadGame);
    noteLink(opened.note);
  } catch (problem) {
    if (problem.detail === undefined) throw problem;
    showUnknown(problem);
  }
  showOtherSeats(board.id);
  if (!board.view) return;
  restoreTurn();
  takePrepared(opened.action);
  showBoard();
  showPlaces();
  keepSeen();
  if (board.view.status !== "over") {
    follow(board.id, ownToken(), board.view.version, { onnews: hear, onconnection: setConnected, onvoid: () => location.reload() });
  }
  if (board.turn.sending) deliver();
  startRounds();
  await queueRounds(board.view, []);
  showNextRound();
}

async function loadGame(token) {
  const loading = [get(gamePath(board.id), token)];
  if (token) loading.push(loadRecap(board.id, token), get(gamePath(board.id, "legal-actions"), token));
  const [view, recap, legal] = await Promise.all(loading);
  const items = recap ?? (await loadRecap(board.id, null, view.version));
  if (view.you) keepSeat(board.id, { token, seat: view.you.seat, name: view.seats[view.you.seat].name });
  board.view = view;
  board.legal = legal?.actions ?? [];
  startRecap(items);
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

/** Show what stands above the table: for one who may sit down, and for one whose seat a bot plays. */
function showPlaces() {
  showJoin(board.view, () => location.reload());
  const { you, seats } = board.view;
  showAbsence(you !== null && seats[you.seat].away === "abandoned");
}

/**
 * Something has happened at the table: new events, or a newer view from a long poll. What comes while the page asks
 * for the view is shown after it.
 */
async function hear(events, polled) {
  news = { events: [...(news?.events ?? []), ...events], view: polled ?? news?.view ?? null };
  if (isRefreshing) return;
  isRefreshing = true;
  try {
    while (news !== null) {
      const heard = news;
      news = null;
      try {
        await refresh(heard);
      } catch (problem) {
        if (problem.detail === undefined) throw problem;
        if (problem.status === 401 || problem.status === 403) return; // the stream finds that out, too
        news = { events: [...heard.events, ...(news?.events ?? [])], view: news?.view ?? heard.view };
        await pause(AGAIN);
      }
    }
  } finally {
    isRefreshing = false;
  }
}

/** One request lies between what was heard and its picture: for the view, or for the events of a long poll's view. */
async function refresh({ events, view: polled }) {
  const token = ownToken();
  const last = Math.max(polled?.version ?? 0, events.at(-1)?.version ?? 0);
  let view = board.view;
  let heard = events;
  let found = null;
  if (polled?.version >= last) {
    view = polled;
    found = await loadNews(board.id, token);
    heard = found.items.flatMap((item) => item.events);
  } else if (last > view.version) {
    view = await get(gamePath(board.id), token);
  }
  await queueRounds(view, heard);
  if (view.version > board.view.version) {
    markChanges(heard);
    tell(found);
    accept(view, heard);
    explain();
  }
  showNextRound();
  if (heard.some(({ type }) => type === "MessagePosted")) loadMessages();
}

/** Say in words what the picture shows, and ask what the seat can do now: the picture has waited for neither. */
async function explain() {
  if (isExplaining) return;
  isExplaining = true;
  try {
    for (let view = null; view !== board.view && (isBehind() || isOutdated() || board.legal === null); ) {
      ({ view } = board);
      const token = ownToken();
      const [found, legal] = await Promise.all([isBehind() ? loadNews(board.id, token) : null, loadLegal(view, token)]);
      tell(found);
      if (isOutdated()) replaceRecap(await loadRecap(board.id, token, view.version));
      showRecap();
      allow(view, legal.actions);
    }
  } catch (problem) {
    if (problem.detail === undefined) throw problem; // else the next news tell this, too
  } finally {
    isExplaining = false;
  }
}

function tell(found) {
  const added = found ? addToRecap(found, false) : [];
  if (added.length) announce(added.map((item) => item.text).join(" "));
}

/** The service has said what the seat can do in a view. It is shown anew only if it isn't what the page had assumed. */
function allow(view, legal) {
  if (view.version !== board.view.version || board.legal !== null) return;
  const isAssumed = !isOwnTurn(view) || isAsAssumed(view, legal);
  board.legal = legal;
  if (!isAssumed) showBoard();
}

/** What the seat can do in a view; nothing when it isn't its turn. */
async function loadLegal(view, token) {
  return isOwnTurn(view) ? get(gamePath(board.id, "legal-actions"), token) : { actions: [] };
}

/** Show a newer view; `events` have led to it. What was composed in another turn is gone. */
function accept(view, events) {
  const isSameTurn = view.turn !== null && view.turn.seat === view.you?.seat && view.turn.number === board.turn.number;
  const isNewTurn = !board.turn.sending && !isSameTurn && isOwnTurn(view);
  const goesUp = isNewTurn && scrollY > 0 && isDockStuck() && !document.activeElement?.matches(FIELDS_OF_TEXT);
  const isNewer = view.version > board.view.version; // the stream may have been faster than the answer
  board.news = isNewer && !goesUp ? events : []; // no card moves over a page that scrolls
  board.view = view;
  board.legal = null;
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
  showPlaces();
  keepSeen();
}

/** The service has carried out what was sent, or refused it (`answer` null then). */
async function showAccepted(answer, before) {
  const token = ownToken();
  const view = answer?.game ?? (await get(gamePath(board.id), token).catch(() => board.view));
  if (answer) markChanges(answer.events, true);
  if (view.version >= board.view.version) accept(view, answer?.events ?? []);
  else showBoard();
  if (isOwnTurn(board.view)) focusNext();
  else if (answer) findNextGame(board.id).then(showNextGame);
  if (answer) {
    const found = await loadNews(board.id, token, before).catch(() => null);
    if (found) {
      board.result = addToRecap(found, true).filter(({ type }) => !ON_SHEETS.includes(type)).map((item) => item.text);
      announce(found.items.map((item) => item.text).join(" "));
      showBoard();
    }
  }
  explain();
}

function showNextGame(view) {
  board.nextGame = view;
  if (view && !isOwnTurn(board.view)) showBoard();
}

function setConnected(isConnected) {
  if (board.isConnected === isConnected) return;
  board.isConnected = isConnected;
  showClock();
  if (isConnected && board.isUnsent) deliver();
}

onBoard(notePlaces);
onBoard(showTable);
onBoard(showRecap);
onBoard(showDock);
onBoard(showMoves);
onBoard(showScoresNow);
onBoard(showEnding);
onAccepted(showAccepted);
onView(async (view) => {
  if (view.version > board.view.version) accept(view, []);
  explain();
});
byId("recap").addEventListener("scroll", showCut, { passive: true });
for (const id of ["recap", "hand"]) watchScrollable(byId(id));
startSheet();
onSheetClosed(() => {
  showNextRound();
  showEnding();
});
startMenu();
startMessages();
startScoresNow();
listenToKeys();
setInterval(showClock, CLOCK);
addEventListener("online", () => deliver());
addEventListener("visibilitychange", () => keepSeen());
addEventListener("hashchange", () => location.reload());
showGame();
