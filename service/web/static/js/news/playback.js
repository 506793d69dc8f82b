// What others do is shown action by action. The service's view waits meanwhile: whoever touches the page has it at once.

import { EVENTS_OF } from "../core/actions.js";
import { accept } from "../table/acceptance.js";
import { board } from "../table/board.js";
import { markChanges } from "./recap.js";
import { finishMotion, isLively } from "../table/motion.js";
import { PAYDAY_SHOWN } from "../menu/rounds.js";
import { viewAfter } from "./position.js";

const ACTION = 550;
/** How far actions may be behind, less what timers are late; what comes earlier is not shown one by one then. */
const MOST_BEHIND = 4500;
const ACTIONS = [...Object.values(EVENTS_OF).map(([type]) => type), "RoundScored"];

let newest = null; // the service's view
const upcoming = []; // what is still to be shown: `{view, events, pause}`
let pausing = null; // the timer of the next
let current = 0; // the pause after what is in sight
let onshown = () => undefined;

/** Call `listener` whenever the table has been shown anew. A click, a key or a look at another page ends what is shown. */
export function startPlayback(listener) {
  onshown = listener;
  for (const type of ["click", "keydown"]) addEventListener(type, skip, { capture: true });
  addEventListener("visibilitychange", () => document.visibilityState === "hidden" && skip());
}

/** Show a newer view and what has led to it: at once where nothing may move, or some of that wasn't told. */
export function playBack(view, events) {
  if (view.version > (newest?.version ?? 0)) newest = view;
  let before = upcoming.at(-1)?.view ?? board.view;
  const fresh = events.filter(({ version }) => version > before.version);
  if (!isLively() || fresh.some(({ version }, index) => version !== before.version + 1 + index)) {
    upcoming.push({ view, events: fresh });
    return skip();
  }
  for (const group of grouped(fresh)) {
    before = viewAfter(before, group);
    upcoming.push({ view: before, events: group, pause: pauseBehind(group) });
  }
  while (upcoming.slice(0, -1).reduce((sum, { pause }) => sum + Math.min(pause, ACTION), Math.min(current, ACTION)) > MOST_BEHIND) markChanges(upcoming.shift().events);
  if (pausing === null) showNext();
}

/** Events by action, each with what it causes; the start of a turn belongs to its first action. */
function grouped(events) {
  const groups = [[]];
  const isAction = ({ type }) => ACTIONS.includes(type);
  for (const event of events) {
    if (groups.at(-1).some(isAction) && (isAction(event) || event.type === "TurnStarted")) groups.push([]);
    groups.at(-1).push(event);
  }
  return events.length ? groups : [];
}

/** How long what follows waits for it; not at all for what was shown already when it was composed. */
function pauseBehind(events) {
  const types = events.map(({ type }) => type);
  if (types.includes("RoundScored")) return PAYDAY_SHOWN;
  const isSent = board.turn.sending && events.some(({ data }) => data.seat === board.view.you.seat);
  return isSent || !types.some((type) => ACTIONS.includes(type)) ? 0 : ACTION;
}

function showNext() {
  pausing = null;
  current = 0;
  if (!upcoming.length && newest.version <= board.view.version) return;
  const { view, events, pause } = upcoming.shift() ?? { view: newest, events: [], pause: 0 };
  show(!upcoming.length && view.version === newest.version ? newest : view, events);
  const isUnheard = !upcoming.length && newest.version > board.view.version; // what has led there is on its way
  current = isUnheard ? ACTION : pause;
  pausing = setTimeout(showNext, current);
}

function show(view, events, moves = events) {
  markChanges(events);
  if (view.version > board.view.version) accept(view, moves);
  onshown();
}

function skip() {
  clearTimeout(pausing);
  pausing = null;
  current = 0;
  const events = upcoming.splice(0).flatMap((step) => step.events);
  finishMotion();
  if (newest?.version > board.view?.version) show(newest, events, []);
}
