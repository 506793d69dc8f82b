// Sitting down at an open seat, or at one that was left.

import { gamePath, post, randomHex } from "../core/api.js";
import { byId, fillWith, h } from "../core/dom.js";
import { keepName, keepSeat, lastName, LONGEST_NAME, seatIn } from "../core/session.js";
import { field, sheetForm } from "../core/forms.js";
import { words } from "../core/words.js";

export function showJoin(view, onjoined) {
  const place = byId("join");
  const hasRoom = view.status === "open" && view.seats.some((seat) => seat.name === null && !seat.erased);
  place.hidden = !hasRoom || view.you !== null || seatIn(view.id) !== null;
  if (!place.hidden && !place.firstChild) fillWith(place, joinForm(view.id, onjoined));
}

/**
 * A form that takes a seat; `onjoined` gets the view of it. The entropy makes sure that the server can't choose the
 * shuffle alone; it stays the same, so that a second try is the same request.
 */
export function joinForm(game, onjoined, label = words.lobby.join) {
  const input = h("input", { name: "name", required: true, maxlength: LONGEST_NAME, value: lastName(), autocomplete: "nickname" });
  const entropy = randomHex();
  const form = sheetForm([field(words.lobby.your_name, input)], label, async (_, onretry) => {
    const name = input.value.trim();
    const answer = await post(gamePath(game, "seats"), { name, entropy }, { onretry });
    keepName(name);
    keepSeat(game, { token: answer.token, seat: answer.seat, name });
    onjoined(answer.game);
    return false;
  });
  form.className = "join";
  return form;
}
