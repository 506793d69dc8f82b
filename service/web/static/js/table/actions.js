// Sending actions: once each, also where the connection is lost in the middle.

import { gamePath, get, isPassing, randomHex, request } from "../core/api.js";
import { board, letGoFor, ownToken, showBoard } from "./board.js";
import { announce } from "../core/dom.js";
import { ApiProblem } from "../core/connection.js";
import { pauseAfter } from "../core/retry.js";
import { baseOf, canWait, isUnchanged, keepTurn } from "./turn.js";
import { words } from "../core/words.js";

let onaccepted = async () => undefined;
let timer = null;
let isUnderWay = false;
let failures = 0;

export function onAccepted(listener) {
  onaccepted = listener;
}

export function setSteps(steps) {
  if (!board.turn.steps.length) board.turn.base = baseOf(board.view);
  board.turn.steps = steps;
  letGoFor({ areStepsOpen: board.areStepsOpen && steps.length > 0, refusal: null, result: [] });
  keepTurn(board.id, board.turn);
  showBoard();
}

/** Send the composed steps, and `last` after them, if any. Until the answer is known the list can't be changed. */
export async function sendTurn(last = null) {
  if (board.turn.sending) return;
  const actions = [...board.turn.steps, last].filter(Boolean);
  if (!actions.length) return;
  const base = board.turn.steps.length ? board.turn.base : baseOf(board.view);
  board.turn.sending = { ...base, key: randomHex(), actions };
  letGoFor({ refusal: null });
  keepTurn(board.id, board.turn);
  showBoard();
  await deliver();
}

/** Whether an answer is awaited, or what it changes isn't shown yet: the focus may still move. */
export function isSending() {
  return isUnderWay || board.turn.sending !== null;
}

/** Send what was not answered yet, with the same key: it is carried out once. */
export async function deliver() {
  clearTimeout(timer);
  if (!board.turn.sending || isUnderWay) return;
  isUnderWay = true;
  const { actions } = board.turn.sending;
  const before = board.view.version;
  let answer = null;
  let problem;
  try {
    answer = await sendOnce(board.turn);
    ({ problem } = answer);
  } catch (error) {
    if (!(error instanceof ApiProblem)) throw error;
    if (isPassing(error)) return putOff(error);
    problem = error;
  } finally {
    isUnderWay = false; // what the answer allows can be sent before all of it is told
  }
  const applied = answer?.applied ?? 0;
  settle(problem ? actions.slice(applied) : [], answer);
  if (problem) {
    board.refusal = { action: actions[applied], detail: problem.detail };
    announce(problem.detail);
  }
  const { refusal } = board;
  await onaccepted(answer, before);
  if (refusal && !board.refusal) {
    board.refusal = refusal; // a new turn has begun meanwhile: why the last one's actions are gone is said there
    showBoard();
  }
}

/**
 * Send it at the version at which it was composed: an action waits for a connection, and names a place of the display,
 * where another card may lie by then. Where only messages came since, it is sent again, at the newer version.
 */
async function sendOnce(turn) {
  const { sending } = turn;
  const { actions } = sending;
  const body = actions.length === 1 ? actions[0] : { actions };
  for (;;) {
    const headers = { "Idempotency-Key": sending.key, "If-Match": `"${sending.version}"` };
    try {
      return await request(gamePath(board.id, "actions"), { method: "POST", token: ownToken(), body, headers });
    } catch (error) {
      if (error.code !== "stale-version") throw error;
      const view = await get(gamePath(board.id), ownToken());
      if (!isUnchanged(view, turn)) throw new ApiProblem(error.code, error.status, words.turn.changed);
      Object.assign(sending, { key: randomHex(), version: view.version });
      keepTurn(board.id, turn);
    }
  }
}

function putOff(problem) {
  board.unsent = problem.status === 0 ? words.turn.unsent : problem.detail;
  timer = setTimeout(() => deliver(), pauseAfter(failures, problem));
  failures += 1;
  showBoard();
}

function settle(left, answer) {
  failures = 0;
  board.unsent = null;
  Object.assign(board.turn, { sending: null, steps: left.filter(canWait) });
  if (answer) board.turn.base = baseOf(answer.game);
  keepTurn(board.id, board.turn);
}
