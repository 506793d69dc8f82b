// The turn that is being composed: what needs no new knowledge is a list until it is sent.

import { readStored, store } from "../core/storage.js";
import { extendedRow, newRow } from "../market/worth.js";
import { costOfTake, DRAW_COST, mayAppend, MOST_ROWS, valuesOfGame } from "../verify/cards/deck.js";

const TURNS = "reibach.turn.";

/** Whether an action can wait in the list: it shows no card. */
export function canWait(action) {
  return action.type === "lay_businessmaker" || action.type === "append";
}

export function costOf(view, action) {
  if (action.type === "draw") return DRAW_COST;
  if (action.type !== "take") return 1;
  return costOfTake(view.display[action.slot], valuesOfGame(view.rules, view.variants));
}

/** The own hand, rows and action points as they would be after the steps; a row's `planned` counts its new cards. */
export function project(view, steps) {
  const hand = [...view.you.hand];
  const rows = view.seats[view.you.seat].rows.map((row) => ({ ...row, planned: 0 }));
  for (const step of steps) {
    const place = hand.indexOf(step.card);
    if (place >= 0) hand.splice(place, 1);
    const row = rows[step.row];
    if (step.type === "lay_businessmaker") rows.push({ ...newRow(rows.length, step.card), planned: 0, isNew: true });
    else if (row) rows[step.row] = { ...extendedRow(row, step.card), planned: row.planned + 1 };
  }
  return { hand, rows, points: (view.turn?.action_points ?? 0) - steps.length };
}

/**
 * The same after the steps of a turn that the view doesn't show yet: where the answer is late or lost, the stream
 * brings what was sent before it.
 */
export function projectTurn(view, { number, steps, sending }) {
  if (!sending) return project(view, steps);
  const shown = view.turn?.number === number ? Math.max(0, sending.points - view.turn.action_points) : steps.length;
  return project(view, steps.slice(shown));
}

export function baseOf({ version, turn, display, you, seats }) {
  return { version, points: turn?.action_points, display, rows: you ? seats[you.seat].rows.map(({ cards }) => cards.length) : [] };
}

export function isUnchanged({ turn, you, display }, { number, sending }) {
  const isSameTurn = turn?.number === number && turn.seat === you?.seat && turn.action_points === sending.points;
  return isSameTurn && String(display) === String(sending.display);
}

/**
 * The steps that are left where the seat has acted elsewhere meanwhile, in another tab or on another device: without
 * those that were sent there. None, where what was laid there was none of them: they may name other rows now.
 */
export function stepsLeft({ steps, base }, { you, seats }) {
  const left = [...steps];
  for (const done of laidSince(base.rows, seats[you.seat].rows)) {
    const place = left.findIndex((step) => step.type === done.type && step.card === done.card && step.row === done.row);
    if (place < 0) return [];
    left.splice(place, 1);
  }
  return left;
}

/** What was laid on rows, as actions; `lengths`: how many cards each earlier row had. */
function laidSince(lengths, rows) {
  return rows.flatMap(({ row, cards, businessmaker }) => [
    ...(row in lengths ? [] : [{ type: "lay_businessmaker", card: businessmaker }]),
    ...cards.slice(lengths[row] ?? 0).map((card) => ({ type: "append", card, row })),
  ]);
}

/** Where a hand card can go after the steps: `{rows: [numbers], isNewRow}`. The service judges when it is sent. */
export function targetsFor(view, steps, card) {
  const { hand, rows, points } = project(view, steps);
  if (points < 1 || !hand.includes(card)) return { rows: [], isNewRow: false };
  return { rows: [...rows.keys()].filter((row) => mayAppend(rows, row, card)), isNewRow: rows.length < MOST_ROWS };
}

export function canAfford(view, steps, action) {
  if (action.type === "take" && view.display[action.slot] === null) return false;
  return project(view, steps).points >= costOf(view, action);
}

/** Whether a step can change places with the one before: it isn't laid on the row that the other one opens. */
export function canMoveForward(view, steps, index) {
  if (index === 0) return false;
  const step = steps[index];
  return step.type !== "append" || step.row < project(view, steps.slice(0, index - 1)).rows.length;
}

/** The turn that this browser keeps for a game, or null: it survives a reload, and a lost connection. */
export function keptTurn(game) {
  return readStored(TURNS + game);
}

export function keepTurn(game, turn) {
  store(TURNS + game, turn.steps.length || turn.sending ? turn : null);
}

export function onTurnElsewhere(game, listener) {
  addEventListener("storage", ({ key }) => key === TURNS + game && listener(keptTurn(game)));
}
