// The rail of a replay: a slider with marks, buttons, keys, and the clock of the autoplay.

import { byId, fillWith, svgNode } from "../core/dom.js";
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
  const { stops, head, turns, reibach, scorings } = timeline;
  const slider = byId("moment");
  const play = byId("play");
  let at = stops[0];
  let timer = null;
  slider.min = at;
  slider.max = head;
  const mark = (name) => svgNode("path", { class: name });
  const strike = (path, versions, from, to) => {
    path.setAttribute("d", versions.map((version) => `M${version - stops[0]} ${from}V${to}`).join(""));
    return path;
  };
  const mistakes = mark("mark-mistake");
  byId("marks").setAttribute("viewBox", `0 0 ${Math.max(1, head - stops[0])} 10`);
  fillWith(byId("marks"),
    strike(mark("mark-turn"), turns, 7, 10), strike(mark("mark-reibach"), reibach, 4, 10), strike(mark("mark-scoring"), scorings, 0, 10), mistakes);

  function go(version) {
    setTimer(null);
    if (version !== at) move(version, true);
  }
  const kinds = { action: stops, turn: turns, scoring: scorings };
  const step = (kind, direction) => go(stepFrom(timeline, kinds[kind], at, direction));
  for (const button of document.querySelectorAll("[data-step]")) {
    const [kind, direction] = button.dataset.step.split(" ");
    button.addEventListener("click", () => step(kind, Number(direction)));
    button.disabled = false;
  }
  slider.addEventListener("input", () => go(nearestStop(timeline, Number(slider.value))));

  /** Let the autoplay go on by this timer, rather than by a callback for each frame; null: let it rest. */
  function setTimer(next) {
    clearTimeout(timer);
    timer = next;
    play.classList.toggle("is-playing", timer !== null);
    play.title = timer === null ? words.replay.play : words.replay.pause;
    play.setAttribute("aria-label", play.title);
  }
  function playOn() {
    move(stepFrom(timeline, stops, at, 1), false);
    setTimer(at === head ? null : setTimeout(playOn, SPEEDS[byId("speed").value] * (scorings.includes(at) ? SCORING_STOPS : 1)));
  }
  function togglePlay() {
    if (timer !== null) return setTimer(null);
    if (at === head) move(stops[0], true);
    return setTimer(setTimeout(playOn, SPEEDS[byId("speed").value] / 2));
  }
  play.addEventListener("click", togglePlay);
  slider.disabled = play.disabled = false;
  setTimer(null);

  document.addEventListener("keydown", (event) => {
    const { key, target } = event;
    if (event.altKey || event.metaKey || target.closest("input:not([type=range]), textarea, select") || !slider.getClientRects().length) return;
    const kind = event.ctrlKey ? "scoring" : event.shiftKey ? "turn" : "action";
    const steps = {
      ArrowLeft: () => step(kind, -1),
      ArrowRight: () => step(kind, 1),
      Home: () => go(stops[0]),
      End: () => go(head),
      " ": togglePlay,
    };
    if (!Object.hasOwn(steps, key) || (key === " " && target.closest("button, summary, a"))) return;
    event.preventDefault();
    steps[key]();
  });

  return {
    go,
    /** Mark the turns that begin at these versions as mistakes. */
    mark: (versions) => strike(mistakes, versions, 0, 6),
    show(version, text) {
      at = version;
      slider.value = version;
      slider.setAttribute("aria-valuetext", text);
    },
  };
}
