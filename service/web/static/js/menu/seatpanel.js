// The seat of this browser: its link, a new one, and the ways to another seat.

import { gamePath, get, post, request } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { h } from "../core/dom.js";
import { problemText } from "../core/refusal.js";
import { ApiProblem } from "../core/connection.js";
import { hasMail } from "./notifications.js";
import { joinForm } from "../opening/join.js";
import { linkElement } from "../opening/link.js";
import { otherSeatsOf, tableAddress } from "../opening/otherlinks.js";
import { findToken, keepSeat, seatLink } from "../core/session.js";
import { field, hintLine, part, sheetForm } from "../core/forms.js";
import { absoluteTime } from "../core/times.js";
import { fill, seatNames, words } from "../core/words.js";

/** The own seat: its link, a new link in the place of one that others know, and a copy of the game to try things out. */
export function seatPanel() {
  return [
    linksPart(words.seat.link, words.seat.link_hint, [{ token: ownToken(), seat: board.view.you.seat }]),
    othersPart(),
    part(words.seat.renew, sheetForm(hintLine(words.seat.renew_hint), words.seat.renew, renewLink, words.seat.renewed)),
    board.view.status === "playing" && part(words.seat.try_out, sheetForm(hintLine(words.seat.try_out_hint), words.seat.try_out, openCopy)),
    guestsPart(),
  ];
}

function linksPart(title, about, seats) {
  const names = seatNames(board.view.seats);
  return part(title, hintLine(about), h("ul", { class: "links" }, seats.map(({ token, seat }) =>
    linkElement({ label: fill(words.seat.link_of, { name: names[seat] }), link: seatLink(board.id, token) }))));
}

function othersPart() {
  const others = otherSeatsOf(board.view).filter(({ token }) => token !== ownToken());
  return others.length > 0 && linksPart(words.seat.others, words.seat.others_hint, others);
}

function guestsPart() {
  const [place, path] = [h("div"), gamePath(board.id, "invitations")];
  const show = (...content) => place.replaceWith(part(words.seat.guests, content));
  get(path, ownToken()).then(
    ({ invitations }) => {
      const open = invitations.filter(({ status }) => status !== "taken");
      if (open.length > 0) show(open.map((guest) => guestLine(path, guest)));
    },
    (problem) => show(problemText(problem)),
  );
  return place;
}

/** An invited player who has not accepted yet; a button mails the invitation again, to another address if that is wrong. */
function guestLine(path, { seat, status, until, error }) {
  const said = until ? fill(words.seat.guest.leaves, { time: absoluteTime(until) }) : words.seat.guest[status];
  const line = h("p", {}, h("bdi", {}, seatNames(board.view.seats)[seat]), " \u00b7 ", said, error && ` \u00b7 ${words.seat.guest.wrong}`);
  const mail = error && field(words.seat.mail, h("input", { name: "email", type: "email" }));
  return sheetForm(mail ? [line, mail] : line, words.seat.invite_again, async ({ email }) => {
    const body = email?.value.trim() ? { email: email.value.trim() } : undefined;
    await request(`${path}/${seat}`, { method: "PUT", token: ownToken(), body });
  }, words.seat.invited_again);
}

/** Give the seat a new token: the old one is revoked. A repeat after a lost answer brings the same. */
async function renewLink() {
  const answer = await post(gamePath(board.id, "seats", board.view.you.seat, "handover"), undefined, { token: ownToken() });
  keepSeat(board.id, { token: answer.token, seat: answer.seat, name: board.view.seats[answer.seat].name });
  location.reload();
}

async function openCopy() {
  const { view } = board;
  const seats = view.seats.map((seat) => (seat.seat === view.you.seat ? { name: seat.name } : { bot: "greedy" }));
  const answer = await post("/v1/games", { fork: { game: board.id, version: view.version }, seats }, { token: ownToken() });
  keepSeat(answer.game.id, answer.seats[0]);
  location.assign(tableAddress(answer.game.id));
  return false;
}

/** Ways to the own seat for one who watches. */
export function linkForms() {
  return [linkForm(), hasMail() && lostLinkForm()];
}

export function watchPanel() {
  return [
    part(words.seat.have_link, linkForm()),
    takeOverPart(),
    hasMail() && part(words.seat.lost, lostLinkForm()),
  ];
}

function linkForm() {
  const token = h("input", { name: "token", required: true, autocomplete: "off", spellcheck: "false" });
  return sheetForm(field(words.seat.paste, token), words.seat.sit_down, takeSeat);
}

function lostLinkForm() {
  const mail = h("input", { name: "email", type: "email", required: true, autocomplete: "email" });
  return sheetForm([hintLine(words.seat.lost_hint), field(words.seat.mail, mail)], words.seat.ask_mail, async () => {
    const { valid_hours: hours } = await post(gamePath(board.id, "lost-token"), { email: mail.value });
    return fill(words.seat.mail_sent, { hours });
  });
}

function takeSeat({ token }) {
  const [, fragment] = token.value.split("#");
  const given = findToken(fragment === undefined ? token.value : (new URLSearchParams(fragment).get("token") ?? ""));
  if (given === null) throw new ApiProblem("damaged-link", 0, words.common.damaged_link);
  location.hash = new URLSearchParams({ token: given }).toString();
}

function takeOverPart() {
  const { free_from: from } = board.view?.seats.find((seat) => seat.free_from) ?? {}; // the lowest is taken first
  if (!from || board.view.you) return false;
  const hint = hintLine(fill(words.seat.take_over_hint, { time: absoluteTime(from) }));
  return part(words.seat.take_over, hint, joinForm(board.id, () => location.reload(), words.seat.sit_down));
}
