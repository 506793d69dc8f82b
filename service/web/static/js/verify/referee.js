// Follows a log event by event: where each card comes from, whose turn it is, what the rows earn.

import { DECK_KINDS, countInDeck } from "./cards/deck.js";
import { EVENT_EFFECTS } from "./effects.js";
import { EVENT_TABLE } from "./event_table.js";
import { Fault, demand, demandData, demandMembers, faultAt } from "./fault.js";
import { followPeople, isAboutPeople } from "./people.js";
import { VerifiedTable } from "./table_state.js";

/** Applies the events in turn to a new table: {table, faults}; `faults`: by check, {version, code, expected, found}. */
export function followLog(events) {
  const table = new VerifiedTable();
  const faults = {};
  for (const [index, event] of events.entries()) {
    const fault = faultOf(table, event);
    if (!fault) continue;
    const { group, code, expected, found } = fault;
    faults[group] ??= faultAt(index + 1, code, expected, found);
    if (group !== "scores") return { table, faults };
  }
  const { due } = table;
  if (due.length) faults.play = faultAt(events.length + 1, "cut", due.join(" | "), "");
  return { table, faults };
}

function faultOf(table, event) {
  try {
    applyEvent(table, event);
    return null;
  } catch (error) {
    // Other errors: a value of another type than the contract has.
    return error instanceof Fault ? error : new Fault("value", event.type, event.data);
  }
}

function applyEvent(table, { type, at, data, version }) {
  table.version = version;
  if (!(type in EVENT_TABLE)) {
    table.passed.add(type);
    return;
  }
  demandMembers(type, data);
  const { due } = table;
  demand(due.length === 0 || due.includes(type), "unexpected", due.join(" | "), type);
  demand(!table.isOver || type === "MessagePosted", "unexpected", "MessagePosted", type);
  demand(EVENT_TABLE[type].begins || at === table.at, "time", table.at, at);
  table.at = at;
  if (EVENT_TABLE[type].acts) {
    demand(table.turn > 0 && !table.scoring, "unexpected", table.scoring ? "RoundScored" : "GameStarted", type);
    demandData("seat", { seat: data.seat }, { seat: table.turnSeat });
    table.actions += 1;
  }
  if (isAboutPeople(type)) followPeople(table, type, data);
  else EVENT_EFFECTS[type]?.(table, data);
  if (table.isDealt) demandDeck(table);
}

function demandDeck(table) {
  for (const kind of DECK_KINDS) {
    const held = table.places.reduce((sum, place) => sum + place.hand.seen(kind), 0);
    const open = table.display.filter((card) => card === kind).length;
    const count = held + open + (table.onRows[kind] ?? 0);
    demand(count <= countInDeck(kind), "too_many", `${kind} ≤ ${countInDeck(kind)}`, `${kind}: ${count}`);
  }
}
