// How a game begins: the data of GameStarted and PositionSet, with null for what is hidden.

import { isSameJson } from "../canonical.js";
import { DECK_KINDS, DISPLAY_SIZE, MOST_ROWS, REIBACH_COUNT, ROW_BUSINESSES, SCORING_AT, TURN_POINTS } from "./deck.js";
import { demand, isWithin } from "../fault.js";
import { scoreRound } from "../scorer.js";

const areCards = (cards, count) =>
  Array.isArray(cards) && cards.length === count && cards.every((card) => DECK_KINDS.includes(card));

/** Deals the cards of GameStarted to `table`. Throws Fault. */
export function startGame(table, data) {
  const { handSize } = table.values;
  demand(data.hands.length === table.places.length, "deal", table.places.length, data.hands.length);
  for (const [seat, hand] of data.hands.entries()) giveHand(table, seat, hand, handSize);
  showDisplay(table, data.display);
  setPile(table, data.draw_pile, handSize * table.places.length);
}

/** Sets `table` to the position of PositionSet. Throws Fault. */
export function setPosition(table, data) {
  const seats = table.places.length;
  const lengths = [data.hands, data.hand_sizes, data.rows, data.totals].map((list) => list.length);
  demand(lengths.every((length) => length === seats), "deal", Array(4).fill(seats), lengths);
  demand(isWithin(data.revealed, 0, REIBACH_COUNT - 1), "deal", "revealed 0…9", data.revealed);
  for (const [seat, hand] of data.hands.entries()) {
    demand(isWithin(data.hand_sizes[seat], 0, 100), "deal", "hand_sizes", data.hand_sizes);
    giveHand(table, seat, hand, data.hand_sizes[seat]);
  }
  for (const [seat, laid] of data.rows.entries()) {
    demand(laid.length <= MOST_ROWS, "row", `≤ ${MOST_ROWS}`, laid.length);
    table.places[seat].rows = laid.map((row) => rowOfPosition(table, row));
    const businesses = laid.flatMap((row) => row.cards.slice(0, 1));
    demand(new Set(businesses).size === businesses.length, "row", [...new Set(businesses)], businesses);
  }
  showDisplay(table, data.display);
  table.revealed = data.revealed;
  const sizes = [...data.hand_sizes, ...data.rows.flat().map((row) => 1 + row.cards.length)];
  setPile(table, data.draw_pile, sizes.reduce((sum, size) => sum + size, 0));
  setTurn(table, data.turn);
  addRounds(table, data);
}

function setTurn(table, turn) {
  demand(Number.isInteger(turn.number) && turn.number >= 1, "differs", "turn.number ≥ 1", turn);
  const seat = table.seatOf(turn.number);
  const fits = turn.seat === seat && isWithin(turn.action_points, 1, TURN_POINTS) && Object.keys(turn).length === 3;
  demand(fits, "differs", { action_points: "1…3", number: turn.number, seat }, turn);
  Object.assign(table, { turn: turn.number, points: turn.action_points });
}

function rowOfPosition(table, row) {
  const [business = null, ...more] = row.cards;
  const closed = row.cards.length > 1 && row.cards.at(-1) === "risk";
  const isLast = (place) => place === more.length - 1;
  const mayFollow = (card, place) => card === business || card === "multitalent" || (card === "risk" && isLast(place));
  const lawful = business === null || (ROW_BUSINESSES.includes(business) && more.every(mayFollow));
  demand(lawful && typeof row.shown === "boolean", "row", "businessmaker, business …", row);
  for (const card of [row.businessmaker, ...row.cards]) {
    if (card !== null) table.onRows[card] = (table.onRows[card] ?? 0) + 1;
  }
  return { business, length: row.cards.length - (closed ? 1 : 0), closed };
}

/** Takes over the rounds that were scored before the position, as their own lengths give them. */
function addRounds(table, data) {
  const due = SCORING_AT.filter((count) => data.revealed >= count).length;
  table.rounds = due;
  demand(data.rounds.length === due, "differs", due, data.rounds.length, "scores");
  for (const [index, done] of data.rounds.entries()) {
    const rowOf = ([business, { length, doubled }]) => ({ business, length, closed: doubled });
    const places = done.seats.map((seat) => ({ rows: Object.entries(seat.businesses).map(rowOf), handSize: 0 }));
    const expected = { round: index + 1, seats: scoreRound(places, index + 1) };
    demand(isSameJson(done, expected), "differs", expected, done, "scores");
    table.addRound(index + 1, done.seats);
  }
  demand(isSameJson(data.totals, table.totals), "differs", table.totals, data.totals, "scores");
}

function giveHand(table, seat, hand, size) {
  demand(hand === null ? !table.isOpen : areCards(hand, size), "deal", `hands[${seat}]: ${size}`, hand);
  for (const card of hand ?? Array(size).fill(null)) table.places[seat].hand.add(card);
}

function showDisplay(table, display) {
  demand(areCards(display, DISPLAY_SIZE), "deal", `display: ${DISPLAY_SIZE}`, display);
  table.display = [...display];
}

/** `pile`: null where it is hidden; `gone`: how many cards lie neither there nor in the display. */
function setPile(table, pile, gone) {
  const left = REIBACH_COUNT - table.revealed;
  const size = 100 - gone - DISPLAY_SIZE + left;
  const isThere = size > 0 && (pile === null ? !table.isOpen : pile.length === size);
  demand(isThere, "deal", `draw_pile: ${size}`, pile?.length ?? null);
  const reibachs = pile?.filter((card) => card === "reibach").length ?? left;
  demand(reibachs === left, "deal", `reibach: ${left}`, reibachs);
  const areKnown = pile?.every((card) => card === "reibach" || DECK_KINDS.includes(card)) ?? true;
  demand(areKnown, "deal", DECK_KINDS, pile);
  Object.assign(table, { pile, pileSize: size, isDealt: true });
}
