// What each event changes on the table, and when it can't happen.

import { isSameJson } from "./canonical.js";
import { setPosition, startGame } from "./cards/deal_reader.js";
import { DECK_KINDS, DRAW_COST, MOST_ROWS, RULE_SETS, SCORING_AT, TURN_POINTS, mayAppend } from "./cards/deck.js";
import { costOfTake, headStarts, isKnownRuleSet, valuesOfGame } from "./cards/deck.js";
import { demand, demandData, hasLength, isPlainText, isWithin } from "./fault.js";
import { TrackedHand } from "./cards/hand.js";
import { scoreRound, winnersOf } from "./scorer.js";

/** By event type. Each throws a Fault where the event can't happen. */
export const EVENT_EFFECTS = {
  GameCreated(table, data) {
    demand(table.places.length === 0, "unexpected", "", "GameCreated");
    const { seats, starting_seat: startingSeat, rules, variants, listed, game } = data;
    demand(isWithin(seats, 2, 5), "value", "seats: 2…5", seats);
    demand(isWithin(startingSeat, 0, seats - 1), "value", `starting_seat < ${seats}`, startingSeat);
    demand(isKnownRuleSet(rules), "rules", Object.keys(RULE_SETS).join(" | "), rules);
    const areSwitches = Object.values(variants).every((on) => typeof on === "boolean");
    const areKnown = isSameJson(Object.keys(variants).sort(), Object.keys(RULE_SETS[rules]).sort());
    demand(areSwitches && areKnown, "value", "variants", variants);
    const isNamed = typeof game === "string" && game !== "";
    demand(typeof listed === "boolean" && isNamed, "value", "listed: true | false, game", { listed, game });
    demand(!("name" in data) || isPlainText(data.name, 1, 60), "value", "name: 1…60", data.name);
    const places = Array.from({ length: seats }, () => ({ name: null, hand: new TrackedHand(), rows: [] }));
    const values = valuesOfGame(rules, variants);
    const totals = headStarts(seats, startingSeat, values);
    const origin = { parent: data.parent, copied: data.from ?? 0 };
    const kind = { isOpen: data.server_seed !== null, isFork: "parent" in data, ...origin };
    Object.assign(table, { places, values, startingSeat, totals, headStarts: totals, ...kind });
  },
  PlayerJoined(table, { seat, name, bot, entropy, salt }) {
    demand(!table.isDealt && table.places[seat]?.name === null, "unexpected", "", `PlayerJoined ${seat}`);
    if (table.joined === 0) table.isSalted = salt !== undefined;
    demand((salt !== undefined) === table.isSalted, "members", "salt", salt);
    const arePlain = isPlainText(name, 1, 40) && isPlainText(entropy, 0, 200);
    demand(arePlain, "value", "name: 1…40, entropy: 0…200", { name, entropy });
    const isOwn = bot === null || (typeof bot === "string" && (table.isFork || (name === bot && entropy === "")));
    demand(isOwn, "value", { bot, name: bot, entropy: "" }, { bot, name, entropy });
    table.places[seat].name = name;
    table.joined += 1;
  },
  GameStarted(table, data) {
    demandDue(table, "GameStarted", "PlayerJoined");
    startGame(table, data);
  },
  PositionSet(table, data) {
    demandDue(table, "PositionSet", "PlayerJoined");
    if (data.parent === table.parent) table.copied = 0;
    setPosition(table, data);
  },
  TurnStarted(table, data) {
    demandDue(table, "TurnStarted", `${table.points}`);
    const turn = table.turn + 1;
    demandData("TurnStarted", data, { turn, seat: table.seatOf(turn) });
    Object.assign(table, { turn, points: TURN_POINTS });
  },
  CardTaken(table, data) {
    const card = table.display[data.slot];
    demand(card !== undefined, "value", "slot: 0…2", data.slot);
    const cost = costOfTake(card, table.values);
    demandData("CardTaken", data, { seat: table.turnSeat, slot: data.slot, card, cost });
    spend(table, cost);
    table.display[data.slot] = null;
    table.places[data.seat].hand.add(card);
    table.pending = { slot: data.slot };
  },
  PileDrawn(table) {
    spend(table, DRAW_COST);
    table.pending = {};
  },
  CardDrawn(table, data) {
    demandDue(table, "CardDrawn");
    demandData("seat", { seat: data.seat }, { seat: table.turnSeat });
    leavePile(table, data.card, table.isOpen ? DECK_KINDS : [...DECK_KINDS, null]);
    table.places[table.turnSeat].hand.add(data.card);
    table.pending = null;
  },
  DisplayRefilled(table, data) {
    demandDue(table, "DisplayRefilled");
    demandData("DisplayRefilled", { slot: data.slot }, { slot: table.pending.slot });
    leavePile(table, data.card, DECK_KINDS);
    table.display[data.slot] = data.card;
    table.pending = null;
  },
  ReibachRevealed(table, data) {
    demandDue(table, "ReibachRevealed");
    leavePile(table, "reibach", ["reibach"]);
    demandData("ReibachRevealed", data, { count: table.revealed + 1 });
    table.revealed += 1;
    if (SCORING_AT.includes(table.revealed)) table.pending.scores = true;
  },
  ScoringStarted(table, data) {
    demandDue(table, "ScoringStarted");
    demandData("ScoringStarted", data, { round: SCORING_AT.indexOf(table.revealed) + 1 });
    delete table.pending.scores;
    table.scoring = data.round;
  },
  RoundScored(table, data) {
    demand(table.scoring > 0, "unexpected", "", "RoundScored");
    const round = table.scoring;
    const seats = scoreRound(table.places.map(({ rows, hand }) => ({ rows, handSize: hand.size })), round);
    table.addRound(round, seats);
    Object.assign(table, { rounds: round, scoring: 0 });
    demandScores({ round, seats, totals: table.totals }, data);
  },
  ActionPointsForfeited(table, data) {
    const isTheirs = table.turn > 0 && !table.scoring && !table.pending && table.points > 0;
    demand(isTheirs && table.isStuck !== false, "unexpected", `${table.points}`, "ActionPointsForfeited");
    demandData("ActionPointsForfeited", data, { seat: table.turnSeat, points: table.points });
    table.points = 0;
  },
  GameEnded(table, data) {
    demandDue(table, "GameEnded");
    table.isOver = true;
    table.winners = winnersOf(table.totals);
    demandScores({ totals: table.totals, winners: table.winners }, data);
  },
  GameCancelled(table) {
    table.isOver = true;
  },
  MessagePosted(table, { seat, text, salt }) {
    demand(table.mayHave(salt), "members", "salt", salt);
    demand(table.places[seat]?.name && hasLength(text, 1, 2000), "value", "text: 1…2000", { seat, text });
  },
  BusinessmakerLaid(table, data) {
    const { rows } = table.places[table.turnSeat];
    demand(rows.length < MOST_ROWS, "row", `≤ ${MOST_ROWS}`, rows.length + 1);
    demandData("row", { row: data.row }, { row: rows.length });
    playFromHand(table, data);
    spend(table, 1);
    rows.push({ business: null, length: 0, closed: false });
  },
  CardAppended(table, data) {
    const { rows } = table.places[table.turnSeat];
    const row = rows[data.row];
    demand(row !== undefined, "row", `< ${rows.length}`, data.row);
    demand(data.card !== null, "card", DECK_KINDS, data.card);
    playFromHand(table, data);
    demand(mayAppend(rows, data.row, data.card), "row", row, data.card);
    spend(table, 1);
    if (data.card === "risk") row.closed = true;
    else Object.assign(row, { length: row.length + 1, business: row.business ?? data.card });
  },
};

/** Demands that the event had to come now; the referee lets no other type come where one must. */
function demandDue({ due }, type, expected = "") {
  demand(due.includes(type), "unexpected", expected, type);
}

/** Takes the top card off the draw pile, which must be this one, null for a hidden one. `kinds`: which may come. */
function leavePile(table, card, kinds) {
  const isTop = table.top === undefined || card === null || card === table.top;
  const place = `draw_pile[${table.drawn}]`;
  const isLawful = table.drawn < table.pileSize && isTop && kinds.includes(card);
  demand(isLawful, "card", `${place} = ${table.top ?? "?"}`, `${place} = ${card}`);
  table.drawn += 1;
}

function spend(table, points) {
  demand(table.points >= points, "points", `≤ ${table.points}`, points);
  table.points -= points;
}

function playFromHand(table, { seat, card }) {
  const { hand } = table.places[seat];
  const lawful = card === null ? !table.isOpen : DECK_KINDS.includes(card);
  demand(lawful && hand.mayHold(card), "not_in_hand", hand.isHidden ? `${hand.size}` : hand.cards, card);
  hand.remove(card);
}

function demandScores(expected, found) {
  for (const member of Object.keys(expected)) {
    const [right, given] = [expected, found].map((scores) => ({ [member]: scores[member] ?? null }));
    demand(isSameJson(given, right), "differs", right, given, "scores");
  }
}
