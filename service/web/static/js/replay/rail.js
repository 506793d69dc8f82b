// The rail of a replay: a slider with marks, buttons, keys, and the clock of the autoplay.

import { byId, svgNode } from "../core/dom.js";
import { words } from "../core/words.js";
import { nearestStop, stepFrom } from "./timeline.js";

const SPEEDS = { slow: 2400, normal: 1200, fast: 500, fastest: 80 };
/** A scoring round is shown for so many stops. */
const SCORING_STOPS = 4;

/**
 * Let the rail work. `move(version, isByHand)` shows a moment; what it shows is told back to `show(version, text)` of
 * the answer.
 */
export function startRail(timeline, move) {
  const slider = byId("moment");
  const play = byId("play");
  const scorings = new Set(timeline.scorings);
  let at = timeline.stops[0];
  let timer = null;
  slider.min = timeline.stops[0];
  slider.max = timeline.head;
  const mistakes = svgNode("path", { class: "mark-mistake" });
  const marks = marksOf(timeline);
  marks.append(mistakes);
  byId("marks").replaceWith(marks);

  function go(version) {
    pausePlay();
    if (version !== at) move(version, true);
  }
  const kinds = { action: timeline.stops, turn: timeline.turns, scoring: timeline.scorings };
  for (const button of document.querySelectorAll("[data-step]")) {
    const [kind, direction] = button.dataset.step.split(" ");
    button.disabled = false;
    button.addEventListener("click", () => go(stepFrom(timeline, kinds[kind], at, Number(direction))));
  }
  slider.disabled = false;
  slider.addEventListener("input", () => go(nearestStop(timeline, Number(slider.value))));

  /** A timer rather than a callback for each frame: between two moments there is nothing to do. */
  function playOn(delay) {
    timer = setTimeout(() => {
      move(stepFrom(timeline, timeline.stops, at, 1), false);
      if (at === timeline.head) pausePlay();
      else playOn(SPEEDS[byId("speed").value] * (scorings.has(at) ? SCORING_STOPS : 1));
    }, delay);
  }
  function pausePlay() {
    clearTimeout(timer);
    timer = null;
    showPlaying();
  }
  function togglePlay() {
    if (timer !== null) {
      pausePlay();
      return;
    }
    if (at === timeline.head) move(timeline.stops[0], true);
    playOn(SPEEDS[byId("speed").value] / 2);
    showPlaying();
  }
  function showPlaying() {
    play.classList.toggle("is-playing", timer !== null);
    play.title = timer === null ? words.replay.play : words.replay.pause;
    play.setAttribute("aria-label", play.title);
  }
  play.disabled = false;
  play.addEventListener("click", togglePlay);
  showPlaying();

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.metaKey || isTyping(event) || !slider.checkVisibility()) return;
    const kind = event.ctrlKey ? "scoring" : event.shiftKey ? "turn" : "action";
    const steps = {
      ArrowLeft: () => go(stepFrom(timeline, kinds[kind], at, -1)),
      ArrowRight: () => go(stepFrom(timeline, kinds[kind], at, 1)),
      Home: () => go(timeline.stops[0]),
      End: () => go(timeline.head),
      " ": togglePlay,
    };
    const isOwnKey = event.key === " " && event.target.closest("button, summary, a, select");
    if (!Object.hasOwn(steps, event.key) || isOwnKey) return;
    event.preventDefault();
    steps[event.key]();
  });

  return {
    go,
    /** Mark the turns that begin at these versions as mistakes. */
    mark(versions) {
      mistakes.setAttribute("d", strokesOf(versions, timeline.stops[0], 0, 6));
    },
    show(version, text) {
      at = version;
      slider.value = version;
      slider.setAttribute("aria-valuetext", text);
    },
  };
}

function isTyping(event) {
  return event.target.closest("input:not([type=range]), textarea, select") !== null;
}

/** Where turns begin, Reibach cards turn up, and rounds are scored: as one drawing under the slider. */
function marksOf({ stops, head, turns, reibach, scorings }) {
  const first = stops[0];
  const draw = (versions, name, from) => svgNode("path", { class: name, d: strokesOf(versions, first, from, 10) });
  return svgNode("svg", { id: "marks", class: "marks", viewBox: `0 0 ${Math.max(1, head - first)} 10`, preserveAspectRatio: "none", "aria-hidden": "true" },
    draw(turns, "mark-turn", 7), draw(reibach, "mark-reibach", 4), draw(scorings, "mark-scoring", 0));
}

function strokesOf(versions, first, from, to) {
  return versions.map((version) => `M${version - first} ${from}V${to}`).join("");
}
