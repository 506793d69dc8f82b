// The menu of a game: everything that isn't played with cards. Its panels are loaded for the first one.

import { byId } from "../core/dom.js";
import { incompleteNote } from "../core/refusal.js";
import { openSheet } from "./sheet.js";
import { words } from "../core/words.js";

export function startMenu() {
  byId("orders-waiting").addEventListener("click", () => openPanel("orders"));
  byId("game-menu").addEventListener("click", () => openLate(({ openMenu }) => openMenu()));
}

export function openPanel(name) {
  return openLate(({ showPanel }) => showPanel(name));
}

async function openLate(show) {
  const panels = await import("./panels.js").catch(() => null);
  if (panels) await show(panels);
  else openSheet(words.menu.title, incompleteNote());
}
