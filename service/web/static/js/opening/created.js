// The links of a game that was just opened: one for each seat.

import { byId, fillWith, h } from "../core/dom.js";
import { linkElement } from "./link.js";
import { keepOtherSeats } from "./otherlinks.js";
import { keepSeat, seatLink } from "../core/session.js";
import { fill, listOf, pageAddress, words } from "../core/words.js";

/** Keep the first seat, which is the player's own, and show the links of the others; without others go to the table. */
export function showCreated({ game, seats }) {
  const [own, ...others] = seats;
  keepSeat(game.id, own);
  keepOtherSeats(game.id, others);
  const table = pageAddress(`/g/${game.id}`);
  const hasOpenSeat = game.seats.some((seat) => seat.name === null && !seat.erased);
  const guests = game.seats.filter(({ seat, name, bot }) => name !== null && bot === null && !seats.some((one) => one.seat === seat));
  if (!others.length && !hasOpenSeat && !guests.length) {
    location.assign(table);
    return;
  }
  const links = others.map((seat) => ({
    label: fill(words.new_game.link_of, { name: seat.name }),
    subject: fill(words.new_game.mail_subject, { name: seat.name }),
    link: seatLink(game.id, seat.token),
  }));
  if (hasOpenSeat) {
    links.push({ label: words.new_game.open_link, subject: words.new_game.mail_subject_open, link: `${location.origin}/g/${game.id}` });
  }
  byId("new-game-form").hidden = true;
  const heading = byId("new-game-heading");
  fillWith(heading, words.new_game.created);
  const place = byId("created");
  place.hidden = false;
  fillWith(
    place,
    (others.length > 0 || hasOpenSeat) && h("p", {}, words.new_game.created_hint),
    guests.length > 0 && h("p", {}, h("bdi", {}, fill(words.new_game.invited, { names: listOf(guests.map(({ name }) => name)) }))),
    h("ul", { class: "links" }, links.map((one) => linkElement(one))),
    h("a", { class: "button button-main button-wide", href: table }, words.new_game.to_table),
  );
  heading.focus();
}
