// The start page.

import { showCreated } from "./opening/created.js";
import { playDemo } from "./opening/demo.js";
import { byId, fillWith } from "./core/dom.js";
import { startForm } from "./opening/newgame.js";
import "./core/install.js";

const demo = byId("demo");

demo.addEventListener("click", async () => {
  const note = byId("demo-problem");
  note.hidden = true;
  demo.disabled = true;
  try {
    await playDemo();
  } catch (problem) {
    note.hidden = false;
    fillWith(note, problem.detail ?? String(problem));
    demo.disabled = false;
  }
});
addEventListener("pageshow", () => {
  demo.disabled = false; // a page that comes back from the history
});
startForm(showCreated);
