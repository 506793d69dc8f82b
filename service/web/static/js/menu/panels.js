// The panels of a game's menu.

import { board, showBoard } from "../table/board.js";
import { clockPanel } from "./clockpanel.js";
import { h } from "../core/dom.js";
import { problemNote } from "../core/refusal.js";
import { notificationsPanel } from "./noticepanel.js";
import { ordersPanel } from "./orders.js";
import { seatPanel, watchPanel } from "./seatpanel.js";
import { change, settings } from "./settings.js";
import { choice, part } from "../core/forms.js";
import { openSheet } from "./sheet.js";
import { sound } from "../news/signals.js";
import { pageAddress, words } from "../core/words.js";

export function openMenu() {
  const { view } = board;
  openSheet(
    words.menu.title,
    view ? h("ul", { class: "menu-list" },
      Object.entries(PANELS).filter(([, [, , isOffered]]) => isOffered(view)).map(([name, [title]]) =>
        h("li", {}, h("button", { class: "menu-item", onclick: () => showPanel(name) }, title))),
      view.status !== "open" && pageLinks(view.id).map(([path, title]) =>
        h("li", {}, h("a", { class: "menu-item", href: pageAddress(path) }, title)))) : watchPanel(),
    view?.you && [setting("ask", words.menu.ask), setting("worth", words.menu.worth), setting("sound", words.menu.sound, () => sound("turn"))],
  );
}

export function pageLinks(id) {
  return [
    [`/g/${id}/replay`, words.menu.replay],
    [`/g/${id}/sheet`, words.menu.score_sheet],
    [`/g/${id}/check`, words.menu.check],
  ];
}

function setting(name, text, then = showBoard) {
  return choice(text, { checked: settings()[name] === true, onchange: ({ target }) => {
    change({ [name]: target.checked });
    then();
  } });
}

const isRunning = ({ you, status }) => you && status !== "open" && status !== "over";

/** Of each part its title, what makes it, and whether it is offered in a view. */
const PANELS = {
  orders: [words.orders.title, ordersPanel, isRunning],
  notifications: [words.notices.title, notificationsPanel, ({ you, status }) => you && status !== "over"],
  clock: [words.clock.title, clockPanel, isRunning],
  seat: [words.menu.seat, seatPanel, ({ you }) => you],
  watch: [words.menu.take_seat, watchPanel, () => true],
  help: [words.menu.help, helpPanel, () => true],
};

export async function showPanel(name) {
  const [title, make] = PANELS[name];
  openSheet(title, h("p", { class: "empty" }, words.common.loading));
  const content = await Promise.resolve(make(() => showPanel(name))).catch(problemNote);
  openSheet(title, content, h("p", { class: "back" }, h("button", { class: "button", onclick: openMenu }, words.menu.back)));
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
    part(words.menu.how, h("ul", {}, words.menu.how_lines.map((line) => h("li", {}, line))),
      h("p", {}, h("a", { href: pageAddress("/rules") }, words.common.rules))),
    part(words.keyboard.title, h("dl", { class: "keys" }, keys.map(([key, meaning]) => [h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)]))),
  ];
}
