// The list of open games.

import { get } from "./core/api.js";
import { byId, fillWith, h } from "./core/dom.js";
import { problemNote } from "./core/refusal.js";
import { joinForm } from "./opening/join.js";
import { seatIn } from "./core/session.js";
import { absoluteTime, relativeTime } from "./core/times.js";
import { count, fill, listOf, pageAddress, seatNames, words } from "./core/words.js";
import { seatsOf } from "./wall/loading.js";
import "./core/install.js";

const AT_ONCE = 20;

async function showList(place, status, isJoinable, ...none) {
  const list = h("ul", { class: "game-cards" });
  const more = h("button", { class: "button", type: "button" }, words.lobby.more);
  let after = null;
  async function showMore() {
    more.disabled = true;
    const query = new URLSearchParams({ listed: "true", status, limit: AT_ONCE, ...(after ? { after } : {}) });
    const page = await get(`/v1/games?${query}`);
    list.append(...page.games.map((game) => gameElement(game, isJoinable)));
    after = page.next;
    more.hidden = after === null;
    more.disabled = false;
  }
  more.addEventListener("click", () => showMore().catch((problem) => fillWith(place, problemNote(problem))));
  try {
    await showMore();
    if (list.children.length) fillWith(place, list, more);
    else fillWith(place, none);
  } catch (problem) {
    fillWith(place, problemNote(problem));
  }
}

function gameElement(game, isJoinable) {
  const players = seatNames(seatsOf(game)).filter((_, seat) => game.seats[seat] !== null);
  const open = game.seats.length - players.length;
  const address = pageAddress(`/g/${game.id}`);
  const title = [game.name, listOf(players) || words.common.open_seat].filter(Boolean).join("\u00a0\u00b7 ");
  const element = h("li", { class: "panel game-card" }, h("strong", {}, h("bdi", {}, title)), facts(game, open));
  const joins = isJoinable && open > 0 && seatIn(game.id) === null;
  const join = h("button", { class: "button button-main", type: "button" }, words.lobby.join);
  join.addEventListener("click", () => {
    const form = joinForm(game.id, () => location.assign(address));
    join.replaceWith(form);
    form.elements.name.focus();
  });
  element.append(h("div", { class: "buttons" }, joins && join, h("a", { class: "button", href: address }, words.lobby.watch)));
  return element;
}

function facts(game, open) {
  const time = h("time", { datetime: game.updated_at, title: absoluteTime(game.updated_at) },
    fill(words.lobby.changed, { time: relativeTime(game.updated_at) }));
  return h("span", { class: "hint" }, open > 0 && `${count(words.lobby.open_seats, open)} \u00b7 `, time);
}

function showLobby() {
  const begin = h("a", { class: "button", href: pageAddress("/") }, words.common.new_game);
  showList(byId("waiting"), "open", true, h("p", {}, words.lobby.none_waiting), begin);
  showList(byId("running"), "playing", false, h("p", { class: "empty" }, words.lobby.none_running));
}

showLobby();
addEventListener("pageshow", (event) => {
  if (event.persisted) showLobby();
});
