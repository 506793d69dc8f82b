// The cards and the numbers of the rule set `standard@1`.

export const ROW_BUSINESSES = [
  ...["shares", "gold", "property", "currency", "luxury", "gambling", "antiques", "oil", "jewellery", "art"],
];
export const DECK_KINDS = [...ROW_BUSINESSES, "multitalent", "risk"];
export const RULE_SET = "standard@1";
export const HAND_SIZE = 4;
export const DISPLAY_SIZE = 3;
export const REIBACH_COUNT = 10;
export const TURN_POINTS = 3;
export const DRAW_COST = 2;
export const MOST_ROWS = 10;
/** Reibach cards revealed when scoring round 1, 2, 3 is due. */
export const SCORING_AT = [4, 7, 10];

/** Cards of a kind in the deck, the Reibach cards aside. */
export const countInDeck = (kind) => (ROW_BUSINESSES.includes(kind) ? 9 : 5);

/** The 100 cards in the order that is shuffled. */
export const newDeck = () => DECK_KINDS.flatMap((kind) => Array(countInDeck(kind)).fill(kind));

/** So many Reibach cards. */
export const reibachCards = (count) => Array(count).fill("reibach");

/** What it costs to take an open card. */
export function costOfTake(card, variants) {
  return variants.expensive_specials && (card === "multitalent" || card === "risk") ? 2 : 1;
}

/** Each seat's head start in millions. */
export function headStarts(seats, startingSeat, variants) {
  return Array.from({ length: seats }, (_, seat) =>
    variants.staggered_start ? (seat - startingSeat + seats) % seats : 0);
}
