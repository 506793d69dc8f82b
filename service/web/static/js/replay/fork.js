// "Continue from here": a new game that begins at the replay's version.

import { gamePath, get, post } from "../core/api.js";
import { seatLinks, tableButton } from "../opening/seatlinks.js";
import { announce, byId, fillWith, h, showIn } from "../core/dom.js";
import { hideFormRefusal, seatFields, showFormRefusal } from "../core/refusal.js";
import { keepName, keepSeat, lastName, LONGEST_NAME, seatIn } from "../core/session.js";
import { fill, seatNames, words } from "../core/words.js";

const PERSON = "person";

/**
 * Let the form work. A running game can be continued by its players only, and only as it is now. `view`: the last one;
 * `versionShown()`: the replay's version.
 */
export function startFork(game, token, view, versionShown) {
  const form = byId("fork-form");
  const isOver = view.status === "over";
  byId("fork-hint").hidden = !isOver;
  byId("fork-running").hidden = isOver;
  form.hidden = !isOver && (view.status !== "playing" || !view.you);
  if (form.hidden) return;
  const names = seatNames(view.seats);
  const own = seatIn(game)?.seat ?? Math.max(0, view.seats.findIndex((seat) => seat.bot === null));
  const rows = view.seats.map((seat) => seatRow(seat, names[seat.seat], seat.seat === own));
  fillWith(byId("fork-seats"), rows);
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    const [button, note] = [byId("fork-create"), byId("fork-problem")];
    if (button.disabled) return;
    hideFormRefusal(form, note);
    button.disabled = true;
    try {
      const seats = rows.map(seatOfRow);
      const version = isOver ? versionShown() : (await get(gamePath(game), token)).version;
      const answer = await post("/v1/games", { fork: { game, version }, seats }, { token: isOver ? null : token });
      showFork(form, answer, seats, own);
    } catch (problem) {
      showFormRefusal(problem, seatFields(rows), note);
    } finally {
      button.disabled = false;
    }
  });
}

/** A seat of the form: who plays it, and under which name. A person sits at one's own seat, bots at the others. */
function seatRow(seat, label, isOwn) {
  const number = seat.seat + 1;
  const kinds = [[PERSON, words.replay.person], ...Object.entries(words.new_game.bots)];
  const showName = () => (name.hidden = name.disabled = select.value !== PERSON);
  const select = h("select", { "aria-label": fill(words.new_game.kind, { number }), onchange: showName },
    kinds.map(([value, kind]) => h("option", { value, selected: value === (isOwn ? PERSON : (seat.bot ?? "greedy")) }, kind)));
  const placeholder = fill(words.new_game.name, { number });
  const name = h("input", { required: true, maxlength: LONGEST_NAME, autocomplete: "off", "aria-label": placeholder, placeholder });
  name.value = (isOwn && lastName()) || (seat.bot ? "" : (seat.name ?? ""));
  showName();
  return h("li", { class: "seat-row" }, h("bdi", { class: "fork-name" }, label), select, name);
}

function seatOfRow(row) {
  const [, select, name] = row.children;
  return select.value === PERSON ? { name: name.value.trim() } : { bot: select.value };
}

function showFork(form, { game, seats }, sent, own) {
  const mine = seats.find((seat) => seat.seat === own) ?? seats[0];
  if (mine) {
    keepSeat(game.id, mine);
    keepName(sent[mine.seat].name);
  }
  const others = seats.filter((seat) => seat !== mine);
  const links = seatLinks(game.id, others);
  const table = tableButton(game.id);
  form.hidden = true;
  showIn("fork-done", [h("p", {}, words.new_game.created), others.length > 0 && links, table]);
  announce(words.new_game.created);
  table.focus();
}
