// What the player notes for oneself, below the table and the replay.

import { gamePath, get, request } from "../core/api.js";
import { byId, fillWith, h } from "../core/dom.js";
import { field, hintLine, sheetForm } from "../core/forms.js";
import { problemText } from "../core/refusal.js";
import { words } from "../core/words.js";

const LONGEST_NOTE = 2000;

/** Offer the note of the seat with a token; it is loaded whenever it is opened. */
export function startNote(game, token) {
  const place = byId("note");
  place.hidden = false;
  place.addEventListener("toggle", async () => {
    if (!place.open) return;
    fillWith(byId("note-body"), await noteForm(gamePath(game, "note"), token).catch((problem) => problemText(problem)));
  });
}

async function noteForm(path, token) {
  const { text } = await get(path, token);
  const area = h("textarea", { name: "text", rows: 3, maxlength: LONGEST_NOTE }, text);
  return sheetForm([hintLine(words.note.hint), field(words.note.label, area)], words.note.save, () =>
    request(path, { method: "PUT", token, body: { text: area.value } }));
}
