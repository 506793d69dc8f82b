// What the players write to each other.

import { gamePath, pages, post } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { byId, fillWith, h, showIn } from "../core/dom.js";
import { readMessages } from "./unread.js";
import { problemText } from "../core/refusal.js";
import { absoluteTime, relativeTime } from "../core/times.js";
import { seatNames, words } from "../core/words.js";

const PAGE = 1000;
/** Milliseconds between two looks for messages after the end of a game, of which no stream tells. */
const BEHIND_END = 15_000;

let messages = [];
let loadedTo = 0;
let isLoading = false;
let isWanted = false;
let isPosting = false;

export function startMessages() {
  byId("messages").addEventListener("toggle", () => loadMessages());
  setInterval(() => board.view?.status === "over" && document.visibilityState === "visible" && loadMessages(), BEHIND_END);
  const field = byId("message-text");
  const note = byId("message-problem");
  const button = byId("message-form").querySelector("button");
  byId("message-form").addEventListener("submit", async (event) => {
    event.preventDefault();
    if (isPosting || !field.value.trim()) return; // a double click, or Ctrl and Enter, which ask no button
    isPosting = true;
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
      isPosting = false;
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
  if (!byId("messages").open || !board.view) return;
  isWanted = true; // also after what is being loaded
  if (isLoading) return;
  isLoading = true;
  try {
    while (isWanted) {
      isWanted = false;
      await loadNewMessages();
    }
  } catch (problem) {
    if (!messages.length) fillWith(byId("message-list"), h("p", { class: "empty" }, problemText(problem))); // else what was shown stays
  } finally {
    isLoading = false;
  }
}

async function loadNewMessages() {
  for await (const { events } of pages((after) => `${gamePath(board.id, "events")}?after=${after}&limit=${PAGE}`, loadedTo, ownToken())) {
    messages.push(...events.filter(({ type }) => type === "MessagePosted"));
    loadedTo = events.at(-1)?.version ?? loadedTo;
  }
  showMessages();
  readMessages(loadedTo);
}

function showMessages() {
  fillWith(byId("message-readers"), board.view.listed ? words.messages.readers_listed : words.messages.readers);
  const names = seatNames(board.view.seats);
  const place = byId("message-list");
  const before = place.querySelectorAll("li").length;
  fillWith(place, messages.length ? h("ul", {}, messages.map((event) => messageElement(event, names))) : h("p", { class: "empty" }, words.messages.none));
  if (messages.length > before) place.scrollTop = place.scrollHeight;
}

function messageElement({ data, at }, names) {
  return h(
    "li",
    { class: data.seat === board.view.you?.seat ? "own" : "" },
    h("p", { class: "message-by" }, h("bdi", {}, names[data.seat]), " ", h("time", { datetime: at, title: absoluteTime(at) }, relativeTime(at))),
    h("p", { class: "message-text" }, data.text ?? words.messages.erased),
  );
}
