// The table of a replay. Only what differs from the moment shown before is made anew, and nothing ever changes its
// place: there is room for the most rows and cards that each player has in the whole game.

import { cardElement, emptySlot, handList, reibachTrack, rowElement } from "../core/cards.js";
import { byId, fillWith, h } from "../core/dom.js";
import { statusText } from "../table/status.js";
import { count, fill, money, words } from "../core/words.js";

/** The most rows, and the most hand cards, of each seat. */
export function roomFor(frames) {
  return frames[0].view.seats.map((_, seat) => ({
    rows: Math.max(...frames.map(({ view }) => view.seats[seat].rows.length)),
    hand: Math.max(...frames.map(({ view }) => view.seats[seat].hand_size)),
  }));
}

/** A board; `show({view, hands}, scored)` shows a moment. `scored`: the seats of a `RoundScored`, or null. */
export function makeBoard(names, room) {
  const track = keyed(byId("track"), reibachTrack);
  const display = byId("display");
  const slots = [0, 1, 2].map(() => h("li", { class: "slot" }));
  const pile = h("li", { class: "slot slot-pile" });
  fillWith(display, slots, pile);
  const showSlots = slots.map((place) => keyed(place, (card) => (card ? cardElement(card) : emptySlot())));
  const showPile = keyed(pile, pileElement);
  const players = names.map((name, seat) => makePlayer(name, room[seat]));
  byId("players").classList.add(`players-${names.length}`);
  fillWith(byId("players"), players.map((player) => player.element));
  const status = byId("status-text");
  const points = byId("status-points");
  return {
    show({ view, hands }, scored) {
      setText(status, statusText({ ...view, you: null }, names));
      setText(points, view.status === "playing" && view.turn ? count(words.table.points_left, view.turn.action_points) : "");
      track(view.reibach);
      view.display.forEach((card, slot) => showSlots[slot](card));
      showPile(view.draw_pile ?? 0);
      const onTurn = view.status === "over" ? null : view.turn?.seat;
      players.forEach((player, seat) => player.show(view.seats[seat], hands[seat], scored?.[seat] ?? null, onTurn === seat));
    },
  };
}

/** A function that fills a place with what `make` makes of a value, if that is another value than before. */
function keyed(place, make) {
  let before;
  return (value) => {
    const key = JSON.stringify(value);
    if (key === before) return;
    const isFirst = before === undefined;
    before = key;
    fillWith(place, make(value));
    if (!isFirst) place.firstElementChild?.classList.add("fresh");
  };
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

function pileElement(number) {
  const label = count(words.table.pile, number);
  const back = h("span", { class: "card card-back", role: "img", "aria-label": label, title: label });
  return fillWith(back, h("span", { class: "pile-count" }, number));
}

function makePlayer(name, room) {
  const total = h("span", { class: "player-total" });
  const income = h("span", { class: "player-income" });
  const size = h("span", { class: "player-hand-size" });
  const hand = h("div", { class: "player-hand" });
  const rows = h("ul", { class: "rows player-rows" });
  const places = Array.from({ length: room.rows }, () => h("li", {}));
  fillWith(rows, places);
  const element = h(
    "section",
    { class: "player" },
    h("h3", { class: "player-head" }, h("bdi", { class: "player-name", title: name }, name), total, income, size),
    hand,
    rows,
  );
  const showRow = places.map((place) => keyed(place, ([row, earned]) => row && [rowElement(row), earned !== null && incomeMark(earned)]));
  const showHand = keyed(hand, (cards) => (cards ? handElement(cards, room.hand) : null));
  return {
    element,
    show(seat, cards, scored, isOnTurn) {
      element.classList.toggle("player-turn", isOnTurn);
      setText(total, money(seat.total));
      setText(income, scored ? signed(scored.income) : "");
      setText(size, count(words.table.hand_size, seat.hand_size));
      hand.hidden = cards === null;
      showHand(cards);
      places.forEach((_, index) => {
        const row = seat.rows[index] ?? null;
        showRow[index]([row, row?.business ? (scored?.businesses[row.business]?.income ?? null) : null]);
      });
    },
  };
}

/** A hand of small cards, and empty places up to its largest size. */
function handElement(cards, most) {
  const list = cards.length ? handList(cards) : h("ul", { class: "hand-cards" });
  for (const card of list.querySelectorAll(".card")) card.classList.add("card-small");
  for (let size = cards.length; size < most; size += 1) list.append(h("li", { class: "card-place", "aria-hidden": "true" }));
  list.setAttribute("aria-label", words.table.hand);
  return list;
}

function incomeMark(amount) {
  return h("span", { class: `row-income${amount ? "" : " row-income-none"}`, title: fill(words.replay.earned, { amount: money(amount) }) }, signed(amount));
}

function signed(amount) {
  return amount < 0 ? `\u2212${-amount}` : `${amount ? "+" : ""}${amount}`;
}
