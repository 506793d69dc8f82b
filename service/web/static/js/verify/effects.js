// What each event changes on the table, and when it can't happen.

import { isSameJson } from "./canonical.js";
import { setPosition, startGame } from "./cards/deal_reader.js";
import { DECK_KINDS, DRAW_COST, MOST_ROWS, RULE_SETS, SCORING_AT, TURN_POINTS, mayAppend } from "./cards/deck.js";
import { costOfTake, headStarts, isKnownRuleSet, valuesOfGame } from "./cards/deck.js";
import { demand, demandData } from "./fault.js";
import { TrackedHand } from "./cards/hand.js";
import { isPlainText } from "./people.js";
import { scoreRound, winnersOf } from "./scorer.js";

/** By event type. Each throws a Fault where the event can't happen. */
export const EVENT_EFFECTS = {
  GameCreated(table, data) {
    demand(table.places.length === 0, "play", "unexpected", "", "GameCreated");
    const { seats, starting_seat: startingSeat, variants } = data;
    demand(Number.isInteger(seats) && seats >= 2 && seats <= 5, "play", "value", "seats: 2…5", seats);
    const isSeat = Number.isInteger(startingSeat) && startingSeat >= 0 && startingSeat < seats;
    demand(isSeat, "play", "value", `starting_seat < ${seats}`, startingSeat);
    demand(isKnownRuleSet(data.rules), "play", "rules", Object.keys(RULE_SETS).join(" | "), data.rules);
    const areSwitches = Object.values(variants).every((on) => typeof on === "boolean");
    const areKnown = isSameJson(Object.keys(variants).sort(), Object.keys(RULE_SETS[data.rules]).sort());
    demand(areSwitches && areKnown, "play", "value", "variants", variants);
    demand(typeof data.listed === "boolean" && typeof data.game === "string" && data.game !== "", "play", "value",
      "listed: true | false, game", { listed: data.listed, game: data.game });
    demand(!("name" in data) || isPlainText(data.name, 1, 60), "play", "value", "name: 1…60", data.name);
    const places = Array.from({ length: seats }, () => ({ name: null, hand: new TrackedHand(), rows: [] }));
    const values = valuesOfGame(data.rules, variants);
    const totals = headStarts(seats, startingSeat, values);
    Object.assign(table, { places, values, startingSeat, totals, headStarts: totals });
    Object.assign(table, { isOpen: data.server_seed !== null, isFork: "parent" in data });
  },
  PlayerJoined(table, { seat, name, bot, entropy }) {
    demand(!table.isDealt && table.places[seat]?.name === null, "play", "unexpected", "", `PlayerJoined ${seat}`);
    const arePlain = isPlainText(name, 1, 40) && isPlainText(entropy, 0, 200);
    demand(arePlain, "play", "value", "name: 1…40, entropy: 0…200", { name, entropy });
    const isOwn = bot === null || (typeof bot === "string" && (table.isFork || (name === bot && entropy === "")));
    demand(isOwn, "play", "value", { bot, name: bot, entropy: "" }, { bot, name, entropy });
    table.places[seat].name = name;
    table.joined += 1;
  },
  GameStarted(table, data) {
    demand(table.due.includes("GameStarted"), "play", "unexpected", "PlayerJoined", "GameStarted");
    startGame(table, data);
  },
  PositionSet(table, data) {
    demand(table.due.includes("PositionSet"), "play", "unexpected", "PlayerJoined", "PositionSet");
    setPosition(table, data);
  },
  TurnStarted(table, data) {
    demand(table.due.includes("TurnStarted"), "play", "unexpected", `${table.points}`, "TurnStarted");
    const turn = table.turn + 1;
    const seat = (table.startingSeat + turn - 1) % table.places.length;
    demandData("TurnStarted", data, { turn, seat });
    Object.assign(table, { turn, turnSeat: seat, points: TURN_POINTS });
  },
  CardTaken(table, data) {
    const card = table.display[data.slot];
    demand(card !== undefined, "play", "value", "slot: 0…2", data.slot);
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
    demand(table.scoring > 0, "play", "unexpected", table.due.join(" | "), "RoundScored");
    const round = table.scoring;
    const places = table.places.map(({ rows, hand }) => ({ rows, handSize: hand.size }));
    const seats = scoreRound(places, round);
    table.totals = table.totals.map((total, seat) => total + seats[seat].income);
    Object.assign(table, { rounds: round, scoring: 0 });
    table.scored.push({ round, version: table.version, totals: table.totals });
    demandScores({ round, seats, totals: table.totals }, data);
  },
  ActionPointsForfeited(table, data) {
    demand(table.turn > 0 && !table.scoring && !table.pending && table.points > 0 && table.isStuck !== false,
      "play", "unexpected", `${table.points}`, "ActionPointsForfeited");
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
  MessagePosted(table, { seat, text }) {
    const length = typeof text === "string" ? [...text].length : 0;
    demand(table.places[seat]?.name && length >= 1 && length <= 2000, "play", "value", "text: 1…2000", { seat, text });
  },
  BusinessmakerLaid(table, data) {
    const { rows } = table.places[table.turnSeat];
    demand(rows.length < MOST_ROWS, "play", "row", `≤ ${MOST_ROWS}`, rows.length + 1);
    demandData("row", { row: data.row }, { row: rows.length });
    playFromHand(table, data.seat, data.card);
    spend(table, 1);
    rows.push({ business: null, length: 0, closed: false });
  },
  CardAppended(table, data) {
    const { rows } = table.places[table.turnSeat];
    const row = rows[data.row];
    demand(row !== undefined, "play", "row", `< ${rows.length}`, data.row);
    demand(data.card !== null, "cards", "card", DECK_KINDS, data.card);
    playFromHand(table, data.seat, data.card);
    demand(mayAppend(rows, data.row, data.card), "play", "row", row, data.card);
    spend(table, 1);
    if (data.card === "risk") row.closed = true;
    else Object.assign(row, { length: row.length + 1, business: row.business ?? data.card });
  },
};

function demandDue({ due }, type) {
  demand(due.includes(type), "play", "unexpected", due.join(" | "), type);
}

/** Takes the top card off the draw pile, which must be this one, null for a hidden one. `kinds`: which may come. */
function leavePile(table, card, kinds) {
  const isTop = table.top === undefined || card === null || card === table.top;
  const place = `draw_pile[${table.drawn}]`;
  const isThere = table.drawn < table.pileSize;
  const isLawful = isThere && isTop && kinds.includes(card);
  demand(isLawful, "cards", "card", `${place} = ${table.top ?? "?"}`, `${place} = ${card}`);
  table.drawn += 1;
}

function spend(table, points) {
  demand(table.points >= points, "play", "points", `≤ ${table.points}`, points);
  table.points -= points;
}

function playFromHand(table, seat, card) {
  const { hand } = table.places[seat];
  const lawful = card === null ? !table.isOpen : DECK_KINDS.includes(card);
  demand(lawful && hand.mayHold(card), "cards", "not_in_hand", hand.isHidden ? `${hand.size}` : hand.cards, card);
  hand.remove(card);
}

function demandScores(expected, found) {
  for (const member of Object.keys(expected)) {
    demand(isSameJson(found[member], expected[member]), "scores", "differs",
      { [member]: expected[member] }, { [member]: found[member] ?? null });
  }
}
