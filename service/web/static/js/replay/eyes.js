// From whose eyes a replay is seen. While a game runs the service alone decides what that may be; once it is over the
// service shows everything, and what a seat could not see then is left out here.

import { LAYING } from "../core/actions.js";
import { sortedHand } from "../core/cards.js";

/** Eyes that see all cards, and those of one who watches. Any others are the number of a seat. */
export const ALL_EYES = "all";
export const ONLOOKER = "watch";

/** The eyes that a viewer may choose, the first by default. `frames` are as the service gave them to this viewer. */
export function eyesFor(frames) {
  const { status, seats, you } = frames.at(-1).view;
  if (status === "over") return [ALL_EYES, ...seats.map((seat) => seat.seat), ONLOOKER];
  return you ? [you.seat, ONLOOKER] : [ONLOOKER];
}

/** The hands at each version of a game that is over, and the businessmakers (`seat.row`) that were open to all then. */
export function foldSecrets(frames) {
  let hands = [];
  let shown = new Set();
  return frames.map(({ event: { type, data }, view }) => {
    const { seat, card } = data;
    if (type === "GameStarted" || type === "PositionSet") hands = data.hands.map((hand) => hand ?? []);
    if (type === "PositionSet") {
      shown = new Set(data.rows.flatMap((rows, other) => rows.flatMap((row, number) => (row.shown ? [`${other}.${number}`] : []))));
    }
    if ((type === "CardTaken" || type === "CardDrawn") && card) hands = hands.with(seat, sortedHand([...hands[seat], card]));
    if (LAYING.includes(type)) hands = hands.with(seat, without(hands[seat], card));
    if (type === "BusinessmakerLaid") shown = new Set([...shown, `${seat}.${data.row}`]);
    if (type === "TurnStarted") shown = new Set([...shown].filter((place) => !place.startsWith(`${seat}.`)));
    return { hands, shown, isOver: view.status === "over" };
  });
}

function without(hand, card) {
  const index = hand.indexOf(card);
  return index < 0 ? hand : hand.toSpliced(index, 1);
}

/**
 * What these eyes saw at a version: `{view, hands}`, where `hands` has null for a hidden one. `secrets`: of that
 * version, or null while the game runs.
 */
export function seeThrough(eyes, { view }, secrets) {
  const seesAll = secrets && (eyes === ALL_EYES || secrets.isOver);
  const handOf = (seat) => (secrets ? (secrets.hands[seat] ?? null) : view.you?.seat === seat ? view.you.hand : null);
  const hands = view.seats.map(({ seat }) => (seesAll || eyes === seat ? handOf(seat) : null));
  if (!secrets || seesAll) return { view, hands };
  const hide = (seat, row) => (secrets.shown.has(`${seat}.${row.row}`) ? row : { ...row, businessmaker: null });
  const seats = view.seats.map((seat) => ({ ...seat, rows: seat.rows.map((row) => hide(seat.seat, row)) }));
  return { view: { ...view, seats }, hands };
}

/** Whether these eyes could not see the card that the item tells of. */
export function hidesCard(eyes, item, isOver) {
  return isOver && eyes !== ALL_EYES && item.events.some(({ type, data }) => type === "CardDrawn" && data.seat !== eyes);
}
