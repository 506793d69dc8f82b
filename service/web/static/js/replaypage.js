// The page of a replay.

import "./core/running.js";
import { startAnalysis } from "./analysis/analysis.js";
import { gamePath, get } from "./core/api.js";
import { announce, byId, copyText, fillWith, h } from "./core/dom.js";
import { noteLink, openSeat } from "./opening/seatlink.js";
import { makeBoard, roomFor } from "./replay/board.js";
import { showCharts } from "./replay/charts.js";
import { loadCourse } from "./replay/course.js";
import { ALL_EYES, eyesFor, foldSecrets, hidesCard, ONLOOKER, seeThrough } from "./replay/eyes.js";
import { startFork } from "./replay/fork.js";
import { startRail } from "./replay/rail.js";
import { nearestStop, timelineOf } from "./replay/timeline.js";
import { startNote } from "./news/note.js";
import "./install.js";
import { loadPatiently } from "./core/retry.js";
import { keepSeat, seatIn } from "./core/session.js";
import { fill, isolated, listOf, pageAddress, seatNames, words } from "./core/words.js";

const game = decodeURIComponent(location.pathname.split("/")[2]);
/** Browsers refuse an address that changes more often than about 200 times in 30 seconds. */
const ADDRESS_EVERY = 250;

/**
 * The token with which the replay is loaded: that of this browser's seat while the game runs. Afterwards all see the
 * same, and what was loaded without a token can be read without a connection.
 */
async function tokenToLoadWith() {
  let found = null;
  try {
    const { note } = await openSeat(game, async (token) => {
      if (token === null) return;
      const { status, seats, you } = await get(gamePath(game), token);
      keepSeat(game, { token, seat: you.seat, name: seats[you.seat].name }); // a link names the token alone
      found = status === "over" ? null : token;
    });
    noteLink(note);
  } catch (problem) {
    if (problem.status !== 0) throw problem; // without a connection: as one who watches
  }
  return found;
}

async function startReplay() {
  byId("to-table").href = pageAddress(`/g/${game}`);
  try {
    showReplay(...(await loadPatiently(async () => {
      const token = await tokenToLoadWith();
      return [token, await loadCourse(game, token)];
    }, showProblem)));
  } catch (problem) {
    showProblem(problem);
    if (problem.detail === undefined) throw problem;
  }
}

function showProblem(problem) {
  fillWith(byId("status-text"), problem.detail ?? problem.message);
}

function showReplay(token, { frames, items }) {
  const last = frames.at(-1).view;
  const isOver = last.status === "over";
  const names = seatNames(last.seats);
  const timeline = timelineOf(frames, items);
  const secrets = isOver && foldSecrets(frames);
  const room = roomFor(frames);
  let board = makeBoard(names, room);
  const rail = startRail(timeline, move);
  const [usual] = eyesFor(frames);
  let eyes = startEyes(frames, names, (chosen) => {
    eyes = chosen;
    move(at, true);
  });
  const cursors = []; // of charts, which move to the turn of a version
  const follow = (moveCursor) => cursors.push(moveCursor) && moveCursor(at);
  let at = firstMoment(timeline, isOver);

  function move(version, isByHand) {
    if (!byId("trial").hidden) {
      byId("trial").hidden = true;
      board = makeBoard(names, room);
      byId("analysis").scrollIntoView();
      byId("analysis-heading").focus({ preventScroll: true });
    }
    at = version;
    const { type, data } = frames[at - 1].event;
    board.show(seen(eyes), type === "RoundScored" ? data.seats : null);
    const text = sentenceShown();
    fillWith(byId("caption"), h("bdi", { title: text }, text));
    rail.show(at, text);
    cursors.forEach((moveCursor) => moveCursor(at));
    followAddress(momentShown);
    if (isByHand) announce(text);
  }

  /** Show a turn of the analysis as its seat saw it, on a board where it can be thought through: `{view, hands}`. */
  function see({ seat, version }) {
    rail.go(version);
    move(version, false);
    board = makeBoard(names, room, seat);
    return seen(seat);
  }

  function seen(by) {
    return seeThrough(by, frames[at - 1], secrets && secrets[at - 1]);
  }

  /** What a link says of the moment: its version; and whose eyes see it (a seat, `all` or `watch`), if not the usual ones. */
  function momentShown() {
    return { at, ...(eyes !== usual && { as: eyes }) };
  }

  function sentenceShown() {
    const { event, view } = frames[at - 1];
    const item = timeline.itemAt(at);
    if (event.type === "GameStarted" || event.type === "PositionSet") return words.replay.dealt; // the item names all hands
    if (item && hidesCard(eyes, item, isOver)) return fill(words.replay.draws, { name: names[item.seat] });
    if (item) return item.text;
    return view.turn ? fill(words.replay.turn_begins, { turn: view.turn.number, name: names[view.turn.seat] }) : "";
  }

  document.title = `${words.replay.title}: ${last.name ? isolated(last.name) : listOf(names)} \u2013 Reibach & Co.`;
  move(at, false);
  startFork(game, token, last, () => at);
  startLink(momentShown);
  const own = seatIn(game);
  if (own) startNote(game, own.token);
  // Charts lie below what is seen first.
  setTimeout(() => {
    follow(showCharts(byId("charts"), frames, names));
    byId("charts").hidden = false;
    const show = (state, touch) => board.show(state, null, touch);
    if (last.winners?.length) startAnalysis(game, { frames, names, rail, see, follow, show, leave: () => move(at, true) });
  });
}

/** The moment that the address asks for; without one the beginning of a game that is over, or else the present. */
function firstMoment(timeline, isOver) {
  const asked = Number(new URLSearchParams(location.search).get("at"));
  if (Number.isInteger(asked) && asked > 0) return Math.min(asked, timeline.head);
  return isOver ? (timeline.turns[0] ?? timeline.stops[0]) : nearestStop(timeline, timeline.head);
}

function startEyes(frames, names, choose) {
  const choices = eyesFor(frames);
  const select = byId("eyes");
  const labels = { ...names, [ALL_EYES]: words.replay.all_knowing, [ONLOOKER]: words.replay.onlooker };
  const asked = new URLSearchParams(location.search).get("as");
  const chosen = choices.find((one) => String(one) === asked) ?? choices[0];
  fillWith(select, choices.map((one, index) => h("option", { value: index, selected: one === chosen }, labels[one])));
  select.addEventListener("change", () => choose(choices[select.value]));
  return chosen;
}

let pending = null;

/** Let the address name the moment, without an entry in the history, and not too often. */
function followAddress(momentShown) {
  pending ??= setTimeout(() => {
    pending = null;
    const address = new URL(location.href);
    address.searchParams.delete("as");
    for (const [name, value] of Object.entries(momentShown())) address.searchParams.set(name, value);
    history.replaceState(history.state, "", address.href);
  }, ADDRESS_EVERY);
}

/** The link to the moment: it names no language, so that a reader of it gets their own. */
function startLink(momentShown) {
  const button = byId("copy-link");
  button.disabled = false;
  button.addEventListener("click", async () => {
    const field = byId("link");
    field.hidden = false;
    field.value = new URL(`?${new URLSearchParams(momentShown())}`, location.href).href;
    field.select();
    await copyText(field);
    announce(words.link.copied);
    button.textContent = words.link.copied;
    setTimeout(() => fillWith(button, words.replay.link), 2000);
  });
}

startReplay();
