// What is done at the table, by others and by the player: each action brings a newer view, then the words for it.

import { LAYING } from "../core/actions.js";
import { gamePath, get, pause } from "../core/api.js";
import { accept } from "../table/acceptance.js";
import { board, ownToken, showBoard } from "../table/board.js";
import { focusNext } from "../table/dock.js";
import { announce } from "../core/dom.js";
import { addToRecap, isBehind, loadNews, markChanges, showRecap } from "./recap.js";
import { loadPatiently, oneAtATime } from "../core/retry.js";
import { allSeats } from "../core/session.js";
import { loadMessages } from "./messages.js";
import { playBack } from "./playback.js";
import { noteTurns } from "./signals.js";
import { isOwnTurn } from "../table/status.js";
import { queueRounds, showNextRound } from "../menu/rounds.js";

const ONCE_MORE = 1000;
/** What a round and the end say, and who is next, is shown elsewhere; and what was composed lies there already. */
const SHOWN_ELSEWHERE = ["RoundScored", "GameEnded", "TurnStarted"];
const MOST_ASKED_GAMES = 12;

let unread = null;

/**
 * Something has happened at the table: new events, or a newer view from a long poll. What comes while the page asks
 * for the view is shown after it.
 */
export function hear(events, polled) {
  unread = { events: [...(unread?.events ?? []), ...events], view: polled ?? unread?.view ?? null };
  return catchUp();
}

const catchUp = oneAtATime(async () => {
  const heard = unread;
  unread = null;
  try {
    await refresh(heard);
  } catch (problem) {
    if (problem.detail === undefined) throw problem;
    if (problem.status === 401 || problem.status === 403) return; // the stream finds that out, too
    unread = { events: [...heard.events, ...(unread?.events ?? [])], view: unread?.view ?? heard.view };
    await pause(ONCE_MORE);
    catchUp();
  }
});

/** One request lies between what was heard and its picture: for the view, or for the events of a long poll's view. */
async function refresh({ events, view: polled }) {
  const last = events.at(-1)?.version ?? 0;
  const found = polled?.version >= last ? await loadNews(ownToken()) : null;
  const view = found ? polled : last > board.view.version ? await get(gamePath(board.id), ownToken()) : board.view;
  const heard = found ? found.items.flatMap((item) => item.events) : events;
  queueRounds(heard);
  if (view.version > board.view.version) {
    if (found) tell(found);
    playBack(view, heard);
  }
  showNextRound();
  if (heard.some(({ type }) => type === "MessagePosted")) loadMessages();
}

/** Say in words what the picture shows, which has not waited for them. */
export const explain = oneAtATime(async () => {
  if (!isBehind()) return;
  try {
    tell(await loadPatiently(() => loadNews(ownToken()), () => undefined));
    showRecap();
  } catch (problem) {
    if (problem.detail === undefined) throw problem; // else the next news tell this, too
  }
});

function tell(found) {
  const added = addToRecap(found);
  if (added.length) announce(added.map((item) => item.text).join(" "));
}

/** The service has carried out what was sent, or refused it (`answer` null then). `before`: the version before it. */
export async function showOutcome(answer, before) {
  const token = ownToken();
  const { number } = board.turn;
  const view = answer?.game ?? (await get(gamePath(board.id), token).catch(() => board.view));
  if (answer) markChanges(answer.events, true);
  if (view.version >= board.view.version) accept(view, (answer?.events ?? []).filter(({ type }) => !LAYING.includes(type)));
  else showBoard();
  if (isOwnTurn(board.view)) focusNext();
  else if (answer) showNextGame();
  const found = answer && (await loadNews(token, before).catch(() => null));
  if (found) {
    const told = addToRecap(found, number, !isOwnTurn(board.view) || board.view.turn.number !== number);
    announce(found.items.map((item) => item.text).join(" "));
    if (isOwnTurn(board.view) && board.view.turn.number !== number) showRecap(); // the next turn has begun, and is touched
    else {
      board.result = told.filter(({ type }) => !SHOWN_ELSEWHERE.includes(type)).map((item) => item.text);
      showBoard();
    }
  }
  explain();
}

/** Show the way to another game where it is this browser's turn, the latest kept first. */
async function showNextGame() {
  const others = Object.entries(allSeats()).filter(([id]) => id !== board.id);
  others.sort(([, one], [, other]) => (other.at ?? 0) - (one.at ?? 0));
  for (const [id, seat] of others.slice(0, MOST_ASKED_GAMES)) {
    const view = await get(gamePath(id), seat.token).catch(() => null); // one that can't be opened waits for nobody
    const isDue = view && isOwnTurn(view);
    if (view) noteTurns(isDue ? [id] : [], [id]);
    if (!isDue) continue;
    board.nextGame = view;
    if (!isOwnTurn(board.view)) showBoard();
    return;
  }
}
