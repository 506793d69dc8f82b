// Standing orders: what the seat does by itself when its turn starts. They are given by touching cards.

import { cardElement, cardName } from "../core/cards.js";
import { gamePath, getIfAny, request } from "../core/api.js";
import { board, focusOn, ownToken } from "../table/board.js";
import { fillWith, h } from "../core/dom.js";
import { problemNote } from "../core/refusal.js";
import { palette } from "./orderpalette.js";
import { noteWaiting } from "./waiting.js";
import { choice, hintLine, selectOf, sheetForm } from "../core/forms.js";
import { fill, words } from "../core/words.js";

const MOST_STEPS = 12;
const MOST_ALTERNATIVES = 12;
const IF_NONE = ["drop", "skip", "keep"];

export async function ordersPanel(again) {
  const path = gamePath(board.id, "orders");
  const put = (query, steps) => request(path + query, { method: "PUT", token: ownToken(), body: { steps: steps.map(written) } });
  const remove = () => request(path, { method: "DELETE", token: ownToken() }).then(again);
  const [told, removal] = [h("div"), h("div")];
  const tell = (kept) => {
    noteWaiting(kept);
    fillWith(told, h("p", {}, kept?.steps.length ? standing(kept.steps.map(read)) : words.orders.none), kept?.dropped && droppedNote(kept.dropped));
    fillWith(removal, kept?.steps.length > 0 && sheetForm([], words.orders.remove, remove));
  };
  const kept = await getIfAny(path, ownToken());
  tell(kept);
  const draft = new Draft((kept?.steps ?? []).map(read), (steps) => put("?preview=true", steps));
  const form = sheetForm([draft.element], words.orders.save, async () => tell(await put("", draft.steps)));
  draft.refresh();
  return [told, hintLine(words.orders.hint), form, removal];
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
  #target = null; // the step that gets the next card as an alternative; null: a new step
  #asked = 0;

  /** `ask(steps)`: the answer with the preview of some steps. */
  constructor(steps, ask) {
    this.steps = steps;
    this.ask = ask;
  }

  /** Show all anew, within a form. What had the focus has it again, by its `data-focus`; else the palette has. */
  show() {
    const focused = this.element.contains(document.activeElement) ? document.activeElement.dataset.focus : null;
    const again = this.steps[this.#target];
    fillWith(
      this.element,
      h("ol", { class: "orders" }, this.steps.map((step, index) => this.#step(step, index))),
      this.#ending,
      (again || this.steps.length < MOST_STEPS) && palette(
        again ? fill(words.orders.touch_alternative, { number: this.#target + 1 }) : words.orders.touch,
        (wish) => this.#add(wish), this.#laidBefore()),
    );
    if (focused && !focusOn(focused)) this.#focusPalette();
    this.element.closest("form").querySelector(".button-main").disabled = !this.steps.length;
  }

  async refresh() {
    this.#target = null;
    fillWith(this.#ending);
    this.show();
    const asked = (this.#asked += 1);
    if (!this.steps.length) return;
    const note = await this.ask(this.steps).then(previewNote, problemNote);
    if (asked === this.#asked) fillWith(this.#ending, note); // and nothing else: the player keeps choosing meanwhile
  }

  #focusPalette() {
    this.element.querySelector(".palette button")?.focus();
  }

  #laidBefore() {
    const before = this.steps.slice(0, this.#target ?? this.steps.length);
    return before.filter((step) => step.do.some(({ type }) => type === "lay_businessmaker")).length;
  }

  #add(wish) {
    const step = this.steps[this.#target];
    if (step) step.do.push(wish);
    else this.steps.push(read([wish]));
    this.refresh();
  }

  #remove(index, at) {
    this.steps[index].do.splice(at, 1);
    if (!this.steps[index].do.length) this.steps.splice(index, 1);
    this.refresh();
  }

  #step(step, index) {
    const number = index + 1;
    const or = () => {
      this.#target = this.#target === index ? null : index;
      this.show();
      this.#focusPalette();
    };
    const choose = (name, value) => {
      step[name] = value;
      this.refresh();
    };
    return h(
      "li",
      { "aria-label": fill(words.orders.step, { number }) },
      h("ul", { class: "alternatives" }, step.do.map((wish, place) =>
        h("li", {}, wishLine(wish, `order:remove:${index}:${place}`, () => this.#remove(index, place))))),
      h("div", { class: "order-line" },
        step.do.length < MOST_ALTERNATIVES && h("button",
          { class: "button", "aria-pressed": this.#target === index, dataset: { focus: `order:or:${index}` }, onclick: or },
          words.orders.add_alternative),
        choice(words.orders.repeat,
          { checked: step.repeat, dataset: { focus: `order:repeat:${index}` }, onchange: ({ target }) => choose("repeat", target.checked) })),
      h("label", { class: "order-choice" }, words.orders.if_none,
        selectOf(IF_NONE.map((name) => [name, words.orders.if_nones[name]]), step.if_none,
          { dataset: { focus: `order:none:${index}` }, onchange: ({ target }) => choose("if_none", target.value) })),
    );
  }
}

/** What the orders would do now, by an answer to a preview. */
function previewNote({ preview, dropped }) {
  const named = preview.map((action, index) => nameTaken(action, preview.slice(0, index)));
  const last = named.at(-1);
  return h("p", { role: "status" },
    h("b", {}, named.length ? fill(words.orders.would, { actions: named.map(wishText).join(", ") }) : words.orders.would_nothing),
    (last?.type === "draw" || last?.slot !== undefined) && ` ${words.orders.unknown}`,
    dropped && ` ${words.orders.would_drop} ${dropped.reasons.join(" ")}`);
}

function wishLine(wish, focus, onclick) {
  const label = fill(words.orders.remove_alternative, { alternative: wishText(wish) });
  const card = wish.card || wish.type === "draw" ? cardElement(wish.card ?? null, { small: true }) : null;
  card?.setAttribute("aria-hidden", "true");
  return h("span", { class: "wish" }, card, h("span", { class: "wish-text" }, wishText(wish)),
    h("button", { class: "step-button", title: label, "aria-label": label, dataset: { focus }, onclick }, "\u2715"));
}

/** An action of a preview: a card taken from the display is named, unless one before it has taken what lies there. */
function nameTaken(action, earlier) {
  const isKnown = action.type === "take" && !earlier.some(({ slot }) => slot === action.slot);
  return isKnown ? { type: "take", card: board.view.display[action.slot] } : action;
}

function wishText({ type, card, slot, row, business }) {
  if (type === "take" && slot !== undefined) return fill(words.orders.wishes.take_slot, { number: slot + 1 });
  if (type === "append" && business) return fill(words.orders.wishes.append_to, { card: cardName(card), business: cardName(business) });
  return fill(words.orders.wishes[type], { card: card && cardName(card), number: row + 1 });
}
