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
  const track = byId("track");
  const showTrack = keyed(track, reibachTrack);
  const slots = [0, 1, 2].map(() => h("li", { class: "slot" }));
  const pile = h("li", { class: "slot slot-pile" });
  fillWith(byId("display"), slots, pile);
  const showSlots = slots.map((place) => keyed(place, slotCard));
  const showPile = keyed(pile, ([number, options]) => pileCard(number, { label: count(words.table.pile, number), ...options }));
  const showMarket = makeMarket({ names, own, order: orderOf(names.length, own), choose: (business) => touch.choose(business) });
  const places = room.map(() => h("div", { class: "player-hand" }));
  const showHands = places.map((place, seat) => keyed(place, (shown) => shown && handElement(...shown, room[seat])));
  fillWith(byId("players"), places.map((place, seat) =>
    h("section", { class: "player" }, h("h3", { class: "player-head" }, h("bdi", { class: "player-name", title: names[seat] }, names[seat])), place)));
  return {
    show({ view, hands }, scored, touched = {}) {
      touch = touched;
      const { status, turn, reibach } = view;
      fillWith(byId("status-text"), statusText({ ...view, you: null }, names));
      fillWith(byId("status-points"), status === "playing" && turn && count(words.table.points_left, turn.action_points));
      track.dataset.revealed = reibach.revealed;
      showTrack(reibach);
      view.display.forEach((card, slot) => showSlots[slot]([card, touch.take?.({ type: "take", slot })]));
      showPile([view.draw_pile ?? 0, touch.take?.({ type: "draw" })]);
      const scores = scored ?? scoresNow(view, openPlaces(view));
      showMarket(view.seats.map(({ seat, rows, total, hand_size: size }) => ({
        ...{ rows, total, score: scores[seat], facts: [count(words.table.hand_size, size)] },
        ...(seat === own ? { marks: touch.marks, touch: touch.lay } : { marks: [], touch: {} }),
        isOver: status === "over",
        isOnTurn: status !== "over" && turn?.seat === seat,
      })));
      hands.forEach((hand, seat) => {
        places[seat].parentElement.hidden = hand === null;
        showHands[seat](hand && [hand, seat === own ? hand.map(touch.hand) : []]);
      });
    },
  };
}

function slotCard([card, options]) {
  return card ? cardElement(card, { extra: " fresh", ...options }) : emptySlot({}, options && words.analysis.refill);
}

function handElement(cards, options, most) {
  const list = cards.length ? handList(cards, (_, index) => options[index]) : h("ul", { class: "hand-cards" });
  for (const card of list.querySelectorAll(".card")) card.classList.add("card-small");
  for (let size = cards.length; size < most; size += 1) list.append(h("li", { class: "card-place", "aria-hidden": "true" }));
  list.setAttribute("aria-label", words.table.hand);
  return list;
}
