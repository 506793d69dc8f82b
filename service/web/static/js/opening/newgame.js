// The form for a new game.

import { post, randomHex } from "../core/api.js";
import { byId, fillWith, h } from "../core/dom.js";
import { keepName, lastName } from "../core/session.js";
import { fill, words } from "../core/words.js";

const FEWEST = 2;
const MOST = 5;
/** What is drawn by chance for the next game: the same until it is opened, so that a second try is the same request. */
const drawn = { entropy: randomHex(), start: Math.random() };

/** Let the form work; `oncreated(answer)` is called with the answer of the API. */
export function startForm(oncreated) {
  const form = byId("new-game-form");
  form.elements.name.value = lastName();
  seatRows().slice(1).forEach(letRemove);
  byId("add-seat").addEventListener("click", () => addSeat().querySelector("select").focus());
  form.addEventListener("change", showOptions);
  form.addEventListener("input", showStarters);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    createGame(form, oncreated);
  });
  showOptions();
}

function seatRows() {
  return [...byId("seat-rows").children];
}

function addSeat() {
  const row = byId("seat-row").content.firstElementChild.cloneNode(true);
  letRemove(row);
  byId("seat-rows").append(row);
  showOptions();
  return row;
}

function letRemove(row) {
  row.querySelector(".seat-remove").addEventListener("click", () => {
    row.remove();
    showOptions();
    byId("add-seat").focus();
  });
}

/** Show the fields that the chosen options need. */
function showOptions() {
  const form = byId("new-game-form");
  const rows = seatRows();
  rows.slice(1).forEach((row, index) => {
    const [kind, name, remove] = row.children;
    const number = index + 2;
    kind.setAttribute("aria-label", fill(words.new_game.kind, { number }));
    name.setAttribute("aria-label", fill(words.new_game.name, { number }));
    name.placeholder = fill(words.new_game.name, { number });
    remove.setAttribute("aria-label", fill(words.new_game.remove, { number }));
    remove.hidden = rows.length <= FEWEST;
    name.hidden = kind.value !== "person";
    name.disabled = name.hidden;
  });
  byId("add-seat").hidden = rows.length >= MOST;
  byId("own-pace").hidden = form.elements.pace.value !== "own";
  form.elements.turn_time.disabled = byId("own-pace").hidden;
  byId("pace-options").hidden = form.elements.pace.value === "none";
  showStarters();
}

/** The choice of who starts, by the names as they are typed. */
function showStarters() {
  const choice = byId("starting-seat");
  const chosen = choice.value;
  const options = seatRows().map((row, seat) =>
    h("option", { value: seat, selected: String(seat) === chosen }, labelOf(row) || fill(words.new_game.seat, { number: seat + 1 })),
  );
  choice.replaceChildren(choice.options[0], ...options);
}

function labelOf(row) {
  const kind = row.querySelector("select");
  return kind === null || kind.value === "person" ? row.querySelector("input").value.trim() : kind.selectedOptions[0].label;
}

/** A seat of the request. A person's browser doesn't choose the entropy alone: those who join later bind the shuffle. */
function seatOf(row) {
  const kind = row.querySelector("select")?.value ?? "person";
  if (kind === "open") return {};
  if (kind !== "person") return { bot: kind };
  const name = row.querySelector("input").value.trim();
  return row.querySelector("select") ? { name } : { name, entropy: drawn.entropy };
}

function paceOf(fields) {
  if (fields.pace.value === "none") return null;
  const isOwn = fields.pace.value === "own";
  const seconds = isOwn ? Number(fields.turn_time.value) * Number(fields.unit.value) : Number(fields.pace.value);
  const reminder = fields.reminder.checked && seconds >= 3 ? { reminder_seconds: Math.floor(seconds / 3) } : {};
  return { turn_seconds: seconds, ...reminder, on_timeout: fields.on_timeout.value };
}

function newGameOf(form) {
  const seats = seatRows().map(seatOf);
  const { starting_seat: start, listed } = form.elements;
  const variants = [...form.querySelectorAll('[name="variant"]')].map((box) => [box.value, box.checked]);
  return {
    seats,
    variants: Object.fromEntries(variants),
    starting_seat: start.value === "" ? Math.floor(drawn.start * seats.length) : Number(start.value),
    listed: listed.checked,
    pace: paceOf(form.elements),
  };
}

async function createGame(form, oncreated) {
  const note = byId("new-game-problem");
  const button = byId("create");
  if (button.disabled) return;
  note.hidden = true;
  button.disabled = true;
  try {
    const body = newGameOf(form);
    const answer = await post("/v1/games", body);
    Object.assign(drawn, { entropy: randomHex(), start: Math.random() });
    keepName(body.seats[0].name);
    oncreated(answer);
  } catch (problem) {
    const errors = Object.values(problem.errors ?? {}).flat();
    note.hidden = false;
    fillWith(note, errors.length ? errors.join(" ") : (problem.detail ?? String(problem)));
  } finally {
    button.disabled = false;
  }
}
