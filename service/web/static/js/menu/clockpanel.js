// What stops the clock, and what ends the game: vacation, pause, cancelling, resigning.

import { board, deleteOfSeat, postOfSeat, showBoard } from "../table/board.js";
import { timeNow } from "../core/connection.js";
import { announce, byId, h } from "../core/dom.js";
import { choice, field, hintLine, part, sheetForm } from "../core/forms.js";
import { closeSheet } from "./sheet.js";
import { absoluteTime } from "../core/times.js";
import { fill, listOf, seatNames, words } from "../core/words.js";

const DAY = 86_400_000;

export function clockPanel(again) {
  const { view } = board;
  const seat = view.seats[view.you.seat];
  return [
    seat.away === "abandoned" && part(words.clock.reclaim, sender(["reclaim"], words.clock.reclaim, again)),
    part(words.clock.vacation, vacationForm(seat, again)),
    view.paused_since
      ? part(words.clock.pause, sender(["resume"], words.clock.resume, again))
      : part(words.clock.pause, consent("pause", words.clock.pause_hint, words.clock.agree_pause, again)),
    releasePart(again),
    part(words.clock.cancel, consent("cancel", words.clock.cancel_hint, words.clock.agree_cancel, again)),
    seat.away !== "resigned" && part(words.clock.resign, resignForm()),
  ];
}

/** For the player whose seat a bot plays. */
export function absenceParts() {
  return [h("p", {}, words.clock.bot_plays), sender(["reclaim"], words.clock.reclaim, () => undefined)];
}

function sender(resource, label, again, tell = postOfSeat) {
  return sheetForm([], label, () => tell(resource).then(again));
}

/** For the seat that the others wait for: they may let a bot play on when it has been silent for long. */
function releasePart(again) {
  const { view } = board;
  const seat = view.status === "playing" ? view.seats[view.turn.seat] : view.seats[view.you.seat];
  if (seat.seat === view.you.seat || seat.bot !== null || seat.away) return null;
  const about = fill(words.clock.release_hint, { name: seatNames(view.seats)[seat.seat] });
  return part(words.clock.release, consent("release", about, words.clock.agree_release, again, ["seats", seat.seat, "release"]));
}

function consent(to, about, label, again, resource = [to]) {
  const { view } = board;
  const agreed = view.consents?.[to] ?? [];
  const names = seatNames(view.seats);
  return [
    hintLine(about),
    agreed.length > 0 && h("p", {}, fill(words.clock.agreed, { names: listOf(agreed.map((seat) => names[seat])) })),
    agreed.includes(view.you.seat) ? sender(resource, words.clock.withdraw, again, deleteOfSeat) : sender(resource, label, again),
  ];
}

function vacationForm({ vacations = [] }, again) {
  const present = vacations.find(({ until }) => Date.parse(until) > timeNow());
  if (present) {
    const text = fill(words.clock.on_vacation, { time: absoluteTime(present.until) });
    return [h("p", {}, text), sender(["vacation"], words.clock.end_vacation, again, deleteOfSeat)];
  }
  const until = h("input", { type: "date", required: true, min: dayIn(1), max: dayIn(30), value: dayIn(7) });
  return sheetForm([hintLine(words.clock.vacation_hint), field(words.clock.until, until)], words.clock.take_vacation, () =>
    postOfSeat(["vacation"], { until: new Date(`${until.value}T00:00`).toISOString() }).then(again));
}

function dayIn(days) {
  const day = new Date(timeNow() + days * DAY);
  return new Date(day.getTime() - day.getTimezoneOffset() * 60_000).toISOString().slice(0, 10);
}

/** Resigning can't be taken back: it asks once. The panel closes, so that no other button lies where that was. */
function resignForm() {
  return sheetForm([hintLine(words.clock.resign_hint), choice(words.clock.sure, { required: true })], words.clock.resign, async () => {
    await postOfSeat(["resign"]);
    board.result = [words.clock.resign_hint];
    closeSheet();
    showBoard();
    byId("status-text").focus();
    announce(words.clock.resign_hint);
  });
}
