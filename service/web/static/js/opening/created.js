// The links of a game that was just opened: one for each seat.

import { byId, fillWith, h, showIn } from "../core/dom.js";
import { tableAddress } from "./otherlinks.js";
import { seatLinks, tableButton } from "./seatlinks.js";
import { keepSeat } from "../core/session.js";
import { fill, listOf, words } from "../core/words.js";

/** Keep the first seat, which is the player's own, and show the links of the others; without others go to the table. */
export function showCreated({ game, seats }) {
  const [own, ...others] = seats;
  keepSeat(game.id, own);
  const hasOpenSeat = game.seats.some((seat) => seat.name === null && !seat.erased);
  const guests = game.seats.filter(({ seat, name, bot }) => name !== null && bot === null && !seats.some((one) => one.seat === seat));
  if (!others.length && !hasOpenSeat && !guests.length) {
    location.assign(tableAddress(game.id));
    return;
  }
  const open = { label: words.new_game.open_link, subject: words.new_game.mail_subject_open, link: `${location.origin}/g/${game.id}` };
  byId("new-game-form").hidden = true;
  fillWith(byId("new-game-heading"), words.new_game.created).focus();
  showIn("created", [
    (others.length > 0 || hasOpenSeat) && h("p", {}, words.new_game.created_hint),
    guests.length > 0 && h("p", {}, h("bdi", {}, fill(words.new_game.invited, { names: listOf(guests.map(({ name }) => name)) }))),
    seatLinks(game.id, others, hasOpenSeat ? [open] : []),
    tableButton(game.id),
  ]);
}
