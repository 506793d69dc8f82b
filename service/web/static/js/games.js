// The games that this browser plays, as a wall: those where it is the player's turn come first.

import "./core/running.js";
import { byId, fillWith, h } from "./core/dom.js";
import { pageAddress, words } from "./core/words.js";
import { choice } from "./core/forms.js";
import { noteTurns, showDot } from "./news/signals.js";
import { gameCard, groupOf, titlesOf } from "./wall/gamecard.js";
import { loadOwnGames } from "./wall/loading.js";
import { takeAlong, takeGames } from "./wall/takealong.js";
import "./install.js";

/** The nearest deadline first, then what changed last, then the seat that was kept last. */
function inOrder(one, other) {
  const [first, second] = [one, other].map(({ view }) => Date.parse(view?.turn?.deadline ?? "") || Infinity);
  if (first !== second) return first - second;
  return Date.parse(other.at ?? 0) - Date.parse(one.at ?? 0) || (other.seat.at ?? 0) - (one.seat.at ?? 0);
}

async function showGames() {
  show((await loadOwnGames()).sort(inOrder));
}

function show(games) {
  const place = byId("list");
  if (!games.length) {
    fillWith(place, h("p", {}, words.games.none), h("a", { class: "button button-main", href: pageAddress("/") }, words.common.new_game));
    return;
  }
  const titles = {
    own_turn: words.games.own_turn,
    others: words.games.others,
    unreachable: words.games.unreachable,
    finished: words.games.finished,
    void: words.games.void,
  };
  const groups = Object.fromEntries(Object.keys(titles).map((group) => [group, games.filter((game) => groupOf(game) === group)]));
  const [own, known] = [groups.own_turn, games.filter(({ state }) => state)];
  noteTurns(own.map(({ id }) => id), known.map(({ id }) => id));
  showDot(own.length > 0);
  const showOthers = (removed) => {
    show(games.filter((game) => game !== removed));
    byId("main").focus();
  };
  const sections = Object.entries(titles).map(([group, title]) => groups[group].length > 0 && h("section", {}, h("h2", {}, title),
    h("ul", { class: "game-cards" }, groups[group].map((game) => gameCard(game, showOthers))), group === "unreachable" && retryButton()));
  fillWith(place, sections, takeAlong(), leagueForm(known));
}

/** A choice of games of which a page makes a table: those that are over are ticked at first. */
function leagueForm(games) {
  if (games.length < 2) return null;
  const showLeague = (event) => {
    event.preventDefault();
    const ids = [...event.target.querySelectorAll(":checked")].map((box) => box.value);
    location.assign(`${pageAddress("/league")}#${ids.join(",")}`);
  };
  return h("details", { class: "more" }, h("summary", {}, words.games.league), h("form", { onsubmit: showLeague },
    games.map((game) => choice(h("bdi", {}, titlesOf(game).join(" \u00b7 ")), { value: game.id, checked: groupOf(game) === "finished" })),
    h("button", { class: "button" }, words.games.league_show)));
}

function retryButton() {
  return h("button", { class: "button", onclick: async ({ target }) => {
    target.disabled = true;
    await showGames();
    byId("main").focus();
  } }, words.turn.retry);
}

takeGames();
showGames();
addEventListener("hashchange", () => takeGames() && showGames());
addEventListener("pageshow", ({ persisted }) => persisted && showGames());
