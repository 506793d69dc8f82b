// The list of open games.

import "./core/running.js";
import { get } from "./core/api.js";
import { byId, fillWith, h } from "./core/dom.js";
import { problemNote } from "./core/refusal.js";
import { joinForm } from "./opening/join.js";
import { seatIn } from "./core/session.js";
import { absoluteTime, relativeTime } from "./core/times.js";
import { count, fill, listOf, pageAddress, seatNames, words } from "./core/words.js";
import { seatsOf } from "./wall/loading.js";
import "./install.js";

const AT_ONCE = 20;

function showList(place, status, isJoinable, ...none) {
  const list = h("ul", { class: "game-cards" });
  const more = h("button", { class: "button", onclick: showMore }, words.lobby.more);
  let after = null;
  async function showMore() {
    more.disabled = true;
    try {
      const query = new URLSearchParams({ listed: "true", status, limit: AT_ONCE, ...(after && { after }) });
      const { games, next } = await get(`/v1/games?${query}`);
      list.append(...games.map((game) => gameElement(game, isJoinable)));
      after = next;
      more.hidden = next === null;
      more.disabled = false;
      if (!list.isConnected) fillWith(place, list.children.length ? [list, more] : none);
    } catch (problem) {
      fillWith(place, problemNote(problem));
    }
  }
  showMore();
}

function gameElement(game, isJoinable) {
  const players = seatNames(seatsOf(game)).filter((_, seat) => game.seats[seat] !== null);
  const open = game.seats.length - players.length;
  const address = pageAddress(`/g/${game.id}`);
  const title = [game.name, listOf(players) || words.common.open_seat].filter(Boolean).join("\u00a0\u00b7 ");
  const join = ({ target }) => {
    const form = joinForm(game.id, () => location.assign(address));
    target.replaceWith(form);
    form.elements.name.focus();
  };
  const at = game.updated_at;
  return h("li", { class: "panel game-card" },
    h("strong", {}, h("bdi", {}, title)),
    h("span", { class: "hint" },
      open > 0 && `${count(words.lobby.open_seats, open)} \u00b7 `,
      h("time", { datetime: at, title: absoluteTime(at) }, fill(words.lobby.changed, { time: relativeTime(at) }))),
    h("div", { class: "buttons" },
      isJoinable && open > 0 && seatIn(game.id) === null && h("button", { class: "button button-main", onclick: join }, words.lobby.join),
      h("a", { class: "button", href: address }, words.lobby.watch)));
}

function showLobby() {
  const begin = h("a", { class: "button", href: pageAddress("/") }, words.common.new_game);
  showList(byId("waiting"), "open", true, h("p", {}, words.lobby.none_waiting), begin);
  showList(byId("running"), "playing", false, h("p", { class: "empty" }, words.lobby.none_running));
}

showLobby();
addEventListener("pageshow", ({ persisted }) => persisted && showLobby());
