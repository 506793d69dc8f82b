// A hand of which some cards may be hidden: what it can hold follows from what went in and out.

import { DECK_KINDS } from "./deck.js";

const noCards = () => Object.fromEntries(DECK_KINDS.map((kind) => [kind, 0]));

/** Cards that went into a hand and out of it, by kind; `null` counts as a hidden card. */
export class TrackedHand {
  into = noCards();
  out = noCards();
  hiddenIn = 0;
  size = 0;

  add(card) {
    if (card === null) this.hiddenIn += 1;
    else this.into[card] += 1;
    this.size += 1;
  }

  /** Whether the hand can hold this card: it went in openly, or may be one of the hidden ones. */
  mayHold(card) {
    if (this.size === 0) return false;
    if (card === null) return true;
    // Those of a kind that were seen, and didn't go in openly, were hidden then.
    const shown = DECK_KINDS.reduce((sum, kind) => sum + this.seen(kind) - this.into[kind], 0);
    return this.into[card] > this.out[card] || this.hiddenIn > shown;
  }

  /** A card, or null for a hidden one, goes out; `mayHold` holds for it. */
  remove(card) {
    if (card !== null) this.out[card] += 1;
    this.size -= 1;
  }

  get cards() {
    return DECK_KINDS.flatMap((kind) => Array(this.seen(kind) - this.out[kind]).fill(kind));
  }

  get isHidden() {
    return this.hiddenIn > 0 || this.cards.length !== this.size;
  }

  /** How many cards of the kind the hand has certainly had. */
  seen(kind) {
    return Math.max(this.into[kind], this.out[kind]);
  }
}
