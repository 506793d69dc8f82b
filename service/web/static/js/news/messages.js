// What the players write to each other, and how much of it this browser has not shown yet.

import { gamePath, pages, post } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { byId, fillWith, h, showIn } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { problemText } from "../core/refusal.js";
import { oneAtATime } from "../core/retry.js";
import { absoluteTime, relativeTime } from "../core/times.js";
import { count, seatNames, words } from "../core/words.js";

const PAGE = 1000;
/** By game: `{read, unread}`, the version up to which messages were shown, and the versions of those that came after. */
const UNREAD = "reibach.unread";
const MOST_SHOWN = 99;
/** Milliseconds between two looks for messages after the end of a game, of which no stream tells. */
const BEHIND_END = 15_000;

let messages = [];
let loadedTo = 0;

export function startMessages() {
  byId("messages").addEventListener("toggle", loadMessages);
  setInterval(() => board.view?.status === "over" && document.visibilityState === "visible" && loadMessages(), BEHIND_END);
  const field = byId("message-text");
  const note = byId("message-problem");
  const button = byId("message-form").querySelector("button");
  byId("message-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (field.readOnly || !field.value.trim()) return; // a double click, or Ctrl and Enter, which ask no button
    note.hidden = true;
    field.readOnly = true;
    button.setAttribute("aria-disabled", "true"); // disabled, it would lose the focus
    try {
      await post(gamePath(board.id, "messages"), { text: field.value }, { token: ownToken() });
      field.value = "";
      await loadMessages();
    } catch (problem) {
      showIn("message-problem", problemText(problem));
    } finally {
      field.readOnly = false;
      button.removeAttribute("aria-disabled");
      field.focus();
    }
  });
  field.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) byId("message-form").requestSubmit();
  });
}

/** Load what was written since the last time, if the messages are open. */
export async function loadMessages() {
  byId("messages").hidden = !board.view;
  byId("message-form").hidden = !board.view?.you;
  if (byId("messages").open && board.view) await loadNewMessages();
}

const loadNewMessages = oneAtATime(async () => {
  try {
    for await (const { events } of pages((after) => `${gamePath(board.id, "events")}?after=${after}&limit=${PAGE}`, loadedTo, ownToken())) {
      messages.push(...events.filter(({ type }) => type === "MessagePosted"));
      loadedTo = events.at(-1)?.version ?? loadedTo;
    }
    showMessages();
    readMessages(loadedTo);
  } catch (problem) {
    if (!messages.length) fillWith(byId("message-list"), h("p", { class: "empty" }, problemText(problem))); // else what was shown stays
  }
});

function showMessages() {
  fillWith(byId("message-readers"), board.view.listed ? words.messages.readers_listed : words.messages.readers);
  const names = seatNames(board.view.seats);
  const place = byId("message-list");
  const before = place.querySelectorAll("li").length;
  fillWith(place, messages.length ? h("ul", {}, messages.map((event) => messageElement(event, names))) : h("p", { class: "empty" }, words.messages.none));
  if (messages.length > before) place.scrollTop = place.scrollHeight;
}

function messageElement({ data, at }, names) {
  return h("li", { class: data.seat === board.view.you?.seat ? "own" : "" },
    h("p", { class: "message-by" }, h("bdi", {}, names[data.seat]), " ", h("time", { datetime: at, title: absoluteTime(at) }, relativeTime(at))),
    h("p", { class: "message-text" }, data.text ?? words.messages.erased));
}

function countOf() {
  return keptOfGame(UNREAD, board.id) ?? { read: 0, unread: [] };
}

/** Count the messages of others among events that are told; none twice, and none that was shown. */
export function countMessages(events) {
  const { read, unread } = countOf();
  const own = board.view.you?.seat;
  const found = events.filter(({ type, data, version }) => type === "MessagePosted" && data.seat !== own && version > read && !unread.includes(version));
  if (found.length) keepOfGame(UNREAD, board.id, { read, unread: [...unread, ...found.map(({ version }) => version)].slice(-MOST_SHOWN - 1) });
  showUnread();
}

export function readMessages(version) {
  const { read, unread } = countOf();
  if (version > read) keepOfGame(UNREAD, board.id, { read: version, unread: unread.filter((one) => one > version) });
  showUnread();
}

function showUnread() {
  const { length } = countOf().unread;
  showIn("messages-unread", length > 0 && [
    h("span", { "aria-hidden": "true" }, length > MOST_SHOWN ? `${MOST_SHOWN}+` : length),
    h("span", { class: "hidden-text" }, count(words.messages.unread, length)),
  ]);
}
