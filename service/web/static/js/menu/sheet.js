// A sheet over the table, which it leaves usable: a part of the game's menu.

import { byId, fillWith, h, isWriting } from "../core/dom.js";

let opener = null;

export function openSheet(title, ...children) {
  const sheet = byId("sheet");
  if (!sheet.open) opener = document.activeElement;
  fillWith(byId("sheet-title"), title);
  fillWith(byId("sheet-body"), children);
  if (!sheet.open) sheet.show();
  byId("sheet-body").scrollTop = 0;
  if (!isWriting()) byId("sheet-title").focus();
}

export function isSheetOpen() {
  return byId("sheet").open;
}

/** Close it; the focus is where it was. Answers whether there was one. */
export function closeSheet() {
  const sheet = byId("sheet");
  if (!sheet.open) return false;
  sheet.close();
  fillWith(byId("sheet-body"));
  if (opener?.isConnected) opener.focus();
  return true;
}

export function startSheet() {
  byId("sheet-close").addEventListener("click", closeSheet);
  byId("sheet").addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    event.preventDefault();
    closeSheet();
  });
}
