// The table of a replay: the same market. Nothing ever changes its place: there is room for the most hand cards that each
// player has in the whole game.

import { cardElement, emptySlot, handList, pileCard, reibachTrack } from "../core/cards.js";
import { byId, fillWith, h, keyed } from "../core/dom.js";
import { makeMarket } from "../market/grid.js";
import { openPlaces, scoresNow } from "../market/worth.js";
import { statusText } from "../table/status.js";
import { count, words } from "../core/words.js";

export function roomFor(frames) {
  return frames[0].view.seats.map((_, seat) => Math.max(...frames.map(({ view }) => view.seats[seat].hand_size)));
}

/** A board; `show({view, hands}, scored)` shows a moment. `scored`: the seats of a `RoundScored`, or null. */
export function makeBoard(names, room) {
  const track = keyed(byId("track"), reibachTrack);
  const slots = [0, 1, 2].map(() => h("li", { class: "slot" }));
  const pile = h("li", { class: "slot slot-pile" });
  fillWith(byId("display"), slots, pile);
  const showSlots = slots.map((place) => keyed(place, (card) => (card ? cardElement(card, { extra: " fresh" }) : emptySlot())));
  const showPile = keyed(pile, (number) => pileCard(number));
  const showMarket = makeMarket({ names, order: names.map((_, seat) => seat) });
  const showHands = names.map((name, seat) => makeHand(name, room[seat]));
  const status = byId("status-text");
  const points = byId("status-points");
  return {
    show({ view, hands }, scored) {
      setText(status, statusText({ ...view, you: null }, names));
      setText(points, view.status === "playing" && view.turn ? count(words.table.points_left, view.turn.action_points) : "");
      byId("track").dataset.revealed = view.reibach.revealed;
      track(view.reibach);
      view.display.forEach((card, slot) => showSlots[slot](card));
      showPile(view.draw_pile ?? 0);
      const scores = scored ?? scoresNow(view, openPlaces(view));
      showMarket(view.seats.map(({ seat, rows, total, hand_size: size }) => ({
        ...{ rows, total, score: scores[seat], facts: [count(words.table.hand_size, size)], marks: [], touch: {} },
        isOver: view.status === "over",
        isOnTurn: view.status !== "over" && view.turn?.seat === seat,
      })));
      showHands.forEach((show, seat) => show(hands[seat]));
    },
  };
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** A place for the hand of a player; what shows it hides the place where the hand can't be seen. */
function makeHand(name, most) {
  const cards = h("div", { class: "player-hand" });
  const place = h("section", { class: "player" }, h("h3", { class: "player-head" }, h("bdi", { class: "player-name", title: name }, name)), cards);
  byId("players").append(place);
  const show = keyed(cards, (hand) => hand && handElement(hand, most));
  return (hand) => {
    place.hidden = hand === null;
    show(hand);
  };
}

function handElement(cards, most) {
  const list = cards.length ? handList(cards) : h("ul", { class: "hand-cards" });
  for (const card of list.querySelectorAll(".card")) card.classList.add("card-small");
  for (let size = cards.length; size < most; size += 1) list.append(h("li", { class: "card-place", "aria-hidden": "true" }));
  list.setAttribute("aria-label", words.table.hand);
  return list;
}
