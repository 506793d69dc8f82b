// A game on the wall: who plays, whose turn it is, the own standing, a picture of the position, and where to go.

import { h } from "../core/dom.js";
import { forgetSeat } from "../core/session.js";
import { absoluteTime } from "../core/times.js";
import { count, fill, listOf, locale, money, pageAddress, seatNames, words } from "../core/words.js";
import { forgetOtherSeats } from "../opening/otherlinks.js";
import { endPush } from "../news/device.js";
import { isOwnTurn, statusText, timeLeft } from "../table/status.js";
import { addView } from "./loading.js";
import { positionPicture } from "./position.js";

/** Answers after which a seat can't be opened any more: every other problem may pass. */
const FINAL = [401, 403, 404, 410];
const days = new Intl.DateTimeFormat(locale, { dateStyle: "medium" });

export function groupOf({ state, problem }) {
  if (!state) return FINAL.includes(problem.status) ? "void" : "unreachable";
  if (state.status === "over") return "finished";
  return isOwnTurn(state) ? "own_turn" : "others";
}

/** The table's name, if it has one, and the other players; of a game that isn't loaded what the browser knows. */
export function titlesOf({ id, seat, state }) {
  if (!state) return [[seat.name, id].filter(Boolean).join("\u00a0\u00b7 ")];
  const others = seatNames(state.seats).filter((_, index) => index !== state.you?.seat && state.seats[index].name !== null);
  const players = others.length ? fill(words.games.players, { names: listOf(others) }) : (seat.name ?? id);
  return state.name ? [state.name, players] : [players];
}

/** A card; `onremoved(game)` is called when the player has removed it. */
export function gameCard(game, onremoved) {
  const [title, players] = titlesOf(game);
  const { id, state } = game;
  const isStarted = state && state.status !== "open";
  const link = h("strong", {}, h("a", { class: "game-card-link", href: pageAddress(`/g/${id}`) }, h("bdi", {}, title)));
  return h("li", { class: `panel game-card${groupOf(game) === "own_turn" ? " game-card-own" : ""}`, dataset: { game: id } },
    h("div", { class: "game-card-head" }, link, groupOf(game) !== "unreachable" && cardMenu(game, title, onremoved)),
    players && h("span", { class: "hint" }, h("bdi", {}, players)),
    isStarted && pictureOf(game),
    h("span", { class: "game-card-facts" }, state ? factsOf(game) : String(game.problem)),
    isStarted && h("span", { class: "game-card-facts" }, standingOf(state), h("a", { href: pageAddress(`/g/${id}/replay`) }, words.games.replay)));
}

function factsOf({ state, view, at }) {
  const openSeats = state.seats.filter((one) => one.name === null && !one.erased).length;
  const deadline = view?.status === "playing" && view.turn?.deadline;
  const time = deadline || (state.status === "over" && at);
  return [
    !isOwnTurn(state) && h("span", {}, statusText(state)),
    openSeats > 0 && h("span", {}, count(words.lobby.open_seats, openSeats)),
    time && h("time", { datetime: time, title: absoluteTime(time) }, deadline ? timeLeft(deadline) : days.format(new Date(time))),
  ];
}

/** The own total and, once a round was scored, the place; nothing of a game that was cancelled. */
function standingOf({ seats, you, winners, reibach }) {
  const own = seats[you?.seat];
  if (!own || winners?.length === 0) return h("span");
  if (reibach?.rounds_scored === 0) return h("b", {}, money(own.total));
  const wins = (seat) => Boolean(winners?.includes(seat.seat));
  const place = 1 + seats.filter((seat) => wins(seat) > wins(own) || (wins(seat) === wins(own) && seat.total > own.total)).length;
  return h("b", {}, fill(words.games.standing, { money: money(own.total), place, players: seats.length }));
}

/** The picture of the position; of a game that is over it is loaded once its place is in sight. */
function pictureOf(game) {
  const picture = positionPicture(game.view);
  if (game.view) return picture;
  const watcher = new IntersectionObserver(async ([{ isIntersecting }]) => {
    if (!isIntersecting) return;
    watcher.disconnect();
    game.view = (await addView(game)).view;
    if (game.view) picture.replaceWith(positionPicture(game.view));
  });
  watcher.observe(picture);
  return picture;
}

/** What is rarely wanted: to forget the game, which is asked once, since the token is lost with the seat. */
function cardMenu(game, title, onremoved) {
  const { id } = game;
  const menu = h("dialog", { class: "panel card-menu", "aria-label": title },
    h("p", {}, h("strong", {}, words.games.remove, words.colon, h("bdi", {}, title))),
    h("p", {}, words.games.remove_question),
    h("div", { class: "buttons" },
      h("button", { class: "button", onclick: () => {
        endPush(id).catch(() => undefined); // the service ends what it can't deliver
        forgetSeat(id);
        forgetOtherSeats(id);
        onremoved(game);
      } }, words.games.remove_yes),
      h("button", { class: "button", autofocus: true, onclick: () => menu.close() }, words.games.remove_no)));
  const label = fill(words.games.more, { game: title });
  const looks = { class: "button button-plain card-menu-button", "aria-label": label, "aria-haspopup": "dialog" };
  return [h("button", { ...looks, onclick: () => menu.showModal() }, "\u22ef"), menu];
}
