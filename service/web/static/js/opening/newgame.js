// The form for a new game.

import { post, randomHex } from "../core/api.js";
import { byId, h, showIn } from "../core/dom.js";
import { hideFormRefusal, seatFields, showFormRefusal } from "../core/refusal.js";
import { showCreated } from "./created.js";
import { keepName, lastName } from "../core/session.js";
import { duration, sendInZone, timeZone } from "../core/times.js";
import { fill, language, seatNames, words } from "../core/words.js";

const FEWEST = 2;
const MOST = 5;
const DAY = 86_400;
const PACE_UNITS = [DAY, 3600, 60];
/** What the form was filled with, and can't all show: `{pace, shown}`; `shown` is its pace as a request has it. */
let filledWith = null;
/** What is drawn by chance for the next game: the same until it is opened, so that a second try is the same request. */
const drawn = { entropy: randomHex(), start: Math.random() };

export function startForm() {
  const form = byId("new-game-form");
  seatRows()[0].querySelector("input").value = lastName();
  byId("hours-hint").textContent = fill(words.new_game.hours_hint, { zone: timeZone() });
  byId("add-seat").addEventListener("click", () => addSeat().querySelector("select").focus());
  byId("seat-rows").addEventListener("click", ({ target }) => target.closest(".seat-remove") && removeSeat(target.closest("li")));
  form.addEventListener("input", showOptions);
  form.addEventListener("invalid", () => { byId("options").open = true; }, true); // a field that is folded away can't be mended
  form.addEventListener("submit", createGame);
  showOptions();
}

function seatRows() {
  return [...byId("seat-rows").children];
}

function addSeat() {
  byId("seat-rows").append(byId("seat-row").content.cloneNode(true));
  showOptions();
  return seatRows().at(-1);
}

function removeSeat(row) {
  row.remove();
  showOptions();
  byId("add-seat").focus();
}

function showOptions() {
  const form = byId("new-game-form");
  const rows = seatRows();
  rows.slice(1).forEach((row, index) => {
    const label = (element, template) => element.setAttribute("aria-label", fill(template, { number: index + 2 }));
    const [kind, name, invite] = row.querySelectorAll("select, input");
    const remove = row.querySelector(".seat-remove");
    label(kind, words.new_game.kind);
    label(name, words.new_game.name);
    name.placeholder = name.getAttribute("aria-label");
    setOffered(name, kind.value === "person");
    if (invite) { // only where mail is sent
      label(invite, words.new_game.invite_of);
      invite.placeholder = words.new_game.invite;
      setOffered(invite, kind.value === "person");
    }
    label(remove, words.new_game.remove);
    remove.hidden = rows.length <= FEWEST;
  });
  byId("add-seat").hidden = rows.length >= MOST;
  setOffered(byId("own-pace"), form.elements.pace.value === "own");
  showPaceOptions(form.elements);
  showStarters();
}

/** Show fields, or hide them; hidden ones are disabled, since what is refused of them can't be mended. */
function setOffered(fields, isOffered) {
  fields.hidden = fields.disabled = !isOffered;
}

function showPaceOptions({ pace, on_timeout: onTimeout, hours_from: from, hours_to: to }) {
  const isNone = pace.value === "none";
  const isWaiting = isNone || onTimeout.value === "wait";
  setOffered(byId("pace-options"), !isNone);
  setOffered(byId("late-options"), !isWaiting);
  from.required = to.required = Boolean(from.value || to.value);
  byId("days-hint").textContent = isNone ? "" : daysHint(paceOf(byId("new-game-form").elements));
  byId("pace-says").textContent = isNone ? words.new_game.says_none : isWaiting ? words.new_game.says_wait : words.new_game.says_bot;
}

/** How long the days of a turn last where the clock runs only for a part of each; empty where it runs at all hours. */
function daysHint({ turn_seconds: seconds, hours }) {
  const [from, to] = [hours?.from, hours?.to].map((time) => Date.parse(`1970-01-01T${time}Z`) / 1000);
  const open = (to - from + DAY) % DAY;
  if (!open || seconds < DAY) return ""; // also where one of them is missing
  return fill(words.new_game.days_hint, { time: duration(seconds), real: duration(Math.round(seconds / open) * DAY) });
}

function showStarters() {
  const choice = byId("starting-seat");
  const chosen = choice.value;
  const plans = seatRows().map(seatOf);
  const names = seatNames(plans.map(({ name, bot }, seat) => ({ seat, bot, name: name ?? bot ?? null })));
  seatRows().slice(1).forEach((row, index) => {
    const bot = row.querySelector(".seat-bot");
    bot.hidden = !plans[index + 1].bot;
    bot.textContent = names[index + 1];
  });
  const options = names.map((name, seat) =>
    h("option", { value: seat, selected: String(seat) === chosen }, name || fill(words.new_game.seat, { number: seat + 1 })));
  choice.replaceChildren(choice.options[0], ...options);
}

/** Fill the form with the settings of a game's view. */
export function fillForm({ name, seats, variants, pace, listed, replaceable }) {
  const form = byId("new-game-form");
  const fields = form.elements;
  seatRows().slice(seats.length).forEach((row) => row.remove());
  while (seatRows().length < seats.length) addSeat();
  seatRows().forEach((row, index) => {
    const { name: player, bot } = seats[index];
    const kind = row.querySelector("select");
    if (kind) kind.value = bot ?? (player === null ? "open" : "person");
    if (!bot && player !== null) row.querySelector("input").value = player;
  });
  for (const box of form.querySelectorAll('[name="variant"]')) box.checked = variants[box.value] ?? false;
  fields.table_name.value = name ?? "";
  fields.listed.checked = listed;
  fields.replaceable.checked = Boolean(replaceable);
  if (pace) fillPace(fields, pace);
  else fields.pace.value = "none";
  const { bank_seconds, hours, timeouts } = pace ?? {};
  const isVaried = Object.values(variants).includes(true);
  byId("options").open = Boolean(name || listed || isVaried || replaceable || bank_seconds || hours || timeouts);
  filledWith = { pace, shown: JSON.stringify(paceOf(fields)) };
  showOptions();
}

function fillPace(fields, pace) {
  const { turn_seconds: seconds, reminder_seconds: reminder, on_timeout: onTimeout } = pace;
  const offered = [...fields.pace].map((choice) => choice.value);
  fields.pace.value = offered.includes(String(seconds)) ? String(seconds) : "own";
  const unit = PACE_UNITS.find((one) => seconds % one === 0) ?? PACE_UNITS.at(-1);
  fields.unit.value = String(unit);
  fields.turn_time.value = Math.max(1, Math.round(seconds / unit));
  fields.reminder.checked = Boolean(reminder);
  fields.on_timeout.value = onTimeout ?? fields.on_timeout.value;
  fields.timeouts.value = pace.timeouts ?? "";
  fields.bank.value = Math.round((pace.bank_seconds ?? 0) / DAY) || "";
  fields.hours_from.value = pace.hours?.from ?? "";
  fields.hours_to.value = pace.hours?.to ?? "";
}

/** A seat of the request. A person's browser doesn't choose the entropy alone: those who join later bind the shuffle. */
function seatOf(row) {
  const kind = row.querySelector("select")?.value ?? "person";
  if (kind === "open") return {};
  if (kind !== "person") return { bot: kind };
  const name = row.querySelector("input").value.trim();
  const invite = row.querySelector("[name=invite]")?.value.trim();
  return row.querySelector("select") ? { name, ...(invite && { invite, language, zone: timeZone() }) } : { name, entropy: drawn.entropy };
}

function paceOf(fields) {
  if (fields.pace.value === "none") return null;
  const isOwn = fields.pace.value === "own";
  const seconds = isOwn ? Number(fields.turn_time.value) * Number(fields.unit.value) : Number(fields.pace.value);
  const hours = { from: fields.hours_from.value, to: fields.hours_to.value, zone: timeZone() };
  return {
    turn_seconds: seconds,
    ...(fields.reminder.checked && seconds >= 3 && { reminder_seconds: Math.floor(seconds / 3) }),
    ...(fields.bank.value && { bank_seconds: Number(fields.bank.value) * DAY }),
    ...(hours.from && { hours }),
    on_timeout: fields.on_timeout.value,
    ...(fields.timeouts.value && fields.on_timeout.value === "bot" && { timeouts: Number(fields.timeouts.value) }),
  };
}

/** The request. The pace is, unless it was changed, as the game had it that the form was filled with. */
function newGameOf({ elements: { table_name, starting_seat: start, listed, replaceable, variant }, elements }) {
  const seats = seatRows().map(seatOf);
  const name = table_name.value.trim();
  const pace = paceOf(elements);
  return {
    ...(name && { name }),
    seats,
    variants: Object.fromEntries([...variant].map((box) => [box.value, box.checked])),
    starting_seat: start.value === "" ? Math.floor(drawn.start * seats.length) : Number(start.value),
    listed: listed.checked,
    pace: JSON.stringify(pace) === filledWith?.shown ? filledWith.pace : pace,
    replaceable: replaceable.checked && pace?.on_timeout === "bot", // else no seat is abandoned by itself
  };
}

async function createGame(event) {
  event.preventDefault();
  const form = event.target;
  const note = byId("new-game-problem");
  const button = byId("create");
  if (button.disabled) return;
  hideFormRefusal(form, note);
  button.disabled = true;
  try {
    const { name } = newGameOf(form).seats[0];
    const answer = await sendInZone(() => post("/v1/games", newGameOf(form), { onretry: (text) => showIn(note.id, text) }));
    Object.assign(drawn, { entropy: randomHex(), start: Math.random() });
    keepName(name);
    showCreated(answer);
  } catch (problem) {
    byId("options").open ||= Boolean(problem.errors?.name);
    showFormRefusal(problem, { ...seatFields(seatRows()), name: form.elements.table_name }, note);
  } finally {
    button.disabled = false;
  }
}
