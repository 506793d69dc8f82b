// What is wrong with an event, and how events are compared with what should have been there.

import { canonicalJson } from "./canonical.js";

/** The members of each type's data; after `|` those that may be missing. */
export const EVENT_FIELDS = Object.fromEntries(
  [
    "GameCreated commitment game listed rules seats server_seed starting_seat variants | from name pace parent replaceable",
    "PlayerJoined bot entropy name seat",
    "GameStarted display draw_pile hands",
    "PositionSet display draw_pile hand_sizes hands parent revealed rounds rows seat totals turn",
    "TurnStarted seat turn",
    "CardTaken card cost seat slot",
    "PileDrawn seat",
    "CardDrawn card seat",
    "BusinessmakerLaid card row seat",
    "CardAppended card row seat",
    "DisplayRefilled card slot",
    "ReibachRevealed count",
    "ScoringStarted round",
    "RoundScored round seats totals",
    "ActionPointsForfeited points seat",
    "GameEnded totals winners",
    "TurnTimedOut seat turn",
    "BankUsed left seat seconds",
    "BankRefilled left seat seconds",
    "VacationTaken seat until",
    "VacationEnded seat",
    "GamePaused",
    "GameResumed seat",
    "SeatAbandoned seat",
    "SeatReclaimed seat",
    "SeatReplaced name seat",
    "PlayerResigned seat",
    "ConsentGiven seat to | about",
    "ConsentWithdrawn seat to | about",
    "GameCancelled",
    "MessagePosted seat text",
  ].map((line) => {
    const [always, maybe = ""] = line.split(" | ");
    const [type, ...names] = always.split(" ");
    return [type, { always: names, maybe: maybe.split(" ") }];
  }),
);

/** An event that can't be. `group`: the check that it fails (`cards`, `play` or `scores`); `code`: why. */
export class Fault extends Error {
  constructor(group, code, expected, found) {
    super(code);
    Object.assign(this, { group, code, expected: textOfValue(expected), found: textOfValue(found) });
  }
}

export function demand(condition, group, code, expected, found) {
  if (!condition) throw new Fault(group, code, expected, found);
}

/** Throws a Fault unless the data is what is expected; a wrong card fails `cards`, anything else `play`. */
export function demandData(type, data, expected) {
  if (canonicalJson(data) === canonicalJson(expected)) return;
  const [group, code] = "card" in expected && data.card !== expected.card ? ["cards", "card"] : ["play", "differs"];
  throw new Fault(group, code, `${type} ${canonicalJson(expected)}`, `${type} ${canonicalJson(data)}`);
}

/** Throws a Fault unless the data has the members of its type. */
export function demandMembers(type, data) {
  const { always, maybe } = EVENT_FIELDS[type];
  const names = Object.keys(data);
  const isLawful = (name) => always.includes(name) || maybe.includes(name);
  const isComplete = always.every((name) => names.includes(name)) && names.every(isLawful);
  demand(isComplete, "play", "members", `${type} {${always.join(", ")}}`, `${type} {${names.sort().join(", ")}}`);
}

const textOfValue = (value) => (typeof value === "string" ? value : canonicalJson(value ?? null));
