// What the player's own sending has done: its answer, in the picture and in words.

import { gamePath, get } from "../core/api.js";
import { accept } from "../table/acceptance.js";
import { board, ownToken, showBoard } from "../table/board.js";
import { focusNext } from "../table/dock.js";
import { announce } from "../core/dom.js";
import { findNextGame } from "./nextgame.js";
import { addToRecap, loadNews, markChanges } from "./recap.js";
import { isOwnTurn } from "../table/status.js";
import { explain } from "./updates.js";

/** Of these events a sheet tells. */
const ON_SHEETS = ["RoundScored", "GameEnded"];

/** The service has carried out what was sent, or refused it (`answer` null then). `before`: the version before it. */
export async function showOutcome(answer, before) {
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
