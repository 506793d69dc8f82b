// Parts of panels, and their forms.

import { fillWith, h } from "./dom.js";
import { problemText } from "./refusal.js";
import { words } from "./words.js";

export function part(title, ...children) {
  return h("section", { class: "part" }, h("h3", {}, title), children);
}

export function hintLine(text) {
  return h("p", { class: "hint" }, text);
}

export function field(label, input) {
  return h("label", { class: "field" }, label, input);
}

export function choice(label, properties) {
  return h("label", { class: "choice" }, h("input", { type: "checkbox", ...properties }), label);
}

export function selectOf(options, chosen, properties) {
  return h("select", properties, options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)));
}

/**
 * A form whose button, a main one where more than a hint is above it, calls `send(fields, say)`. Below it a problem is
 * told, what it says meanwhile, and a success, by its answer or else by `done`; after false, which leaves the page, nothing.
 */
export function sheetForm(fields, label, send, done = words.common.saved) {
  const note = h("p", { class: "form-note", role: "status" });
  const button = h("button", { class: `button${fields.tagName === "P" || fields.length === 0 ? "" : " button-main"}` }, label);
  const form = h("form", {}, fields, h("div", { class: "buttons" }, button), note);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return; // Enter in a field asks no button
    button.disabled = true;
    fillWith(note);
    try {
      const said = await send(form.elements, (text) => fillWith(note, text));
      if (said === false) return;
      fillWith(note, said ?? done);
    } catch (problem) {
      fillWith(note, problemText(problem, form));
      form.elements.namedItem(Object.keys(problem.errors ?? {})[0])?.focus();
    }
    button.disabled = false;
  });
  return form;
}
