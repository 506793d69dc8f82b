// How many messages of others this browser hasn't shown yet, on the part of the page that has them.

import { board } from "../table/board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { count, words } from "../core/words.js";

/** By game: `{read, unread}`, the version up to which messages were shown, and the versions of those that came after. */
const UNREAD = "reibach.unread";
const MOST_SHOWN = 99;

let counted = null;

function countOf() {
  return (counted ??= keptOfGame(UNREAD, board.id) ?? { read: 0, unread: [] });
}

function keepCount(entry) {
  counted = entry;
  keepOfGame(UNREAD, board.id, entry);
  showUnread();
}

/** Count the messages of others among events that are told; none twice, and none that was shown. */
export function countMessages(events) {
  const { read, unread } = countOf();
  const own = board.view.you?.seat;
  const found = events.filter(({ type, data, version }) => type === "MessagePosted" && data.seat !== own && version > read);
  const all = [...new Set([...unread, ...found.map(({ version }) => version)])].slice(-MOST_SHOWN - 1);
  if (all.length > unread.length) keepCount({ read, unread: all });
  else showUnread();
}

export function readMessages(version) {
  const { read, unread } = countOf();
  if (version > read) keepCount({ read: version, unread: unread.filter((one) => one > version) });
}

function showUnread() {
  const { unread } = countOf();
  const shown = unread.length > MOST_SHOWN ? `${MOST_SHOWN}+` : unread.length;
  byId("messages-unread").hidden = !unread.length;
  fillWith(
    byId("messages-unread"),
    h("span", { "aria-hidden": "true" }, shown),
    h("span", { class: "hidden-text" }, count(words.messages.unread, unread.length)),
  );
}
