// How a game begins: the data of GameStarted and PositionSet, with null for what is hidden.

import { isSameJson } from "../canonical.js";
import { DECK_KINDS, DISPLAY_SIZE, MOST_ROWS, REIBACH_COUNT } from "./deck.js";
import { ROW_BUSINESSES, SCORING_AT, TURN_POINTS } from "./deck.js";
import { demand } from "../fault.js";
import { scoreRound } from "../scorer.js";

const isCount = (value, most) => Number.isInteger(value) && value >= 0 && value <= most;
const areCards = (cards, count) =>
  Array.isArray(cards) && cards.length === count && cards.every((card) => DECK_KINDS.includes(card));

/** Deals the cards of GameStarted to `table`. Throws Fault. */
export function startGame(table, data) {
  const { handSize } = table.values;
  demand(data.hands.length === table.places.length, "cards", "deal", table.places.length, data.hands.length);
  for (const [seat, hand] of data.hands.entries()) giveHand(table, seat, hand, handSize);
  showDisplay(table, data.display);
  setPile(table, data.draw_pile, 100 - handSize * table.places.length - DISPLAY_SIZE + REIBACH_COUNT);
}

/** Sets `table` to the position of PositionSet. Throws Fault. */
export function setPosition(table, data) {
  const seats = table.places.length;
  const lengths = [data.hands, data.hand_sizes, data.rows, data.totals].map((list) => list.length);
  demand(lengths.every((length) => length === seats), "cards", "deal", Array(4).fill(seats), lengths);
  demand(isCount(data.revealed, REIBACH_COUNT - 1), "cards", "deal", "revealed 0…9", data.revealed);
  for (const [seat, hand] of data.hands.entries()) {
    demand(isCount(data.hand_sizes[seat], 100), "cards", "deal", "hand_sizes", data.hand_sizes);
    giveHand(table, seat, hand, data.hand_sizes[seat]);
  }
  for (const [seat, laid] of data.rows.entries()) {
    demand(laid.length <= MOST_ROWS, "play", "row", `≤ ${MOST_ROWS}`, laid.length);
    table.places[seat].rows = laid.map((row) => rowOfPosition(table, row));
    const businesses = laid.flatMap((row) => row.cards.slice(0, 1));
    demand(new Set(businesses).size === businesses.length, "play", "row", [...new Set(businesses)], businesses);
  }
  showDisplay(table, data.display);
  table.revealed = data.revealed;
  const laid = data.rows.flat().reduce((sum, row) => sum + 1 + row.cards.length, 0);
  const held = data.hand_sizes.reduce((sum, size) => sum + size, 0);
  setPile(table, data.draw_pile, 100 + REIBACH_COUNT - laid - held - DISPLAY_SIZE - data.revealed);
  setTurn(table, data.turn);
  addRounds(table, data);
}

function setTurn(table, turn) {
  demand(Number.isInteger(turn.number) && turn.number >= 1, "play", "differs", "turn.number ≥ 1", turn);
  const seat = (table.startingSeat + turn.number - 1) % table.places.length;
  const hasPoints = isCount(turn.action_points, TURN_POINTS) && turn.action_points > 0;
  const fits = turn.seat === seat && hasPoints && Object.keys(turn).length === 3;
  demand(fits, "play", "differs", { action_points: "1…3", number: turn.number, seat }, turn);
  Object.assign(table, { turn: turn.number, turnSeat: seat, points: turn.action_points });
}

function rowOfPosition(table, row) {
  const [business = null, ...more] = row.cards;
  const closed = row.cards.length > 1 && row.cards.at(-1) === "risk";
  const isLast = (place) => place === more.length - 1;
  const mayFollow = (card, place) => card === business || card === "multitalent" || (card === "risk" && isLast(place));
  const lawful = business === null || (ROW_BUSINESSES.includes(business) && more.every(mayFollow));
  demand(lawful && typeof row.shown === "boolean", "play", "row", "businessmaker, business …", row);
  table.lay(row.businessmaker);
  for (const card of row.cards) table.lay(card);
  return { business, length: row.cards.length - (closed ? 1 : 0), closed };
}

/** Takes over the rounds that were scored before the position, as their own lengths give them. */
function addRounds(table, data) {
  const due = SCORING_AT.filter((count) => data.revealed >= count).length;
  table.rounds = due;
  demand(data.rounds.length === due, "scores", "differs", due, data.rounds.length);
  for (const [index, done] of data.rounds.entries()) {
    const rowOf = ([business, { length, doubled }]) => ({ business, length, closed: doubled });
    const places = done.seats.map((seat) => ({ rows: Object.entries(seat.businesses).map(rowOf), handSize: 0 }));
    const expected = { round: index + 1, seats: scoreRound(places, index + 1) };
    demand(isSameJson(done, expected), "scores", "differs", expected, done);
    table.totals = table.totals.map((total, seat) => total + done.seats[seat].income);
    table.scored.push({ round: index + 1, version: table.version, totals: table.totals });
  }
  demand(isSameJson(data.totals, table.totals), "scores", "differs", table.totals, data.totals);
}

function giveHand(table, seat, hand, size) {
  demand(hand === null ? !table.isOpen : areCards(hand, size), "cards", "deal", `hands[${seat}]: ${size}`, hand);
  for (const card of hand ?? Array(size).fill(null)) table.places[seat].hand.add(card);
}

function showDisplay(table, display) {
  demand(areCards(display, DISPLAY_SIZE), "cards", "deal", `display: ${DISPLAY_SIZE}`, display);
  table.display = [...display];
}

/** `pile`: null where it is hidden; `size`: how many cards must be in it. */
function setPile(table, pile, size) {
  const isThere = size > 0 && (pile === null ? !table.isOpen : pile.length === size);
  demand(isThere, "cards", "deal", `draw_pile: ${size}`, pile?.length ?? null);
  const left = REIBACH_COUNT - table.revealed;
  const reibachs = pile?.filter((card) => card === "reibach").length ?? left;
  demand(reibachs === left, "cards", "deal", `reibach: ${left}`, reibachs);
  const areKnown = pile?.every((card) => card === "reibach" || DECK_KINDS.includes(card)) ?? true;
  demand(areKnown, "cards", "deal", DECK_KINDS, pile);
  Object.assign(table, { pile, pileSize: size, isDealt: true });
}
