// The whole table by keyboard.

import { board, focusOn } from "./board.js";
import { askFor, canAskFor, letGo } from "./dock.js";
import { openPanel } from "../menu/menu.js";
import { closeEnding } from "../menu/result.js";
import { closeRound } from "../menu/rounds.js";
import { closeSheet } from "../menu/sheet.js";
import { emptyTurn } from "./steps.js";

const FIELDS = "input, select, textarea, [contenteditable], dialog";
const TABLE = "#market, #dock, #display";
const LINES = [
  ["market", "button"],
  ["hand", ".card"],
  ["turn", ":is(button, a)"],
];

/** Listen to the keyboard. A key that is held does once what can't be taken back: the focus moves from button to button. */
export function listenToKeys() {
  document.addEventListener("keydown", (event) => {
    if (event.repeat && event.key === "Enter" && event.target.closest(TABLE)) event.preventDefault();
    if (event.repeat && !event.key.startsWith("Arrow")) return;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !board.view) return;
    if (event.target.closest(FIELDS)) return;
    if (press(event.key)) event.preventDefault();
  });
}

function press(key) {
  if (["1", "2", "3"].includes(key)) askByKey({ type: "take", slot: Number(key) - 1 });
  else if (key === "d") askByKey({ type: "draw" });
  else if (key === "Escape") closeSheet() || closeEnding() || closeRound() || letGo();
  else if (key === "Backspace") emptyTurn();
  else if (key === "?") openPanel("help");
  else if (key.startsWith("Arrow")) return move(key.slice(5));
  else return false;
  return true;
}

function askByKey(action) {
  if (canAskFor(action)) askFor(action);
}

function move(direction) {
  const lines = LINES.map(([id, what]) => [...document.querySelectorAll(`#${id} ${what}`)].filter((one) => one.tabIndex >= 0 && one.getClientRects().length));
  const here = lines.findIndex((line) => line.includes(document.activeElement));
  if (here < 0) return focusOn("hand:0") || lines.some((line) => focusFirst(line));
  if (direction === "Left" || direction === "Right") {
    const place = lines[here].indexOf(document.activeElement) + (direction === "Left" ? -1 : 1);
    lines[here].at(place % lines[here].length)?.focus();
    return true;
  }
  const others = direction === "Up" ? lines.slice(0, here).reverse() : lines.slice(here + 1);
  return others.some((line) => focusFirst(line));
}

function focusFirst(line) {
  (line.find((one) => one.matches(".target, [aria-pressed=true], [data-focus=send]")) ?? line[0])?.focus();
  return line.length > 0;
}
