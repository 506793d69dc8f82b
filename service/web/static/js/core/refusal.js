// What the service refuses of a form, shown at the field that it names.

import { fillWith, h } from "./dom.js";
import { words } from "./words.js";

/** What was refused of a field, with its label in front: messages of the service name no field. */
export function refusalOf(field, messages) {
  const label = field.getAttribute("aria-label") ?? field.labels?.[0]?.textContent;
  return label ? `${label}${words.colon}${messages.join(" ")}` : messages.join(" ");
}

/** What a problem says: of its fields, with their labels if `form` has them, or in its detail. */
export function problemText(problem, form = null) {
  const errors = Object.entries(problem.errors ?? {}).map(([path, messages]) => {
    const field = form?.elements.namedItem(path);
    return field ? refusalOf(field, messages) : messages.join(" ");
  });
  return errors.length ? errors.join(" ") : (problem.detail ?? String(problem));
}

export function problemNote(problem) {
  return h("p", { class: "note", role: "alert" }, problemText(problem));
}

/** That a late script is missing, in the place of what it would show. */
export function incompleteNote() {
  return h("p", { class: "note", role: "alert" }, words.common.incomplete);
}

/** The fields of a form's rows, one a seat, by their paths in the request: names, and addresses of those invited. */
export function seatFields(rows) {
  const fieldsOf = (row, seat) => [[`seats.${seat}.name`, row.querySelector("input")], [`seats.${seat}.invite`, row.querySelector("[name=invite]")]];
  return Object.fromEntries(rows.flatMap(fieldsOf).filter(([, field]) => field));
}

/**
 * Show a problem of a form: below each of its `fields` (path in the request -> input) that it names, and the rest in
 * `note`. The first of these fields has the focus.
 */
export function showFormRefusal(problem, fields, note) {
  const errors = Object.entries(problem.errors ?? {});
  const ofFields = errors.filter(([path]) => fields[path]);
  ofFields.forEach(([path, messages], index) => {
    const id = `refusal-${note.id}-${index}`;
    fields[path].setAttribute("aria-invalid", "true");
    fields[path].setAttribute("aria-describedby", id);
    fields[path].parentElement.append(h("p", { class: "problem", id, role: "alert" }, refusalOf(fields[path], messages)));
  });
  fields[ofFields[0]?.[0]]?.focus();
  const rest = errors.filter(([path]) => !fields[path]).flatMap(([, messages]) => messages);
  note.hidden = ofFields.length > 0 && !rest.length;
  fillWith(note, rest.length ? rest.join(" ") : String(problem));
}

export function hideFormRefusal(form, note) {
  note.hidden = true;
  for (const field of form.querySelectorAll("[aria-invalid]")) {
    field.removeAttribute("aria-invalid");
    field.removeAttribute("aria-describedby");
    field.parentElement.querySelector(".problem")?.remove();
  }
}
