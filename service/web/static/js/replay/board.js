// The table of a replay: the same market. Nothing ever changes its place: there is room for the most hand cards that each
// player has in the whole game.

import { cardElement, emptySlot, handList, pileCard, reibachTrack } from "../core/cards.js";
import { byId, fillWith, h, keyed } from "../core/dom.js";
import { makeMarket } from "../market/grid.js";
import { orderOf } from "../market/touches.js";
import { openPlaces, scoresNow } from "../market/worth.js";
import { statusText } from "../table/status.js";
import { count, words } from "../core/words.js";

export function roomFor(frames) {
  return frames[0].view.seats.map((_, seat) => Math.max(...frames.map(({ view }) => view.seats[seat].hand_size)));
}

/**
 * A board; `show({view, hands}, scored)` shows a moment. `scored`: the seats of a `RoundScored`, or null. `own`: a seat that
 * thinks a turn through; `show` then says what touching cards does: `take(action)` and `hand(card, index)` are options of
 * `cardElement`, `lay` and `marks` are of the seat's line of the market, where `choose(business)` is called.
 */
export function makeBoard(names, room, own = null) {
  let touch = {};
  const track = keyed(byId("track"), reibachTrack);
  const slots = [0, 1, 2].map(() => h("li", { class: "slot" }));
  const pile = h("li", { class: "slot slot-pile" });
  fillWith(byId("display"), slots, pile);
  const showSlots = slots.map((place) => keyed(place, ([card, options]) => (card ? cardElement(card, { extra: " fresh", ...options }) : emptySlot({}, options && words.analysis.refill))));
  const showPile = keyed(pile, ([number, options]) => pileCard(number, { label: count(words.table.pile, number), ...options }));
  const showMarket = makeMarket({ names, own, order: orderOf(names.length, own), choose: (business) => touch.choose(business) });
  const places = names.map((name, seat) => makeHand(name, room[seat]));
  fillWith(byId("players"), places.map(({ place }) => place));
  const status = byId("status-text");
  const points = byId("status-points");
  return {
    show({ view, hands }, scored, touched = {}) {
      touch = touched;
      setText(status, statusText({ ...view, you: null }, names));
      setText(points, view.status === "playing" && view.turn ? count(words.table.points_left, view.turn.action_points) : "");
      byId("track").dataset.revealed = view.reibach.revealed;
      track(view.reibach);
      view.display.forEach((card, slot) => showSlots[slot]([card, touch.take?.({ type: "take", slot })]));
      showPile([view.draw_pile ?? 0, touch.take?.({ type: "draw" })]);
      const scores = scored ?? scoresNow(view, openPlaces(view));
      showMarket(view.seats.map(({ seat, rows, total, hand_size: size }) => ({
        ...{ rows, total, score: scores[seat], facts: [count(words.table.hand_size, size)], marks: [], touch: {}, ...(seat === own && { marks: touch.marks, touch: touch.lay }) },
        isOver: view.status === "over",
        isOnTurn: view.status !== "over" && view.turn?.seat === seat,
      })));
      places.forEach(({ show }, seat) => show(hands[seat] && [hands[seat], seat === own ? hands[seat].map((card, index) => touch.hand(card, index)) : []]));
    },
  };
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A place for the hand of a player, and what shows it: it hides the place where the hand can't be seen. */
function makeHand(name, most) {
  const cards = h("div", { class: "player-hand" });
  const place = h("section", { class: "player" }, h("h3", { class: "player-head" }, h("bdi", { class: "player-name", title: name }, name)), cards);
  const showCards = keyed(cards, (shown) => shown && handElement(...shown, most));
  return {
    place,
    show(hand) {
      place.hidden = hand === null;
      showCards(hand);
    },
  };
}

function handElement(cards, options, most) {
  const list = cards.length ? handList(cards, (_, index) => options[index]) : h("ul", { class: "hand-cards" });
  for (const card of list.querySelectorAll(".card")) card.classList.add("card-small");
  for (let size = cards.length; size < most; size += 1) list.append(h("li", { class: "card-place", "aria-hidden": "true" }));
  list.setAttribute("aria-label", words.table.hand);
  return list;
}
