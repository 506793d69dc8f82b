// The menu of a game: everything that isn't played with cards.

import { board, showBoard } from "../table/board.js";
import { clockPanel } from "./clockpanel.js";
import { byId, h } from "../core/dom.js";
import { problemNote } from "../core/refusal.js";
import { notificationsPanel } from "./notifications.js";
import { ordersPanel } from "./orders.js";
import { seatPanel, watchPanel } from "./seatpanel.js";
import { change, settings } from "./settings.js";
import { choice, openSheet, part } from "./sheet.js";
import { sound } from "../news/signals.js";
import { pageAddress, words } from "../core/words.js";

export function startMenu() {
  byId("orders-waiting").addEventListener("click", () => openPanel("orders"));
  byId("game-menu").addEventListener("click", () => openMenu());
}

function openMenu() {
  const { view } = board;
  if (!view) {
    openSheet(words.menu.title, watchPanel());
    return;
  }
  const isSeat = view.you !== null;
  openSheet(
    words.menu.title,
    h("ul", { class: "menu-list" },
      Object.entries(PANELS).filter(([, [, , isOffered]]) => isOffered(view)).map(([name, [title]]) => menuItem(title, () => openPanel(name))),
      view.status !== "open" && pageLinks(view.id).map(([path, title]) => h("li", {}, h("a", { class: "menu-item", href: pageAddress(path) }, title)))),
    isSeat && [setting("ask", words.menu.ask), setting("worth", words.menu.worth), setting("sound", words.menu.sound, () => sound("turn"))],
  );
}

export function pageLinks(id) {
  return [
    [`/g/${id}/replay`, words.menu.replay],
    [`/g/${id}/sheet`, words.menu.score_sheet],
    [`/g/${id}/check`, words.menu.check],
  ];
}

function menuItem(title, open) {
  return h("li", {}, h("button", { class: "menu-item", onclick: open }, title));
}

function setting(name, text, then = showBoard) {
  const box = h("input", { type: "checkbox", checked: settings()[name] === true, onchange: () => {
    change({ [name]: box.checked });
    then();
  } });
  return choice(box, text);
}

const isRunning = ({ you, status }) => you !== null && status !== "open" && status !== "over";

/** Of each part its title, what makes it, and whether it is offered in a view. */
const PANELS = {
  orders: [words.orders.title, ordersPanel, isRunning],
  notifications: [words.notices.title, notificationsPanel, ({ you, status }) => you !== null && status !== "over"],
  clock: [words.clock.title, clockPanel, isRunning],
  seat: [words.menu.seat, seatPanel, ({ you }) => you !== null],
  watch: [words.menu.take_seat, watchPanel, () => true],
  help: [words.menu.help, helpPanel, () => true],
};

export async function openPanel(name) {
  const [title, make] = PANELS[name];
  openSheet(title, h("p", { class: "empty" }, words.common.loading));
  try {
    openSheet(title, await make(() => openPanel(name)), backButton());
  } catch (problem) {
    openSheet(title, problemNote(problem), backButton());
  }
}

function backButton() {
  return h("p", { class: "back" }, h("button", { class: "button", onclick: openMenu }, words.menu.back));
}

function helpPanel() {
  const keys = [
    ["1 2 3", words.keyboard.take],
    ["d", words.keyboard.draw],
    ["\u2190 \u2192 \u2191 \u2193", words.keyboard.move],
    ["Enter", words.keyboard.choose],
    ["Esc", words.keyboard.escape],
    ["\u232b", words.keyboard.empty],
    ["?", words.keyboard.help],
  ];
  return [
    part(words.menu.how, h("ul", {}, words.menu.how_lines.map((line) => h("li", {}, line))), h("p", {}, h("a", { href: pageAddress("/rules") }, words.common.rules))),
    part(words.keyboard.title, h("dl", { class: "keys" }, keys.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]))),
  ];
}
