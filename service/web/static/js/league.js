// A league: a table of the games whose ids are in the fragment of the address, which is sent to no server.

import "./core/running.js";
import { byId, fillWith, h } from "./core/dom.js";
import { problemNote } from "./core/refusal.js";
import { count, fill, language, listOf, money, pageAddress, seatNames, withMinus, words } from "./core/words.js";
import { linkElement } from "./opening/link.js";
import { loadSums, seatsOf } from "./wall/loading.js";
import "./install.js";

const MOST = 500;
const parts = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });

const isDone = ({ winners }) => Boolean(winners?.length); // a cancelled game has none

/** Games, wins and millions by name: the most wins first, then the most millions. A shared win counts in parts. */
function standings(games) {
  const players = new Map();
  for (const { names, totals, winners } of games.filter(isDone)) {
    names.forEach((name, seat) => {
      const player = players.get(name) ?? { name, games: 0, wins: 0, millions: 0 };
      player.games += 1;
      player.wins += winners.includes(seat) ? 1 / winners.length : 0;
      player.millions += totals[seat];
      players.set(name, player);
    });
  }
  return [...players.values()].sort((one, other) =>
    other.wins - one.wins || other.millions - one.millions || one.name.localeCompare(other.name, language));
}

function tableOf(players) {
  if (!players.length) return h("p", {}, words.league.none_done);
  const number = (text) => h("td", { class: "number" }, text);
  const heads = [words.league.games, words.league.wins, words.league.millions];
  return h("table", { class: "league" },
    h("thead", {}, h("tr", {}, h("th", { scope: "col" }, words.league.player), heads.map((head) => h("th", { scope: "col", class: "number" }, head)))),
    h("tbody", {}, players.map(({ name, games, wins, millions }) =>
      h("tr", {}, h("th", { scope: "row" }, h("bdi", {}, name)), number(games), number(parts.format(wins)), number(withMinus(parts.format(millions)))))));
}

function gameElement(game) {
  const { id, name, names, status, totals, winners } = game;
  const outcome = isDone(game)
    ? fill(words.league.won, { names: listOf(winners.map((seat) => names[seat])), money: money(totals[winners[0]]) })
    : status === "over" ? words.league.cancelled : words.league.running;
  return h("li", { class: "panel game-card" },
    h("strong", {}, h("a", { class: "game-card-link", href: pageAddress(`/g/${id}`) }, h("bdi", {}, name ?? listOf(names)))),
    name && h("bdi", { class: "hint" }, listOf(names)),
    h("span", {}, outcome));
}

async function showLeague() {
  const place = byId("list");
  const ids = [...new Set(location.hash.slice(1).split(",").map((id) => id.trim()).filter(Boolean))].slice(0, MOST);
  if (!ids.length) {
    fillWith(place, h("p", {}, words.league.none), h("a", { class: "button button-main", href: pageAddress("/games") }, words.common.games));
    return;
  }
  try {
    const games = (await loadSums(ids)).map((game) => ({ ...game, names: seatNames(seatsOf(game)) }));
    const missing = ids.filter((id) => !games.some((game) => game.id === id));
    fillWith(
      place,
      games.length > 0 && tableOf(standings(games)),
      h("p", { class: "hint" }, words.league.rule),
      h("ul", { class: "links" }, linkElement({ label: words.league.title, link: location.href })),
      h("p", { class: "hint" }, words.league.link_hint),
      missing.length > 0 && h("p", { class: "note", role: "status" }, count(words.league.missing, missing.length, { ids: listOf(missing) })),
      games.length > 0 && h("h2", {}, words.league.list),
      h("ul", { class: "game-cards" }, games.map(gameElement)),
    );
  } catch (problem) {
    fillWith(place, problemNote(problem));
  }
}

showLeague();
addEventListener("hashchange", showLeague);
