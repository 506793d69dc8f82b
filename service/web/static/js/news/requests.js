// The others' requests to which this seat has not agreed: each request with its button, above the recap.

import { board, postOfSeat } from "../table/board.js";
import { announce, byId, fillWith, h } from "../core/dom.js";
import { sheetForm } from "../core/forms.js";
import { moveInTime } from "../table/steady.js";
import { count, listOf, seatNames, words } from "../core/words.js";

let shown = "";

/** Show the requests. They move what lies below, so that they come and go once the page may move. */
export function showRequests() {
  moveInTime(fillRequests);
}

function fillRequests() {
  const requests = openRequests(board.view);
  const key = JSON.stringify(requests);
  if (key === shown) return;
  shown = key;
  fillWith(byId("asked"), requests.map(requestLine));
  if (requests.length) announce(requests.map(({ text }) => text).join(" "));
}

/** What the seat's person can agree to: `{text, resource}`. */
function openRequests(view) {
  const { you, seats, consents = {}, turn } = view ?? { you: null };
  if (!you || view.status === "over" || seats[you.seat].away) return [];
  const names = seatNames(seats);
  const paths = { pause: ["pause"], cancel: ["cancel"], release: ["seats", turn?.seat, "release"] };
  const open = Object.keys(paths).filter((to) => consents[to]?.length && !consents[to].includes(you.seat) && !(to === "release" && turn?.seat === you.seat));
  return open.map((to) => ({
    text: count(words.clock.asked[to], consents[to].length, { names: listOf(consents[to].map((seat) => names[seat])), name: names[turn?.seat] ?? "" }),
    resource: paths[to],
  }));
}

function requestLine({ text, resource }) {
  const form = sheetForm(h("p", {}, text), words.clock.agree, () => postOfSeat(resource), "");
  form.className = "asked-line";
  return form;
}
