// The other seats that this browser has in a game, after opening another seat's link.

import { byId, fillWith, h } from "../core/dom.js";
import { keepSeat, seatIn } from "../core/session.js";
import { fill, words } from "../core/words.js";

/** Offer to play another seat of the game; nothing where there is none. */
export function showOtherSeats(game) {
  const others = seatIn(game)?.others ?? [];
  const place = byId("other-seats");
  place.hidden = !others.length;
  fillWith(place, others.map((seat) => h("button", { class: "button", type: "button", onclick: () => play(game, seat) }, label(seat))));
}

function label(seat) {
  return fill(words.table.play_as, { name: seat.name ?? words.table.other_seat });
}

function play(game, seat) {
  keepSeat(game, seat);
  location.reload();
}
