// What the page says of the viewer's seat: others of this browser, that one watches, that a bot plays it.

import { board } from "../table/board.js";
import { byId, fillWith, h, showIn } from "../core/dom.js";
import { hasMail } from "./notifications.js";
import { noteLink } from "../opening/seatlink.js";
import { keepSeat, seatIn } from "../core/session.js";
import { fill, seatNames, words } from "../core/words.js";

export function showOtherSeats(game) {
  const others = seatIn(game)?.others ?? [];
  const play = (seat) => {
    keepSeat(game, seat);
    location.reload();
  };
  showIn("other-seats", others.length > 0 && others.map((seat) =>
    h("button", { class: "button", onclick: () => play(seat) }, fill(words.table.play_as, { name: seat.name ?? words.table.other_seat }))));
}

/** Say above the table that one watches; where the link names a seat that this browser lacks, ask for the seat's own. */
export async function showWatching({ note, lacked }) {
  const { view } = board;
  const seat = view.status === "over" ? null : view.seats[lacked];
  if (!seat?.name && (view.you || view.status === "open" || view.status === "over")) {
    noteLink(note);
    return;
  }
  const whose = seat?.name && fill(view.turn?.seat === lacked ? words.seat.whose_turn : words.seat.whose, { name: seatNames(view.seats)[lacked] });
  const text = whose ? `${whose} ${hasMail() ? words.seat.bring_or_ask : words.seat.bring}` : `${words.table.watching} ${words.seat.have_link}`;
  const place = h("div");
  const fillPlace = async () => place.firstChild ?? fillWith(place, (await import("./seatpanel.js")).linkForms());
  if (whose) await fillPlace(); // it is open: nothing is to move afterwards
  noteLink(note, h("details", { class: "more watching", open: Boolean(whose), ontoggle: fillPlace }, h("summary", {}, text), place));
}

export async function showAbsence(isAbsent) {
  const place = byId("absence");
  if (isAbsent === !place.hidden) return;
  place.hidden = !isAbsent;
  fillWith(place, isAbsent && (await import("./clockpanel.js")).absenceParts());
}
