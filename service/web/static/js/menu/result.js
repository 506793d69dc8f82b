// When the end of a game is shown. What it shows is loaded by then, with the score sheet.

import { gamePath, get } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { byId, fillWith } from "../core/dom.js";
import { incompleteNote } from "../core/refusal.js";
import { showTop } from "../core/scrolling.js";
import { isPayday } from "./rounds.js";
import { isSheetOpen } from "./sheet.js";

let isWatched = false; // the page has shown the game before it ended
let loading = null;

/** Load what the end tells of all rounds, unless it was `asked` for already. Answers it, null without a connection, and what shows it. */
export function loadResult(asked) {
  loading ??= Promise.all([asked ?? get(gamePath(board.id, "scores"), ownToken()).catch(() => null), import("./ending.js")]);
  return loading;
}

/** Show the end once, with its score sheet: over the table where it comes while one watches, and above it once that is closed. */
export async function showEnding() {
  if (board.view?.status !== "over") {
    isWatched = board.view !== null;
    return;
  }
  const [sheet, shown] = await loadResult().catch(() => [null, null]);
  if (!shown) {
    loading = null; // to be tried again
    fillWith(byId("notice"), incompleteNote());
    byId("notice").hidden = false;
  }
  else if (byId("ending").hidden && !isSheetOpen() && !isPayday()) shown.openEnding(board.view, sheet, isWatched);
}

/** Let the end lie above the table; whether it lay over it. */
export function closeEnding() {
  if (byId("ending-close").hidden) return false;
  byId("ending-close").hidden = true;
  byId("ending").classList.remove("ending-over");
  showTop();
  return true;
}
