// The page of one game.

import { gamePath, get } from "./core/api.js";
import { addToRecap, keepSeen, loadNews, loadRecap, roundsInRecap, showCut, showRecap, startRecap } from "./table/recap.js";
import { board, onBoard, onView, ownToken, showBoard } from "./table/board.js";
import { announce, byId, fillWith } from "./core/dom.js";
import { deliver, onAccepted } from "./table/actions.js";
import { focusNext, showDock } from "./table/dock.js";
import { follow } from "./table/live.js";
import { showJoin } from "./opening/join.js";
import { listenToKeys } from "./table/keyboard.js";
import { loadMessages, startMessages } from "./table/messages.js";
import { startMenu } from "./menu/menu.js";
import { findNextGame } from "./table/nextgame.js";
import { showOtherSeats } from "./menu/otherseats.js";
import { showRound, showScoresNow, startScoresNow } from "./table/scoring.js";
import { voidSeatNote } from "./menu/seatpanel.js";
import { keepSeat, seatIn, takeSeatLink } from "./core/session.js";
import { startSheet } from "./menu/sheet.js";
import { isOwnTurn } from "./table/status.js";
import { showClock, showTable } from "./table/table.js";
import { canWait, keepTurn, keptTurn } from "./table/turn.js";

const CLOCK = 15_000;

let news = null;
let isRefreshing = false;

/** Show the game for this browser's seat, or for one who watches. */
async function showGame() {
  const prepared = takeSeatLink(board.id);
  const seat = seatIn(board.id);
  try {
    await loadGame(seat);
  } catch (problem) {
    await showVoid(seat, problem);
  }
  showOtherSeats(board.id);
  if (!board.view) return;
  restoreTurn();
  takePrepared(prepared);
  showBoard();
  showPlaces();
  keepSeen();
  if (board.view.status !== "over") {
    follow(board.id, ownToken(), board.view.version, { onnews: hear, onconnection: setConnected, onvoid: () => location.reload() });
  }
  if (board.turn.sending) deliver();
  roundsInRecap().slice(-1).forEach((event) => showRound(event.data));
}

async function loadGame(seat) {
  const token = seat?.token ?? null;
  const loading = [get(gamePath(board.id), token)];
  if (token) loading.push(loadRecap(board.id, token), get(gamePath(board.id, "legal-actions"), token));
  const [view, recap, legal] = await Promise.all(loading);
  const items = recap ?? (await loadRecap(board.id, null, view.version));
  if (view.you) keepSeat(board.id, { token, seat: view.you.seat, name: view.seats[view.you.seat].name });
  board.view = view;
  board.legal = legal?.actions ?? [];
  startRecap(items);
}

/** The seat's token is void, or the game can't be opened: say so, and show the table as all may see it. */
async function showVoid(seat, problem) {
  if (problem.detail === undefined) throw problem;
  const isVoid = seat && (problem.status === 401 || problem.status === 403);
  if (isVoid) {
    byId("notice").hidden = false;
    fillWith(byId("notice"), voidSeatNote(problem));
    await loadGame(null).catch(() => undefined);
  }
  if (!board.view) fillWith(byId("status-text"), problem.detail);
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

/** Show what stands above the table for one who may sit down. */
function showPlaces() {
  showJoin(board.view, () => location.reload());
}

/** Something has happened at the table. Events that come while the page asks for the view are asked for after it. */
async function hear(events) {
  news = [...(news ?? []), ...events];
  if (isRefreshing) return;
  isRefreshing = true;
  try {
    while (news !== null) {
      const heard = news;
      news = null;
      await refresh(heard).catch((problem) => {
        if (problem.detail === undefined) throw problem;
      });
      tell(heard);
    }
  } finally {
    isRefreshing = false;
  }
}

async function refresh(events) {
  const since = board.view.version;
  if (events.length && events.at(-1).version <= since) return;
  const token = ownToken();
  const isOwn = isOwnTurn(board.view) || events.some(({ type, data }) => type === "TurnStarted" && data.seat === board.view.you?.seat);
  const [view, found, early] = await Promise.all([
    get(gamePath(board.id), token),
    loadNews(board.id, token, since),
    token && isOwn ? get(gamePath(board.id, "legal-actions"), token) : null,
  ]);
  const legal = early?.version === view.version ? early : await loadLegal(view, token);
  if (view.version <= board.view.version) return;
  addToRecap(found, false);
  announce(found.map((item) => item.text).join(" "));
  accept(view, legal.actions);
  if (!events.length) tell(found.flatMap((item) => item.events)); // a long poll knows the version only
}

/** Show what isn't on the table: a round that was scored, a message. */
function tell(events) {
  events.filter(({ type }) => type === "RoundScored").slice(-1).forEach((event) => showRound(event.data));
  if (events.some(({ type }) => type === "MessagePosted")) loadMessages();
}

/** What the seat can do in a view; nothing when it isn't its turn. */
async function loadLegal(view, token) {
  return isOwnTurn(view) ? get(gamePath(board.id, "legal-actions"), token) : { actions: [] };
}

/** Show a newer view. What was composed in another turn is gone. */
function accept(view, legal) {
  const isSameTurn = view.turn !== null && view.turn.seat === view.you?.seat && view.turn.number === board.turn.number;
  board.view = view;
  board.legal = legal;
  if (!board.turn.sending && !isSameTurn) {
    board.selected = null;
    board.asked = null;
    startTurn();
    if (isOwnTurn(view)) {
      board.refusal = null;
      board.result = [];
      board.nextGame = null;
    }
  }
  showBoard();
  showPlaces();
  keepSeen();
}

/** The service has carried out what was sent, or refused it (`answer` null then). */
async function showAccepted(answer, before) {
  const token = ownToken();
  const view = answer?.game ?? (await get(gamePath(board.id), token).catch(() => board.view));
  const [found, legal] = await Promise.all([
    answer ? loadNews(board.id, token, before).catch(() => []) : [],
    loadLegal(view, token).catch(() => ({ actions: [] })),
  ]);
  if (answer) {
    addToRecap(found, true);
    board.result = found.map((item) => item.text);
    announce(board.result.join(" "));
  }
  if (view.version >= board.view.version) accept(view, legal.actions);
  if (isOwnTurn(board.view)) focusNext();
  else if (answer) findNextGame(board.id).then(showNextGame);
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

onBoard(showTable);
onBoard(showRecap);
onBoard(showDock);
onBoard(showScoresNow);
onAccepted(showAccepted);
onView(async (view) => {
  if (view.version > board.view.version) accept(view, (await loadLegal(view, ownToken())).actions);
});
byId("recap").addEventListener("scroll", showCut, { passive: true });
startSheet();
startMenu();
startMessages();
startScoresNow();
listenToKeys();
setInterval(showClock, CLOCK);
addEventListener("online", () => deliver());
addEventListener("visibilitychange", () => keepSeen());
addEventListener("hashchange", () => location.reload());
showGame();
