// The table of a game that is checked, as its events make it.

import { DRAW_COST, MOST_ROWS, SCORING_AT, costOfTake, mayAppend } from "./cards/deck.js";
import { PeopleRecord } from "./people.js";

export class VerifiedTable {
  constructor() {
    Object.assign(this, {
      places: [], joined: 0, display: [], pile: null, pileSize: 0, drawn: 0, revealed: 0, onRows: {}, pending: null,
      turn: 0, points: 0, actions: 0, rounds: 0, scoring: 0, scored: [], totals: [], headStarts: [], winners: null,
      isDealt: false, isOver: false, isOpen: true, isFork: false, isSalted: false, copied: 0,
      version: 0, at: "", passed: new Set(), people: new PeopleRecord(),
    });
  }

  /** Adds to the totals what a round brings the seats. */
  addRound(round, seats) {
    this.totals = this.totals.map((total, seat) => total + seats[seat].income);
    this.scored.push({ round, version: this.version, totals: this.totals });
  }

  /** Whether the event's words may have this salt, or none: all of a game have one, except what its copy took over. */
  mayHave(salt) {
    return (salt !== undefined) === this.isSalted || this.version <= this.copied;
  }

  seatOf(turn) {
    return (this.startingSeat + turn - 1) % this.places.length;
  }

  get turnSeat() {
    return this.seatOf(this.turn);
  }

  /** The top card of the draw pile; undefined where it is hidden. */
  get top() {
    return this.pile?.[this.drawn];
  }

  /** Whether the seat whose turn it is can do nothing more; null where that depends on hidden cards. */
  get isStuck() {
    const { hand, rows } = this.places[this.turnSeat];
    const mayTake = this.display.some((card) => card !== null && costOfTake(card, this.values) <= this.points);
    if (this.points >= DRAW_COST || mayTake) return false;
    if (hand.size === 0) return true;
    if (rows.length < MOST_ROWS) return false;
    if (hand.isHidden) return null;
    return !hand.cards.some((card) => rows.some((_, row) => mayAppend(rows, row, card)));
  }

  /** The types of which one must come next, in the same append; none where the game waits. */
  get due() {
    if (this.isOver) return [];
    if (this.pending?.scores) return ["ScoringStarted"];
    if (this.rounds === SCORING_AT.length) return ["GameEnded"];
    if (this.scoring) return [];
    if (this.pending) return ["ReibachRevealed", this.pending.slot === undefined ? "CardDrawn" : "DisplayRefilled"];
    if (!this.isDealt) return this.joined && this.joined === this.places.length ? ["GameStarted", "PositionSet"] : [];
    if (this.points === 0) return this.turn ? ["TurnStarted", "BankUsed", "BankRefilled"] : ["TurnStarted"];
    return this.isStuck ? ["ActionPointsForfeited"] : [];
  }
}
