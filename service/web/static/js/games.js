// The games that this browser plays, as a wall: those where it is the player's turn come first.

import { byId, fillWith, h } from "./core/dom.js";
import { allSeats } from "./core/session.js";
import { pageAddress, words } from "./core/words.js";
import { noteTurns, showDot } from "./news/signals.js";
import { gameCard, groupOf, titlesOf } from "./wall/gamecard.js";
import { loadOwnGames } from "./wall/loading.js";
import { takeAlong, takeGames } from "./wall/takealong.js";
import "./core/install.js";

/** The nearest deadline first, then what changed last, then the seat that was kept last. */
function inOrder(one, other) {
  const [first, second] = [one, other].map(({ view }) => Date.parse(view?.turn?.deadline ?? "") || Infinity);
  if (first !== second) return first - second;
  return Date.parse(other.at ?? 0) - Date.parse(one.at ?? 0) || (other.seat.at ?? 0) - (one.seat.at ?? 0);
}

async function showGames() {
  const place = byId("list");
  if (!Object.keys(allSeats()).length) {
    showNone(place);
    return;
  }
  const games = (await loadOwnGames()).sort(inOrder);
  const titles = {
    own_turn: words.games.own_turn,
    others: words.games.others,
    unreachable: words.games.unreachable,
    finished: words.games.finished,
    void: words.games.void,
  };
  const groups = Map.groupBy(games, groupOf);
  const [own, known] = [groups.get("own_turn") ?? [], games.filter(({ state }) => state)];
  noteTurns(own.map(({ id }) => id), known.map(({ id }) => id));
  showDot(own.length > 0);
  fillWith(place, Object.entries(titles).map(([group, title]) => groups.has(group) && groupElement(group, title, groups.get(group))),
    takeAlong(), leagueForm(known));
}

function groupElement(group, title, games) {
  const list = h("ul", { class: "game-cards" });
  const section = h("section", {}, h("h2", {}, title), list, group === "unreachable" && retryButton());
  list.append(...games.map((game) => gameCard(game, (card) => {
    card.remove();
    if (!list.children.length) section.remove();
    if (!Object.keys(allSeats()).length) showNone(byId("list"));
    byId("main").focus();
  })));
  return section;
}

/** A choice of games of which a page makes a table: those that are over are ticked at first. */
function leagueForm(games) {
  if (games.length < 2) return null;
  const boxes = games.map((game) => h("input", { type: "checkbox", value: game.id, checked: groupOf(game) === "finished" }));
  const form = h("form", {}, games.map((game, index) => h("label", { class: "choice" }, boxes[index], h("bdi", {}, titlesOf(game).join(" \u00b7 ")))),
    h("button", { class: "button" }, words.games.league_show));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const ids = boxes.filter((box) => box.checked).map((box) => box.value);
    location.assign(`${pageAddress("/league")}#${ids.join(",")}`);
  });
  return h("details", { class: "more" }, h("summary", {}, words.games.league), form);
}

function retryButton() {
  const button = h("button", { class: "button", type: "button" }, words.turn.retry);
  button.addEventListener("click", async () => {
    button.disabled = true;
    await showGames();
    byId("main").focus();
  });
  return button;
}

function showNone(place) {
  fillWith(place, h("p", {}, words.games.none), h("a", { class: "button button-main", href: pageAddress("/") }, words.common.new_game));
}

takeGames();
showGames();
addEventListener("hashchange", () => takeGames() && showGames());
addEventListener("pageshow", (event) => {
  if (event.persisted) showGames();
});
