// Standing orders: what the seat does by itself when its turn starts.

import { cardName } from "../core/cards.js";
import { gamePath, get, request } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { fillWith, h } from "../core/dom.js";
import { sheetForm } from "./sheet.js";
import { fill, words } from "../core/words.js";

const MOST_STEPS = 12;
const MOST_ALTERNATIVES = 12;
const ROW_CHOICES = 10;
const HAND_CARDS = Object.keys(words.cards).filter((card) => card !== "reibach");
const KINDS = ["take", "draw", "append", "lay_businessmaker"];

/** The orders that are in force, and a form to change them. `again()` shows the panel anew. */
export async function ordersPanel(again) {
  const path = gamePath(board.id, "orders");
  // A view doesn't tell whether there are any: 404 says that there are none, also in the browser's console.
  const kept = await get(path, ownToken()).catch((problem) => {
    if (problem.status === 404) return null;
    throw problem;
  });
  const list = h("ol", { class: "orders" });
  const steps = kept?.steps.length ? kept.steps : [[{ type: "draw" }]];
  const add = (step) => list.append(stepEditor(list, step));
  steps.forEach(add);
  const more = h("button", { class: "button", type: "button", onclick: () => list.children.length < MOST_STEPS && add([{ type: "draw" }]) }, words.orders.add_step);
  const form = sheetForm([list, h("div", { class: "buttons orders-more" }, more)], words.orders.save, async () => {
    await request(path, { method: "PUT", token: ownToken(), body: { steps: [...list.children].map(readStep) } });
  });
  return [
    h("p", { class: "hint" }, words.orders.hint),
    kept?.dropped && droppedNote(kept.dropped),
    !kept?.steps.length && h("p", {}, words.orders.none),
    form,
    kept && sheetForm([], words.orders.remove, async () => {
      await request(path, { method: "DELETE", token: ownToken() });
      again();
    }),
  ];
}

function droppedNote({ turn, reasons }) {
  return h("div", { class: "note" }, h("p", {}, fill(words.orders.dropped, { turn })), h("ul", {}, reasons.map((reason) => h("li", {}, reason))));
}

function stepEditor(list, wishes) {
  const alternatives = h("ul", { class: "alternatives" }, wishes.map(wishEditor));
  const or = h("button", { class: "button", type: "button" }, words.orders.add_alternative);
  or.addEventListener("click", () => alternatives.children.length < MOST_ALTERNATIVES && alternatives.append(wishEditor({ type: "draw" })));
  const away = h("button", { class: "button", type: "button" }, words.orders.remove_step);
  const step = h("li", {}, alternatives, h("div", { class: "buttons" }, or, away));
  away.addEventListener("click", () => list.children.length > 1 && step.remove());
  return step;
}

function wishEditor(wish) {
  const kind = chooser(words.orders.kind, KINDS.map((name) => [name, words.orders.kinds[name]]), wish.type);
  const rest = h("span", { class: "field-line" });
  const away = h("button", { class: "step-button", type: "button" }, "\u2715");
  const element = h("li", { class: "field-line" }, kind, rest, away);
  away.addEventListener("click", () => element.parentElement.children.length > 1 && element.remove());
  kind.addEventListener("change", () => showRest(rest, kind.value, {}));
  showRest(rest, wish.type, wish);
  element.addEventListener("change", () => nameRemoval(element, away));
  nameRemoval(element, away);
  return element;
}

/** Let the button say what it removes: the action as it is chosen now. */
function nameRemoval(element, button) {
  const chosen = [...element.querySelectorAll("select")].map((one) => one.selectedOptions[0]?.label);
  button.title = fill(words.orders.remove_alternative, { alternative: chosen.filter(Boolean).join(", ") });
  button.setAttribute("aria-label", button.title);
}

function showRest(place, kind, { card, slot, row = 0 }) {
  const cards = HAND_CARDS.map((name) => [name, cardName(name)]);
  const slots = [0, 1, 2].map((number) => [`slot:${number}`, fill(words.orders.slot, { number: number + 1 })]);
  const rows = Array.from({ length: ROW_CHOICES }, (_, number) => [String(number), fill(words.orders.row, { number: number + 1 })]);
  fillWith(
    place,
    kind === "take" && chooser(words.orders.what, [...cards, ...slots], slot === undefined ? card : `slot:${slot}`),
    (kind === "append" || kind === "lay_businessmaker") && chooser(words.orders.what, cards, card),
    kind === "append" && chooser(words.orders.where, rows, String(row)),
  );
}

function chooser(label, options, value) {
  return h("select", { "aria-label": label }, options.map(([code, name]) => h("option", { value: code, selected: code === value }, name)));
}

function readStep(step) {
  return [...step.querySelectorAll(".alternatives > li")].map((element) => {
    const [kind, what, where] = [...element.querySelectorAll("select")].map((one) => one.value);
    if (kind === "take") return what.startsWith("slot:") ? { type: kind, slot: Number(what.slice(5)) } : { type: kind, card: what };
    if (kind === "append") return { type: kind, card: what, row: Number(where) };
    return kind === "draw" ? { type: kind } : { type: kind, card: what };
  });
}
