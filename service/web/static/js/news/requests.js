// The others' requests to which this seat has not agreed: each request with its button, above the recap.

import { board, postOfSeat } from "../table/board.js";
import { announce, byId, h, keyed } from "../core/dom.js";
import { sheetForm } from "../core/forms.js";
import { moveInTime } from "../table/steady.js";
import { count, listOf, seatNames, words } from "../core/words.js";

const fillRequests = keyed(byId("asked"), (requests) => {
  if (requests.length) announce(requests.map(({ text }) => text).join(" "));
  return requests.map(requestLine);
});

const moveRequests = () => fillRequests(openRequests(board.view));

/** Show the requests. They move what lies below, so that they come and go once the page may move. */
export function showRequests() {
  moveInTime(moveRequests);
}

/** What the seat's person can agree to: `{text, resource}`. */
function openRequests(view) {
  const { you, seats, consents = {}, turn } = view ?? { you: null };
  if (!you || view.status === "over" || seats[you.seat].away) return [];
  const names = seatNames(seats);
  const paths = { pause: ["pause"], cancel: ["cancel"], release: ["seats", turn?.seat, "release"] };
  const isAsked = (to) => consents[to]?.length && !consents[to].includes(you.seat) && !(to === "release" && turn?.seat === you.seat);
  return Object.keys(paths).filter(isAsked).map((to) => ({
    text: count(words.clock.asked[to], consents[to].length, { names: listOf(consents[to].map((seat) => names[seat])), name: names[turn?.seat] ?? "" }),
    resource: paths[to],
  }));
}

function requestLine({ text, resource }) {
  const form = sheetForm(h("p", {}, text), words.clock.agree, () => postOfSeat(resource), "");
  form.className = "asked-line";
  return form;
}
