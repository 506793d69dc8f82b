// Which seat of a game this browser opens: that of the address, else the one that it has kept.

import { isPassing } from "../core/api.js";
import { byId, fillWith, h } from "../core/dom.js";
import { forgetToken, seatIn, takeSeatLink } from "../core/session.js";
import { pageAddress, words } from "../core/words.js";

/**
 * Load a game by the first token that the service takes, or else as one who watches. `load(token)` throws ApiProblem; a
 * token that it has taken is kept by it. Answers `{action, note}`: what a mail's link has prepared for the seat, and
 * what is to be said of a link or a seat that can't be used, or null. Throws ApiProblem.
 *
 * A link's token that is refused is kept nowhere. A kept seat's is forgotten where another seat is kept beside it, and
 * else stays, so that the player learns at each visit why they only watch.
 */
export async function openSeat(game, load) {
  const link = takeSeatLink();
  let note = null;
  if (link?.token) {
    if (await isTaken(link, load)) return { action: link.action, note };
    note = words.common.void_link;
  } else if (link) {
    note = words.common.damaged_link;
  }
  let isVoid = false;
  for (let seat = seatIn(game); seat; seat = seatIn(game)) {
    if (await isTaken(seat, load)) return { action: null, note: note ?? (isVoid ? words.common.void_link : null) };
    isVoid = true;
    if (!seat.others?.length) break;
    forgetToken(game);
  }
  await load(null);
  return { action: null, note: note ?? (isVoid ? words.common.void_seat : null) };
}

/** Whether the service takes a token. Throws ApiProblem where it says nothing of the token; a link can be tried again. */
async function isTaken({ token, putBack }, load) {
  try {
    await load(token);
    return true;
  } catch (problem) {
    if (problem.status === 401 || problem.status === 403) return false;
    if (isPassing(problem)) putBack?.();
    throw problem;
  }
}

/** Say above the page what can't be used, if anything. */
export function noteLink(note) {
  byId("notice").hidden = note === null;
  fillWith(byId("notice"), note && h("p", { class: "note", role: "alert" }, note));
}

/** The game can't be shown now: say why. */
export function showUnavailable(problem) {
  fillWith(byId("status-text"), problem.detail);
  byId("game-menu").hidden = true;
}

/** The game can't be shown: say why, and where to go on. */
export function showUnknown(problem) {
  showUnavailable(problem);
  byId("notice").hidden = false;
  fillWith(
    byId("notice"),
    h("p", { class: "buttons" }, [["/games", words.common.games], ["/lobby", words.common.lobby], ["/", words.common.new_game]].map(([path, name]) =>
      h("a", { class: "button", href: pageAddress(path) }, name))),
  );
}
