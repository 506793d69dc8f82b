// The links of the other seats of a game that was just opened, and the way to its table.

import { h } from "../core/dom.js";
import { linkElement } from "./link.js";
import { keepOtherSeats, tableAddress } from "./otherlinks.js";
import { seatLink } from "../core/session.js";
import { fill, words } from "../core/words.js";

export function seatLinks(game, seats, more = []) {
  keepOtherSeats(game, seats);
  const links = seats.map(({ name, token }) =>
    ({ label: fill(words.new_game.link_of, { name }), subject: fill(words.new_game.mail_subject, { name }), link: seatLink(game, token) }));
  return h("ul", { class: "links" }, [...links, ...more].map((one) => linkElement(one)));
}

export function tableButton(game) {
  return h("a", { class: "button button-main", href: tableAddress(game) }, words.new_game.to_table);
}
