// How a log begins: its settings, whose entropy the server could not know, and what a fork says of its parent.

import { EVENT_TABLE } from "./event_table.js";
import { faultAt } from "./fault.js";

const GAME_ENDS = ["GameEnded", "GameCancelled"];

/**
 * What a log's first events say: {isBegun, created, seed, entropies, deal, end, late, isFork, isCopy}.
 * `isBegun`: whether it begins with GameCreated; `created`: the data of that, {} where it isn't there; `seed`: null
 * where it is hidden; `deal`: the event with the cards; `end`: the last one's version, 0 while the game runs; `late`:
 * the data of the seats that were taken after the creation; `isCopy`: whether it is a copy of a finished game.
 */
export function readOpening(events) {
  const isBegun = events[0]?.type === "GameCreated";
  const created = isBegun ? events[0].data : {};
  const joined = events.filter((event) => event.type === "PlayerJoined");
  const entropies = Array(joined.length).fill(null);
  for (const { data } of joined) if (data.seat in entropies) entropies[data.seat] = data.entropy;
  const deal = events.find((event) => event.type === "GameStarted" || event.type === "PositionSet") ?? null;
  const position = events.find((event) => event.type === "PositionSet")?.data;
  return {
    isBegun,
    created,
    seed: created.server_seed ?? null,
    entropies,
    deal,
    end: events.findIndex((event) => GAME_ENDS.includes(event.type)) + 1,
    late: joined.slice(countOfCreation(events)).map((event) => event.data),
    isFork: "parent" in created || "from" in created,
    isCopy: "parent" in created && position?.parent !== created.parent,
  };
}

/** The number of seats that were taken with the creation: at its time, in seat order. */
function countOfCreation(events) {
  let [count, last] = [0, -1];
  for (const event of events.slice(1)) {
    if (!(event.type in EVENT_TABLE)) continue;
    if (event.type !== "PlayerJoined" || event.at !== events[0].at || !(event.data.seat > last)) break;
    [count, last] = [count + 1, event.data.seat];
  }
  return count;
}

/**
 * The first thing that a fork's own log contradicts of what it says of its parent: {version, code, expected, found};
 * null where nothing is. What it took over is proved by the parent's log alone.
 */
export function originFault(opening, events) {
  const { created, end, isCopy } = opening;
  const { parent, from } = created;
  const fault = (expected, found, version = 1) => faultAt(version, "origin", expected, JSON.stringify(found ?? null));
  if (typeof parent !== "string") return fault("parent: …", parent);
  if (parent === created.game) return fault(`parent ≠ ${created.game}`, parent);
  if (!Number.isSafeInteger(from) || from < 1) return fault("from ≥ 1", from);
  if ("pace" in created) return fault("GameCreated {}", { pace: created.pace });
  if (!isCopy) return from < created.seats + 2 ? fault(`from ≥ ${created.seats + 2}`, from) : null;
  if (end && from >= end) return fault(`from < ${end}`, from);
  return from > events.length ? fault(`${from}`, events.length, events.length + 1) : null;
}
