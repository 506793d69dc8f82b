// A sheet over the table, which it leaves usable: a part of the game's menu.

import { byId, fillWith, h, isWriting } from "../core/dom.js";
import { problemText } from "../core/refusal.js";
import { words } from "../core/words.js";

let opener = null;
let onclosed = () => undefined;

export function openSheet(title, ...children) {
  const sheet = byId("sheet");
  if (!sheet.open) opener = document.activeElement;
  fillWith(byId("sheet-title"), title);
  fillWith(byId("sheet-body"), children);
  if (!sheet.open) sheet.show();
  byId("sheet-body").scrollTop = 0;
  if (!isWriting()) byId("sheet-title").focus();
}

export function onSheetClosed(listener) {
  onclosed = listener;
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
  onclosed();
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

export function part(title, ...children) {
  return h("section", { class: "part" }, h("h3", {}, title), children);
}

export function field(label, input) {
  return h("div", { class: "field" }, h("label", { for: input.id }, label), input);
}

export function choice(box, label) {
  return h("label", { class: "choice" }, box, label);
}

/** A form whose button, a main one where more than a hint is above it, calls `send`; a problem is told below it, and a success by `done`. */
export function sheetForm(fields, label, send, done = words.menu.saved) {
  const note = h("p", { class: "form-note", role: "status" });
  const button = h("button", { class: `button${fields.tagName === "P" || fields.length === 0 ? "" : " button-main"}` }, label);
  const form = h("form", {}, fields, h("div", { class: "buttons" }, button), note);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return; // Enter in a field asks no button
    button.disabled = true;
    fillWith(note);
    try {
      const said = await send(form.elements);
      fillWith(note, said ?? done);
    } catch (problem) {
      fillWith(note, problemText(problem, form));
    } finally {
      button.disabled = false;
    }
  });
  return form;
}
