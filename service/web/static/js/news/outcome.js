// What the player's own sending has done: its answer, in the picture and in words.

import { gamePath, get } from "../core/api.js";
import { accept } from "../table/acceptance.js";
import { board, ownToken, showBoard } from "../table/board.js";
import { focusNext } from "../table/dock.js";
import { announce } from "../core/dom.js";
import { addToRecap, loadNews, markChanges, showRecap } from "./recap.js";
import { allSeats } from "../core/session.js";
import { noteTurns } from "./signals.js";
import { isOwnTurn } from "../table/status.js";
import { explain } from "./updates.js";

/** What a round and the end say, and who is next, is shown elsewhere; and what was composed lies there already. */
const SHOWN_ELSEWHERE = ["RoundScored", "GameEnded", "TurnStarted"];
const COMPOSED = ["BusinessmakerLaid", "CardAppended"];
const MOST_ASKED_GAMES = 12;

/** The service has carried out what was sent, or refused it (`answer` null then). `before`: the version before it. */
export async function showOutcome(answer, before) {
  const token = ownToken();
  const { number } = board.turn;
  const view = answer?.game ?? (await get(gamePath(board.id), token).catch(() => board.view));
  if (answer) markChanges(answer.events, true);
  if (view.version >= board.view.version) accept(view, (answer?.events ?? []).filter(({ type }) => !COMPOSED.includes(type)));
  else showBoard();
  if (isOwnTurn(board.view)) focusNext();
  else if (answer) findNextGame(board.id).then(showNextGame);
  if (answer) {
    const found = await loadNews(token, before).catch(() => null);
    if (found) {
      const told = addToRecap(found, true);
      announce(found.items.map((item) => item.text).join(" "));
      if (isOwnTurn(board.view) && board.view.turn.number !== number) showRecap(); // the next turn has begun, and is touched
      else {
        board.result = told.filter(({ type }) => !SHOWN_ELSEWHERE.includes(type)).map((item) => item.text);
        showBoard();
      }
    }
  }
  explain();
}

/** The view of another game where it is this browser's turn, the latest kept first; null where there is none. */
async function findNextGame(game) {
  const others = Object.entries(allSeats()).filter(([id]) => id !== game);
  others.sort(([, one], [, other]) => (other.at ?? 0) - (one.at ?? 0));
  for (const [id, seat] of others.slice(0, MOST_ASKED_GAMES)) {
    const view = await get(gamePath(id), seat.token).catch(() => null); // one that can't be opened waits for nobody
    if (view) noteTurns(isOwnTurn(view) ? [id] : [], [id]);
    if (view && isOwnTurn(view)) return view;
  }
  return null;
}

function showNextGame(view) {
  board.nextGame = view;
  if (view && !isOwnTurn(board.view)) showBoard();
}
