// A proof on the page: each step with what is given, the rule, and what came out.

import { h } from "../core/dom.js";
import { fill, listOf, words } from "../core/words.js";

const STATES = { ok: `✓ ${words.check.holds}`, failed: `✗ ${words.check.fails}`, "not checkable": `– ${words.check.open}` };
const MOST_SHOWN = 140;
/** Characters that are shown before the first difference of two texts, and after the last. */
const AROUND_DIFFERENCE = 40;

export const stepId = (number) => `step-${number}`;

/** A step of `verifyLog` as an item of a list; steps count from 1. `origin`: of the receipt that it is about, if any. */
export function stepItem(step, number, origin = null) {
  return h("li", { class: "proof-step", id: stepId(number), dataset: { state: step.state, step: step.name } },
    h("h3", {}, h("span", {}, `${number}. ${words.check.steps[step.name]}`), h("span", { class: "proof-state" }, STATES[step.state])),
    h("p", { class: "proof-meaning" }, words.check.meanings[step.name]),
    origin && h("p", { class: "proof-origin" }, words.check.origins[origin]),
    step.state === "failed" ? faultParts(step) : notePart(step),
    step.erased > 0 && notePart({ code: "erased", values: { n: step.erased } }),
    h("details", { class: "more", open: step.state === "failed" }, h("summary", {}, words.check.work),
      h("dl", { class: "proof-work" },
        workParts(words.check.inputs, step.inputs),
        h("dt", {}, words.check.formula), h("dd", {}, h("code", {}, fill(step.formula, formulaWords()))),
        workParts(words.check.output, step.output))));
}

function formulaWords() {
  return {
    ...words.scoring.reasons,
    risk: words.cards.risk,
    third_round: fill(words.scoring.title, { round: 3 }),
    empty_businessmakers: words.scoring.empty_businessmakers,
    hand_cards: words.scoring.hand_cards,
  };
}

function notePart({ code, values }) {
  if (!code) return null;
  const given = Object.entries(values).map(([name, value]) => [name, Array.isArray(value) ? listOf(value) : value]);
  return h("p", {}, fill(words.check.notes[code], Object.fromEntries(given)));
}

function faultParts({ code, version, expected, found }) {
  const [left, right] = differingParts(expected, found);
  const compared = (name, heading, [before, middle, after]) =>
    h("div", { class: name }, h("h4", {}, heading), h("code", {}, before, h("mark", {}, middle || "∅"), after));
  return [
    h("p", { class: "proof-fault" }, words.check.faults[code], " ", h("code", {}, `v = ${version}`)),
    h("div", { class: "compared" }, compared("is-expected", words.check.expected, left), compared("is-found", words.check.found, right)),
  ];
}

/** Two texts, each as [before, what differs, after]; what is alike is cut to a little on either side. */
function differingParts(one, other) {
  const [left, right] = [[...one], [...other]];
  const shorter = Math.min(left.length, right.length);
  let start = 0;
  while (start < shorter && left[start] === right[start]) start += 1;
  let tail = 0;
  while (tail < shorter - start && left.at(-1 - tail) === right.at(-1 - tail)) tail += 1;
  return [left, right].map((text) => {
    const end = text.length - tail;
    const from = Math.max(0, start - AROUND_DIFFERENCE);
    const to = Math.min(text.length, end + AROUND_DIFFERENCE);
    const middle = text.slice(start, end).join("");
    return [
      (from > 0 ? "…" : "") + text.slice(from, start).join(""),
      middle.length > 4 * MOST_SHOWN ? `${middle.slice(0, 4 * MOST_SHOWN)}…` : middle,
      text.slice(end, to).join("") + (to < text.length ? "…" : ""),
    ];
  });
}

function workParts(heading, pairs) {
  if (pairs.length === 0) return null;
  return [h("dt", {}, heading), pairs.map(([name, value]) => h("dd", {}, valuePart(name, value)))];
}

function valuePart(name, value) {
  const label = h("span", { class: "proof-name" }, `${name} = `);
  if (value.length <= MOST_SHOWN) return h("code", {}, label, value);
  return h("details", { class: "proof-long" },
    h("summary", {}, h("code", {}, label, `${value.slice(0, 40)}…`), " ", words.check.whole),
    h("code", { tabindex: 0 }, value));
}
