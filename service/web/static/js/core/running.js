// Hides the note that the page's script isn't running, which its HTML shows otherwise after a while.

import { byId } from "./dom.js";

const FAULTS = ["TypeError", "ReferenceError", "SyntaxError"];
/** Parts of pages as they are until their script has shown everything once. */
const UNFINISHED = ".loading, #turn:empty, #moment:disabled, #verdict:not([data-state])";

byId("late").hidden = true;

/** In a browser that lacks something the script runs up to there: without a word the page would seem to load for ever. */
function showFault({ error, reason }) {
  const { name, stack } = error ?? reason ?? {};
  const isUnfinished = document.readyState !== "complete" || document.querySelector(UNFINISHED) !== null;
  if (FAULTS.includes(name) && stack.includes("/static/") && isUnfinished) byId("late").hidden = false;
}

addEventListener("error", showFault);
addEventListener("unhandledrejection", showFault);
