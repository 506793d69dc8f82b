// What others do at the table: each of their actions brings a newer view, then the words for it.

import { gamePath, get, pause } from "../core/api.js";
import { addToRecap, isBehind, loadNews, showRecap } from "./recap.js";
import { board, ownToken } from "../table/board.js";
import { announce } from "../core/dom.js";
import { loadPatiently } from "../core/retry.js";
import { loadMessages } from "./messages.js";
import { playBack } from "./playback.js";
import { queueRounds, showNextRound } from "../menu/rounds.js";

const ONCE_MORE = 1000;

let unread = null;
let isRefreshing = false;
let isExplaining = false;

/**
 * Something has happened at the table: new events, or a newer view from a long poll. What comes while the page asks
 * for the view is shown after it.
 */
export async function hear(events, polled) {
  unread = { events: [...(unread?.events ?? []), ...events], view: polled ?? unread?.view ?? null };
  if (isRefreshing) return;
  isRefreshing = true;
  try {
    while (unread !== null) {
      const heard = unread;
      unread = null;
      try {
        await refresh(heard);
      } catch (problem) {
        if (problem.detail === undefined) throw problem;
        if (problem.status === 401 || problem.status === 403) return; // the stream finds that out, too
        unread = { events: [...heard.events, ...(unread?.events ?? [])], view: unread?.view ?? heard.view };
        await pause(ONCE_MORE);
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
    found = await loadNews(token);
    heard = found.items.flatMap((item) => item.events);
  } else if (last > view.version) {
    view = await get(gamePath(board.id), token);
  }
  await queueRounds(view, heard);
  if (view.version > board.view.version) {
    tell(found);
    playBack(view, heard);
  }
  showNextRound();
  if (heard.some(({ type }) => type === "MessagePosted")) loadMessages();
}

/** Say in words what the picture shows, which has not waited for them. */
export async function explain() {
  if (isExplaining) return;
  isExplaining = true;
  try {
    for (let view = null; view !== board.view && isBehind(); ) {
      ({ view } = board);
      tell(await loadPatiently(() => loadNews(ownToken()), () => undefined));
      showRecap();
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
