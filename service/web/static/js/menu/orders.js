// Standing orders: what the seat does by itself when its turn starts. They are given by touching cards.

import { cardElement, cardName } from "../core/cards.js";
import { gamePath, getIfAny, request } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { announce, byId, fillWith, h } from "../core/dom.js";
import { problemText } from "../core/refusal.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";
import { palette } from "./orderpalette.js";
import { choice, sheetForm } from "./sheet.js";
import { isOwnTurn } from "../table/status.js";
import { fill, words } from "../core/words.js";

const MOST_STEPS = 12;
const MOST_ALTERNATIVES = 12;
const IF_NONE = ["drop", "skip", "keep"];

const WAITING = "reibach.orders";

let asked = ""; // the moment for which the service was asked whether orders wait
let isSaved = false; // the panel is shown anew because it was

/** Say in the status that orders wait, where this browser has given some: no view tells of them. */
export async function showWaiting() {
  const { view } = board;
  const isGiven = Boolean(view?.you && view.status !== "over" && keptOfGame(WAITING, board.id));
  byId("orders-waiting").hidden = !isGiven;
  if (!isGiven) return;
  const moment = `${view.turn?.number} ${isOwnTurn(view) && view.turn.action_points}`;
  if (moment === asked) return;
  asked = moment;
  await getIfAny(gamePath(board.id, "orders"), ownToken()).then(noteWaiting, () => undefined); // else asked at the next moment
}

function noteWaiting(orders) {
  const isWaiting = orders?.steps?.length > 0;
  keepOfGame(WAITING, board.id, isWaiting || null);
  byId("orders-waiting").hidden = !isWaiting;
}

export async function ordersPanel(again) {
  const path = gamePath(board.id, "orders");
  const kept = await getIfAny(path, ownToken());
  noteWaiting(kept);
  const put = (query, steps) => request(path + query, { method: "PUT", token: ownToken(), body: { steps: steps.map(written) } });
  const draft = new Draft((kept?.steps ?? []).map(read), (steps) => put("?preview=true", steps));
  const form = sheetForm([draft.element], words.orders.save, async () => {
    noteWaiting(await put("", draft.steps));
    isSaved = true;
    again();
  });
  draft.onchange = (steps) => form.querySelector(".button-main").toggleAttribute("disabled", !steps.length);
  draft.refresh();
  const saved = isSaved && words.menu.saved;
  isSaved = false;
  if (saved) announce(saved);
  return [
    saved && h("p", { class: "note" }, saved),
    h("p", {}, kept?.steps.length ? standing(kept.steps.map(read)) : words.orders.none),
    kept?.dropped && droppedNote(kept.dropped),
    h("p", { class: "hint" }, words.orders.hint),
    form,
    kept?.steps.length > 0 && sheetForm([], words.orders.remove, async () => {
      await request(path, { method: "DELETE", token: ownToken() });
      noteWaiting(null);
      again();
    }),
  ];
}

function standing(steps) {
  const texts = steps.map((step, index) => `${index + 1}. ${step.do.map(wishText).join(" / ")}`);
  return fill(words.orders.standing, { steps: texts.join("; ") });
}

function droppedNote({ turn, reasons }) {
  return h("div", { class: "note" }, h("p", {}, fill(words.orders.dropped, { turn })), h("ul", {}, reasons.map((reason) => h("li", {}, reason))));
}

function read(step) {
  return { do: [], repeat: false, if_none: IF_NONE[0], ...(Array.isArray(step) ? { do: step } : step) };
}

function written(step) {
  return step.repeat || step.if_none !== IF_NONE[0] ? step : step.do;
}

class Draft {
  element = h("div", { class: "draft" });
  #ending = h("div");
  onchange = () => undefined;
  #preview = null;
  #target = null; // the step that gets the next card as an alternative; null: a new step
  #asked = 0;

  /** `ask(steps)`: the answer with the preview of some steps. */
  constructor(steps, ask) {
    this.steps = steps;
    this.ask = ask;
  }

  /** Show all anew. What had the focus has it again, by its `data-focus`; else the palette has. */
  show() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const again = this.steps[this.#target];
    fillWith(
      this.element,
      h("ol", { class: "orders" }, this.steps.map((step, index) => this.#step(step, index))),
      this.#ending,
      this.steps.length < MOST_STEPS || again
        ? palette(again ? fill(words.orders.touch_alternative, { number: this.#target + 1 }) : words.orders.touch, (wish) => this.#add(wish), this.#laidBefore())
        : null,
    );
    fillWith(this.#ending, this.#end());
    if (focused) (this.element.querySelector(`[data-focus="${focused}"]`) ?? this.element.querySelector(".palette button"))?.focus();
    this.onchange(this.steps);
  }

  async refresh() {
    this.#preview = null;
    this.show();
    const asked = (this.#asked += 1);
    if (!this.steps.length) return;
    const found = await this.ask(this.steps).then((answer) => answer, (problem) => ({ problem: problemText(problem) }));
    if (asked !== this.#asked) return;
    this.#preview = found;
    fillWith(this.#ending, this.#end()); // and nothing else: the player keeps choosing meanwhile
  }

  #laidBefore() {
    const before = this.steps.slice(0, this.#target ?? this.steps.length);
    return before.filter((step) => step.do.some(({ type }) => type === "lay_businessmaker")).length;
  }

  #add(wish) {
    const step = this.steps[this.#target];
    if (step) step.do = [...step.do, wish];
    else this.steps.push(read([wish]));
    this.#target = null;
    this.refresh();
  }

  #remove(index, at) {
    const step = this.steps[index];
    step.do = step.do.filter((_, other) => other !== at);
    if (!step.do.length) this.steps.splice(index, 1);
    this.#target = null;
    this.refresh();
  }

  #step(step, index) {
    const number = index + 1;
    const or = () => {
      this.#target = this.#target === index ? null : index;
      this.show();
      this.element.querySelector(".palette button")?.focus();
    };
    const choose = (name, value) => {
      step[name] = value;
      this.refresh();
    };
    return h(
      "li",
      { "aria-label": fill(words.orders.step, { number }) },
      h("ul", { class: "alternatives" }, step.do.map((wish, place) => h("li", {}, wishLine(wish, `order:remove:${index}:${place}`, () => this.#remove(index, place))))),
      h("div", { class: "order-line" },
        step.do.length < MOST_ALTERNATIVES && h("button", { class: "button", "aria-pressed": String(this.#target === index), dataset: { focus: `order:or:${index}` }, onclick: or }, words.orders.add_alternative),
        choice(h("input", { type: "checkbox", checked: step.repeat, dataset: { focus: `order:repeat:${index}` }, onchange: (event) => choose("repeat", event.target.checked) }), words.orders.repeat)),
      h("label", { class: "order-choice" }, words.orders.if_none,
        h("select", { dataset: { focus: `order:none:${index}` }, onchange: (event) => choose("if_none", event.target.value) },
          IF_NONE.map((name) => h("option", { value: name, selected: name === step.if_none }, words.orders.if_nones[name])))),
    );
  }

  #end() {
    if (!this.#preview) return null;
    const { preview, dropped, problem } = this.#preview;
    if (problem) return h("p", { class: "note", role: "status" }, problem);
    const actions = preview.map((action, index) => wishText(named(action, preview.slice(0, index))));
    const last = preview.at(-1);
    const isUnknown = last?.type === "draw" || (last?.type === "take" && isTakenBefore(last, preview.slice(0, -1)));
    return h("p", { class: "order-end", role: "status" },
      h("b", {}, actions.length ? fill(words.orders.would, { actions: actions.join(", ") }) : words.orders.would_nothing),
      isUnknown && ` ${words.orders.unknown}`,
      dropped && ` ${words.orders.would_drop} ${dropped.reasons.join(" ")}`);
  }
}

function wishLine(wish, focus, onclick) {
  const label = fill(words.orders.remove_alternative, { alternative: wishText(wish) });
  const card = wish.card || wish.type === "draw" ? cardElement(wish.card ?? null, { small: true }) : null;
  card?.setAttribute("aria-hidden", "true");
  return h("span", { class: "wish" }, card, h("span", { class: "wish-text" }, wishText(wish)), h("button", { class: "step-button", title: label, "aria-label": label, dataset: { focus }, onclick }, "\u2715"));
}

/** An action of a preview: a card taken from the display is named, unless one before it has taken what lies there. */
function named(action, earlier) {
  return action.type === "take" && !isTakenBefore(action, earlier) ? { type: "take", card: board.view.display[action.slot] } : action;
}

function isTakenBefore({ slot }, earlier) {
  return earlier.some((one) => one.slot === slot);
}

function wishText({ type, card, slot, row, business }) {
  if (type === "take" && slot !== undefined) return fill(words.orders.wishes.take_slot, { number: slot + 1 });
  if (type === "append" && business) return fill(words.orders.wishes.append_to, { card: cardName(card), business: cardName(business) });
  return fill(words.orders.wishes[type], { card: card && cardName(card), number: row + 1 });
}
