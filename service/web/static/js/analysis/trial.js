// "What would you play?": a turn on the table as its seat saw it; then what was played, the best, and one's own.

import { LAYING } from "../core/actions.js";
import { chip, sortedHand } from "../core/cards.js";
import { announce, byId, fillWith, h } from "../core/dom.js";
import { showTop } from "../core/scrolling.js";
import { shownTouches, touchesOf } from "../market/touches.js";
import { openPlaces } from "../market/worth.js";
import { canAfford, targetsFor } from "../table/turn.js";
import { isSpecial } from "../verify/cards/deck.js";
import { fill, words } from "../core/words.js";
import { afterTurn, amountText, isSame, known, leadText, thinkText, whyText } from "./plan.js";

/**
 * The turn that is thought through: `judged`, one of `listed`, with the seat's `view`, and what the played one has `drawn`;
 * `actions`: one's own; `selected`: the place of a hand card; `compared`: the turn that the table shows afterwards.
 */
let trial = null;

document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && !byId("trial").hidden) trial.stage.leave();
});

/** Let a turn of the analysis be thought through, on a stage (see analysis.js). */
export function openTrial(judged, listed, stage) {
  const { seat, version } = judged;
  const { view, hands } = stage.see(judged);
  const events = stage.frames.slice(version).map(({ event }) => event);
  const ofTurn = events.slice(0, events.findIndex(({ type }) => type === "TurnStarted")); // or without the last, the game's end
  const drawn = ofTurn.flatMap(({ type, data }) => (/^Card(Taken|Drawn)$/.test(type) ? [data.card] : []));
  trial = { judged, listed, stage, hands, drawn, view: { ...view, you: { seat, hand: sortedHand(hands[seat]) } } };
  byId("trial").hidden = false;
  change({ actions: [] });
  showTop();
}

/** Change the trial, and show it. No card is chosen then, and nothing compared, unless the changes say so. */
function change(changes) {
  Object.assign(trial, { selected: null, compared: null }, changes);
  const { judged, stage, hands, compared, actions, selected } = trial;
  const focused = document.activeElement?.dataset.focus;
  const after = outcomeOf(compared ?? actions);
  const { hand } = after.you;
  const marks = after.moves.filter(({ type }) => LAYING.includes(type)).map(({ row }) => row);
  stage.show({ view: after, hands: hands.with(judged.seat, hand) }, { marks, ...(compared ? NO_TOUCH : touchOf(after)) });
  const title = h("h2", { id: "trial-heading", tabindex: -1 }, thinkText(judged, stage.names));
  fillWith(byId("trial"), title, compared ? comparison() : composition(after, hand[selected]));
  const goOn = focused && (document.querySelector(`[data-focus="${focused}"]`) ?? document.querySelector("#players button, #trial .button-main"));
  (goOn || title).focus({ preventScroll: true });
}

function outcomeOf(turn) {
  return afterTurn(trial.view, turn, turn === trial.judged.played ? trial.drawn : []);
}

function act(action) {
  change({ actions: [...trial.actions, action] });
}

const NO_TOUCH = { lay: {}, take: () => ({}), hand: () => ({}) };

/** What touching the cards does, in the form of `board.js`. */
function touchOf(after) {
  const { judged: { seat }, stage, selected } = trial;
  const { hand } = after.you;
  const cards = selected === null ? hand.filter((card) => card && !isSpecial(card)) : [hand[selected]];
  const touches = touchesOf(after, [], cards, after.seats[seat].rows);
  return {
    lay: shownTouches(touches, selected !== null, openPlaces(after), seat, stage.names),
    choose: (business) => act({ type: "append", ...touches[business] }),
    take: (action) => (canAfford(after, [], action) ? { focus: `${action.type}${action.slot}`, onclick: () => act(action) } : {}),
    hand(card, index) {
      const { rows, isNewRow } = targetsFor(after, [], card);
      if (!card || !(rows.length || isNewRow)) return {};
      const onclick = ({ detail }) => {
        change({ selected: trial.selected === index ? null : index });
        if (!detail) document.querySelector("#market .target, #trial .target")?.focus(); // by keyboard
      };
      return { focus: `hand${index}`, pressed: selected === index, onclick };
    },
  };
}

function composition(after, card) {
  const { actions, judged, stage } = trial;
  const isNewRow = card && targetsFor(after, [], card).isNewRow;
  const pick = after.you.hand.length ? words.turn.hint_pick : words.turn.hint_take;
  const hint = card ? fill(words.turn.hint_target, { card: words.cards[card] }) : pick;
  return [
    movesList(after),
    after.turn.action_points > 0 && h("p", { class: "hint" }, hint),
    h("div", { class: "buttons" },
      isNewRow && button(`+ ${words.table.new_row}`, () => act({ type: "lay_businessmaker", card }), " target"),
      actions.length > 0 && button(words.turn.empty, () => change({ actions: [] })),
      after.turn.action_points
        ? button(words.analysis.show, () => compare(judged.best))
        : button(words.analysis.compare, () => compare(actions), " button-main"),
      button(words.turn.back, stage.leave)),
  ];
}

function compare(compared) {
  change({ compared });
  if (innerWidth < 700 || trial.hands.length > 3) byId("market").scrollIntoView();
  announce(document.querySelector("#trial .why").textContent);
}

function comparison() {
  const { judged, listed, stage, view, actions } = trial;
  const { played, best, gain, loss } = judged;
  const next = listed[listed.indexOf(judged) + 1];
  const isOwn = ([turn]) => isSame(view, actions.slice(0, turn.length), turn); // the best may end with a draw
  const same = [[best, words.analysis.same_best], [played, words.analysis.same_played]].find(isOwn);
  const isThird = actions.length > 0 && !same;
  if (same && trial.compared === actions) [trial.compared] = same;
  const why = () => `${fill(words.analysis.more, { amount: amountText(loss) })} ${whyText(judged, stage.names)}`;
  return [
    h("div", { class: "turns" },
      column(words.analysis.played, played, gain.played),
      column(words.analysis.best, best, gain.best),
      isThird && column(words.analysis.yours, actions)),
    h("p", { class: "hint" }, words.analysis.lead, isThird && ` ${words.analysis.lead_of_two}`),
    h("p", { class: "why" }, h("b", {}, same?.[1]), " ", isSame(view, played, best) ? words.analysis.was_best : why()),
    h("div", { class: "buttons" },
      next && button(words.analysis.next, () => openTrial(next, listed, stage), " button-main"),
      button(words.turn.back, stage.leave)),
  ];
}

/** One of the turns that are compared; its button shows it on the table. */
function column(title, turn, lead) {
  const after = outcomeOf(turn);
  const part = lead === undefined ? turn : known(turn);
  return h("div", { class: "turn-column" },
    button(title, () => change({ compared: turn }), "", trial.compared === turn),
    movesList(after, 0, part.length),
    lead !== undefined && outcomeOf(part).turn.action_points > 0 && h("div", {}, words.analysis.then),
    movesList(after, part.length),
    lead !== undefined && h("b", {}, leadText(lead)));
}

function button(text, onclick, extra = "", pressed = null) {
  return h("button", { class: `button${extra}`, "aria-pressed": pressed, dataset: { focus: text }, onclick }, text);
}

/** What a turn does, a line an action. */
function movesList({ moves, seats, you }, ...part) {
  return h("ol", { class: "moves" }, moves.slice(...part).map(({ type, card, row }) => {
    const business = type === "CardAppended" && isSpecial(card) && seats[you.seat].rows[row].business;
    return h("li", {}, words.market.done[type], " ", (card || (card === null && type !== "CardDrawn")) && chip(card), business && [" \u2192 ", chip(business)]);
  }));
}
