// The cards, the numbers of the game, what the variants of each rule set change of them, and where a card may be laid.

export const ROW_BUSINESSES = ["shares", "gold", "property", "currency", "luxury", "gambling", "antiques", "oil", "jewellery", "art"];
export const DECK_KINDS = [...ROW_BUSINESSES, "multitalent", "risk"];
/** By rule set: its variants, each with the values that it changes. */
export const RULE_SETS = {
  "standard@1": { expensive_specials: { specialCost: 2 }, staggered_start: { bonusStep: 1 } },
};
const VALUES_OF_PRINTED = { handSize: 4, specialCost: 1, bonusStep: 0 };
export const DISPLAY_SIZE = 3;
export const REIBACH_COUNT = 10;
export const TURN_POINTS = 3;
export const DRAW_COST = 2;
/** What a businessmaker without a card costs in the last round. */
export const EMPTY_LOSS = 2;
export const MOST_ROWS = 10;
/** Reibach cards revealed when scoring round 1, 2, 3 is due. */
export const SCORING_AT = [4, 7, 10];

export const countInDeck = (kind) => (ROW_BUSINESSES.includes(kind) ? 9 : 5);

export const newDeck = () => DECK_KINDS.flatMap((kind) => Array(countInDeck(kind)).fill(kind));

export const reibachCards = (count) => Array(count).fill("reibach");

export const isKnownRuleSet = (name) => typeof name === "string" && Object.hasOwn(RULE_SETS, name);

/**
 * What may differ from game to game: {handSize, specialCost, bonusStep}. `variants`: whether each of them is on. Of a
 * rule set that is newer than the page those of the printed game: the service judges.
 */
export function valuesOfGame(ruleSet, variants) {
  const changes = Object.entries(RULE_SETS[ruleSet] ?? {}).filter(([name]) => variants?.[name]);
  return Object.assign({}, VALUES_OF_PRINTED, ...changes.map(([, values]) => values));
}

export const costOfTake = (card, { specialCost }) => (isSpecial(card) ? specialCost : 1);

export const isSpecial = (card) => card === "multitalent" || card === "risk";

export function mayAppend(rows, row, card) {
  const { business, closed } = rows[row];
  if (closed) return false;
  if (isSpecial(card)) return business !== null;
  return business === null ? !rows.some((other) => other.business === card) : business === card;
}

export const headStarts = (seats, startingSeat, { bonusStep }) =>
  Array.from({ length: seats }, (_, seat) => ((seat - startingSeat + seats) % seats) * bonusStep);
