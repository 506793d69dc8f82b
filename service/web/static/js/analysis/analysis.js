// "Learn from the game": the analysis of a game that is over is asked for and awaited.

import { gamePath, getIfAny, pause, request } from "../core/api.js";
import { announce, byId, fillWith, h } from "../core/dom.js";
import { incompleteNote, problemNote } from "../core/refusal.js";
import { isSeen, loadPatiently } from "../core/retry.js";
import { seatIn } from "../core/session.js";
import { fill, locale, words } from "../core/words.js";

/** Milliseconds. */
const POLL = 2000;
const percents = new Intl.NumberFormat(locale, { style: "percent" });
/** The address asks for the analysis, or shows it for a seat: it is read before a seat's link is. */
const askedFor = new URLSearchParams(location.hash.slice(1)).get("analysis");

export function percentText(share) {
  return percents.format(share);
}

/**
 * Offer it, or go on with the one that was asked for. `stage`: `{frames, names, rail}`; `see(turn)` shows one as its seat
 * saw it, `show({view, hands}, touch)` what may be touched there, `leave()` the replay again; `follow(moveCursor)`.
 */
export function startAnalysis(game, stage) {
  const path = gamePath(game, "analysis");
  const begin = () => request(path, { method: "POST" });
  byId("analysis").hidden = false;
  if (askedFor === null) offer(null);
  else {
    follow(!askedFor && begin);
    requestAnimationFrame(() => setTimeout(() => byId("analysis").scrollIntoView())); // once all lies in its place
  }

  function offer(problem) {
    const learn = h("button", { class: "button button-main", onclick: () => follow(begin) }, words.scoring.learn);
    fillWith(byId("analysis-body"), problem && problemNote(problem), problem?.status !== 409 && learn); // 409: never
  }

  async function follow(ask) {
    const text = h("p", { role: "status" });
    const bar = h("progress", { "aria-label": words.scoring.learn });
    const load = () => loadPatiently(() => getIfAny(path), (problem) => fillWith(text, problem.detail));
    if (ask) history.replaceState(history.state, "", "#analysis");
    history.scrollRestoration = "manual"; // a reload shows it where it will lie
    fillWith(byId("analysis-body"), text, bar);
    if (ask) byId("analysis-heading").focus({ preventScroll: true });
    try {
      for (let found = await (ask || load)(); found; found = await load()) {
        if (found.status === "done") {
          const own = Number(askedFor || (seatIn(game)?.seat ?? NaN));
          const { showFindings } = (await import("./findings.js").catch(() => null)) ?? {};
          if (!showFindings) return fillWith(byId("analysis-body"), incompleteNote());
          announce(words.analysis.ready);
          return stage.follow(showFindings(game, found, own in stage.names ? own : null, stage));
        }
        bar.value = found.progress;
        fillWith(text, fill(words.analysis.working, { percent: percentText(found.progress) }));
        await pause(POLL);
        await isSeen();
      }
      offer(ask && { detail: words.common.unavailable });
    } catch (problem) {
      if (problem.detail === undefined) throw problem;
      offer(problem);
    }
  }
}
