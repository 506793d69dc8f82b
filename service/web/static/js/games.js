// The games that this browser plays: those where it is the player's turn come first.

import { gamePath, get } from "./core/api.js";
import { byId, fillWith, h } from "./core/dom.js";
import { allSeats, forgetSeat } from "./core/session.js";
import { forgetOtherSeats, forgetUsedSeats } from "./opening/otherlinks.js";
import { isOwnTurn, statusText } from "./table/status.js";
import { absoluteTime, relativeTime } from "./core/times.js";
import { count, fill, listOf, pageAddress, seatNames, words } from "./core/words.js";
import "./core/install.js";

const AT_ONCE = 4;
const GROUPS = ["own_turn", "others", "unreachable", "finished", "void"];
/** Answers after which a seat can't be opened any more: every other problem may pass. */
const FINAL = [401, 403, 404, 410];

/** Every kept game with its view, or with what the service says instead. A few requests run at a time. */
async function loadGames() {
  const waiting = Object.entries(allSeats());
  const loaded = [];
  async function loadSome() {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      const [id, seat] = next;
      try {
        const view = await get(gamePath(id), seat.token);
        forgetUsedSeats(view);
        loaded.push({ id, seat, view });
      } catch (problem) {
        loaded.push({ id, seat, problem });
      }
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, loadSome));
  return loaded;
}

function groupOf({ view, problem }) {
  if (!view) return FINAL.includes(problem.status) ? "void" : "unreachable";
  if (view.status === "over") return "finished";
  return isOwnTurn(view) ? "own_turn" : "others";
}

/** The nearest deadline first, then the seat that was kept last. */
function inOrder(one, other) {
  const [first, second] = [one, other].map(({ view }) => Date.parse(view?.turn?.deadline ?? "") || Infinity);
  return first === second ? (other.seat.at ?? 0) - (one.seat.at ?? 0) : first - second;
}

async function showGames() {
  const place = byId("list");
  if (!Object.keys(allSeats()).length) {
    showNone(place);
    return;
  }
  const games = (await loadGames()).sort(inOrder);
  const titles = {
    own_turn: words.games.own_turn,
    others: words.games.others,
    unreachable: words.games.unreachable,
    finished: words.games.finished,
    void: words.games.void,
  };
  const groups = GROUPS.map((group) => [titles[group], games.filter((game) => groupOf(game) === group)]);
  fillWith(
    place,
    groups.map(([title, found]) =>
      found.length
        ? h(
            "section",
            {},
            h("h2", {}, title),
            h("ul", { class: "game-list" }, found.map(gameElement)),
            groupOf(found[0]) === "unreachable" && retryButton(),
          )
        : null,
    ),
    leagueForm(games.filter(({ view }) => view)),
  );
}

/** A choice of games of which a page makes a table: those that are over are ticked at first. */
function leagueForm(games) {
  if (games.length < 2) return null;
  const boxes = games.map((game) => h("input", { type: "checkbox", value: game.id, checked: groupOf(game) === "finished" }));
  const form = h("form", {}, games.map((game, index) => h("label", { class: "choice" }, boxes[index], h("bdi", {}, titleOf(game)))),
    h("button", { class: "button" }, words.games.league_show));
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const ids = boxes.filter((box) => box.checked).map((box) => box.value);
    location.assign(`${pageAddress("/league")}#${ids.join(",")}`);
  });
  return h("details", { class: "more" }, h("summary", {}, words.games.league), form);
}

/** A button that loads the list again. */
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

/** The table's name and the other players; of a game that isn't loaded what the browser knows. */
function titleOf({ id, seat, view }) {
  if (!view) return [seat.name, id].filter(Boolean).join(" \u00b7 ");
  const others = seatNames(view.seats).filter((_, index) => index !== view.you?.seat && view.seats[index].name !== null);
  const players = others.length ? fill(words.games.players, { names: listOf(others) }) : (seat.name ?? id);
  return view.name ? `${view.name} \u00b7 ${players}` : players;
}

function gameElement(game) {
  const { id, view, problem } = game;
  const names = view ? seatNames(view.seats) : [];
  const openSeats = view ? view.seats.filter((one) => one.name === null && !one.erased).length : 0;
  const deadline = view?.status === "playing" ? view.turn?.deadline : null;
  return h(
    "li",
    { class: "game-item" },
    h(
      "a",
      { class: "game-item-text", href: pageAddress(`/g/${id}`) },
      h("strong", {}, h("bdi", {}, titleOf(game))),
      h(
        "span",
        { class: "hint" },
        problem ? (problem.detail ?? String(problem)) : statusText(view, names),
        openSeats > 0 && [" \u00b7 ", count(words.lobby.open_seats, openSeats)],
        deadline && [" \u00b7 ", h("time", { datetime: deadline, title: absoluteTime(deadline) }, relativeTime(deadline))],
      ),
    ),
    groupOf(game) !== "unreachable" && removal(id),
  );
}

/** A button that asks once, in its own place: the token is lost with the seat. */
function removal(id) {
  const place = h("div", { class: "buttons removal" });
  const remove = h("button", { class: "button button-plain", type: "button" }, words.games.remove);
  const yes = h("button", { class: "button", type: "button" }, words.games.remove_yes);
  const no = h("button", { class: "button", type: "button" }, words.games.remove_no);
  remove.addEventListener("click", () => {
    fillWith(place, h("span", { class: "hint" }, words.games.remove_question), yes, no);
    no.focus();
  });
  no.addEventListener("click", () => {
    fillWith(place, remove);
    remove.focus();
  });
  yes.addEventListener("click", () => {
    forgetSeat(id);
    forgetOtherSeats(id);
    const section = place.closest("section");
    place.closest("li").remove();
    if (!section.querySelector("li")) section.remove();
    if (!Object.keys(allSeats()).length) showNone(byId("list"));
    byId("main").focus();
  });
  return fillWith(place, remove);
}

showGames();
addEventListener("pageshow", (event) => {
  if (event.persisted) showGames();
});
