// Which seat of a game this browser opens: that of the address, else the one that it has kept.

import { isPassing } from "../core/api.js";
import { byId, fillWith, h, showIn } from "../core/dom.js";
import { chooseSeat, forgetToken, keepsSeats, seatIn, takeSeatLink } from "../core/session.js";
import { words } from "../core/words.js";

/**
 * Load a game by the first token that the service takes, or else as one who watches. `load(token)` throws ApiProblem; a
 * token that it has taken is kept by it. Answers `{action, note, lacked}`: what a mail's link has prepared for the seat,
 * what is to be said of a link or a seat that can't be used, and the number of the seat that the link names and this
 * browser lacks; each may be null. Throws ApiProblem.
 *
 * A link's token that is refused is kept nowhere. A kept seat's is forgotten where another seat is kept beside it, and
 * else stays, so that the player learns at each visit why they only watch.
 */
export async function openSeat(game, load) {
  const link = takeSeatLink();
  let note = null;
  if (link?.token) {
    if (await isTaken(link, load)) return { action: link.action, note: keepsSeats() ? null : words.common.not_kept, lacked: null };
    note = words.common.void_link;
  } else if (link?.token === null) {
    note = words.common.damaged_link;
  }
  const isNamed = link?.token === undefined && Number.isInteger(link?.seat);
  const lacked = isNamed && !chooseSeat(game, link.seat) ? link.seat : null;
  if (lacked !== null) link.putBack();
  let isVoid = false;
  for (let seat = seatIn(game); seat; seat = seatIn(game)) {
    const action = isNamed && seat.seat === link.seat ? link.action : null;
    if (await isTaken({ ...seat, putBack: link?.putBack }, load)) return { action, note: note ?? (isVoid ? words.common.void_link : null), lacked };
    isVoid = true;
    if (!seat.others?.length) break;
    forgetToken(game);
  }
  await load(null);
  return { action: null, note: note ?? (isVoid ? words.common.void_seat : null), lacked };
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

export function noteLink(note, more = null) {
  showIn("notice", (note || more) && [note && h("p", { class: "note", role: "alert" }, note), more]);
}

export function showUnavailable(problem) {
  fillWith(byId("status-text"), problem.detail);
  byId("game-menu").hidden = true;
}
