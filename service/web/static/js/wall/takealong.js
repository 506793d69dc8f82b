// All games of this browser on another device: by a link, which holds their tokens after its #, and by its QR code.

import { fillWith, h } from "../core/dom.js";
import { allSeats, findToken, keepSeat } from "../core/session.js";
import { count, words } from "../core/words.js";
import { linkElement } from "../opening/link.js";

const GAME = /^[\w-]{1,64}$/;

/** A part of the page, folded at first, with the link: of each game its id and this browser's tokens, the one it plays last. */
export function takeAlong() {
  const place = h("div");
  return h("details", { class: "more", ontoggle: () => {
    const games = Object.entries(allSeats()).map(([id, { token, others = [] }]) => [id, ...others.map((other) => other.token), token].join("~"));
    const link = linkElement({ label: words.games.take_link, link: `${location.origin}/games#take=${games}` }, true);
    fillWith(place, h("p", {}, words.games.take_hint), h("ul", { class: "links" }, link));
  } }, h("summary", {}, words.games.take), place);
}

/** Keep the games of such a link, if the address holds one and the player agrees; whether any are kept now. */
export function takeGames() {
  const held = new URLSearchParams(location.hash.slice(1)).get("take");
  if (held === null) return false;
  history.replaceState(history.state, "", location.pathname + location.search);
  const games = held.split(",").map((game) => game.split("~"))
    .filter(([id, ...tokens]) => GAME.test(id) && tokens.length && tokens.every((token) => findToken(token) === token));
  if (!games.length) alert(words.common.damaged_link);
  if (!games.length || !confirm(count(words.games.take_question, games.length))) return false;
  for (const [id, ...tokens] of games) for (const token of tokens) keepSeat(id, { token });
  return true;
}
