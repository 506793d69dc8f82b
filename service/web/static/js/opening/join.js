// Sitting down at an open seat.

import { gamePath, post, randomHex } from "../core/api.js";
import { byId, fillWith, h } from "../core/dom.js";
import { problemText } from "../core/refusal.js";
import { keepName, keepSeat, lastName, LONGEST_NAME, seatIn } from "../core/session.js";
import { words } from "../core/words.js";

/**
 * Take an open seat; answers the view of it. The entropy makes sure that the server can't choose the shuffle alone; it
 * stays the same, so that a second try is the same request.
 */
async function joinGame(game, name, entropy, onretry) {
  const answer = await post(gamePath(game, "seats"), { name, entropy }, { onretry });
  keepName(name);
  keepSeat(game, { token: answer.token, seat: answer.seat, name });
  return answer.game;
}

export function showJoin(view, onjoined) {
  const place = byId("join");
  place.hidden = view.status !== "open" || view.you !== null || seatIn(view.id) !== null || view.seats.every((seat) => seat.name !== null || seat.erased);
  if (!place.hidden && !place.firstChild) fillWith(place, joinForm(view.id, onjoined));
}

export function joinForm(game, onjoined) {
  const field = h("input", { name: "name", required: true, maxlength: LONGEST_NAME, value: lastName(), autocomplete: "nickname", id: `join-${game}` });
  const button = h("button", { class: "button button-main" }, words.lobby.join);
  const note = h("p", { class: "note", role: "alert", hidden: true });
  const entropy = randomHex();
  const form = h(
    "form",
    { class: "join" },
    h("label", { for: field.id }, words.lobby.your_name),
    h("div", { class: "field-line" }, field, button),
    note,
  );
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    note.hidden = true;
    const say = (text) => fillWith(note, text).hidden = false;
    try {
      onjoined(await joinGame(game, field.value.trim(), entropy, say));
    } catch (problem) {
      say(problemText(problem, form));
      button.disabled = false;
      if (problem.errors?.name) field.focus();
    }
  });
  return form;
}
