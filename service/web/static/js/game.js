// The page of one game: loads it, and lets its parts show it and follow it.

import "./core/running.js";
import { gamePath, get } from "./core/api.js";
import { keepSeen, loadRecap, showRecap, startRecap } from "./news/recap.js";
import { accept, acceptElsewhere, acceptFirst } from "./table/acceptance.js";
import { board, onBoard, onView, ownToken } from "./table/board.js";
import { byId } from "./core/dom.js";
import { deliver, onAccepted } from "./table/actions.js";
import { showDock } from "./table/dock.js";
import { startDragging } from "./table/dragging.js";
import { follow } from "./news/live.js";
import { listenToKeys } from "./table/keyboard.js";
import { startMessages } from "./news/messages.js";
import { startNote } from "./news/note.js";
import { startMenu } from "./menu/menu.js";
import { loadResult, showEnding } from "./menu/result.js";
import { notePlaces, showMoves } from "./table/motion.js";
import { showHint, startHints } from "./news/hints.js";
import { showWaiting } from "./menu/waiting.js";
import { startPlayback } from "./news/playback.js";
import { showRequests } from "./news/requests.js";
import { queueMissed, showNextRound, startRounds } from "./menu/rounds.js";
import { signalNews } from "./news/signals.js";
import "./install.js";
import { openSeat, showUnavailable } from "./opening/seatlink.js";
import { keepPush, takeOffer } from "./news/device.js";
import { loadPatiently } from "./core/retry.js";
import { keepSeat } from "./core/session.js";
import { fitDock, noteDock, watchScrollable } from "./core/scrolling.js";
import { showOtherSeats, showWatching } from "./menu/seats.js";
import { startSheet } from "./menu/sheet.js";
import { moveInTime, startSteady } from "./table/steady.js";
import { showKeptSteps } from "./table/steps.js";
import { showClock, showTable } from "./table/table.js";
import { onTurnElsewhere } from "./table/turn.js";
import { explain, hear, showOutcome } from "./news/updates.js";

const CLOCK = 15_000;

async function showGame() {
  let opened;
  try {
    opened = await loadPatiently(() => openSeat(board.id, loadGame), (problem) => {
      showUnavailable(problem);
      showKeptSteps();
    });
  } catch (problem) {
    if (problem.detail === undefined) throw problem;
    showUnavailable(problem);
    return;
  }
  byId("game-menu").hidden = false;
  await showWatching(opened);
  showOtherSeats(board.id);
  if (board.view.you) {
    startHints();
    startNote(board.id, ownToken());
  }
  startDragging();
  startRounds(showEnding);
  acceptFirst(opened.action);
  explain();
  if (board.view.status !== "over") {
    follow(board.id, ownToken(), board.view.version, { onnews: hear, onconnection: setConnected, onvoid: () => location.reload() });
  }
  if (board.turn.sending) deliver();
  keepPush().catch(() => undefined); // at the next visit, then
  await queueMissed(board.view);
  showNextRound();
}

/** The page says of a game that is over that it is: its result waits for one answer after no other, and no recap. */
async function loadGame(token) {
  const isOver = "over" in byId("game").dataset;
  const loading = get(gamePath(board.id), token);
  const result = isOver ? get(gamePath(board.id, "scores")).catch(() => null) : undefined;
  const [view, recap] = await Promise.all([
    loading,
    !isOver && (token ? loadRecap(token) : loading.then(({ version }) => loadRecap(null, version))),
    loading.then(({ status }) => status === "over" && loadResult(result).catch(() => null)),
  ]);
  if (view.you) keepSeat(board.id, { token, seat: view.you.seat, name: view.seats[view.you.seat].name });
  board.view = view;
  startRecap(recap || { items: [], version: view.version });
  if (!recap) loadRecap(token, view.version).then(startRecap).then(showRecap, () => undefined);
}

function setConnected(isConnected) {
  if (board.isConnected === isConnected) return;
  board.isConnected = isConnected;
  showClock();
  if (isConnected && board.unsent) deliver();
}

onBoard(
  ...[notePlaces, showTable, showRequests, showRecap, showDock, showEnding, showHint, showWaiting],
  () => signalNews(board.view),
  () => moveInTime(fitDock),
  showMoves, // the last: all lies where it will stay
);
onAccepted(async (answer, before) => {
  await showOutcome(answer, before);
  if (answer && takeOffer(board.view)) (await import("./menu/push.js")).offerPush();
});
onTurnElsewhere(board.id, acceptElsewhere);
onView(async (view) => {
  if (view.version > board.view.version) accept(view, []);
  explain();
});
watchScrollable(byId("hand"));
noteDock();
startSteady();
startSheet();
byId("sheet").addEventListener("close", showEnding);
startPlayback(() => {
  explain();
  showNextRound();
});
startMenu();
startMessages();
listenToKeys();
setInterval(showClock, CLOCK);
addEventListener("resize", () => {
  showRecap();
  fitDock();
});
addEventListener("online", () => deliver());
addEventListener("visibilitychange", () => keepSeen());
addEventListener("hashchange", () => location.reload());
showGame();
