// A game's position in small: the lengths of one's own rows, and how long the longest of the others' are.

import { svgNode } from "../core/dom.js";
import { fill, listOf, words } from "../core/words.js";

const SPECIAL = ["multitalent", "risk", "reibach"];
/** In units of the picture: a business's column, the height of all, and the cards that always have room. */
const WIDTH = 10;
const HIGHEST = 24;
const LEAST = 4;
const GROUND = HIGHEST + 2;

/** The length of a seat's longest row of each business, in their order. */
function lengthsOf(seat, businesses) {
  return businesses.map((business) => Math.max(0, ...(seat?.rows ?? []).filter((row) => row.business === business).map((row) => row.length)));
}

/** The picture of a view; of null its ground alone. */
export function positionPicture(view) {
  const businesses = Object.keys(words.cards).filter((card) => !SPECIAL.includes(card));
  const own = lengthsOf(view?.seats[view.you?.seat], businesses);
  const others = (view?.seats ?? []).filter(({ seat }) => seat !== view.you?.seat).map((seat) => lengthsOf(seat, businesses));
  const best = businesses.map((_, index) => Math.max(0, ...others.map((lengths) => lengths[index])));
  const told = businesses.map((business, index) => [words.cards[business], own[index], best[index]]).filter(([, ...lengths]) => Math.max(...lengths));
  const rows = told.map(([business, length, other]) => `${business} ${length} (${other})`);
  const label = rows.length ? fill(words.games.position, { rows: listOf(rows) }) : words.games.position_none;
  const step = HIGHEST / Math.max(LEAST, ...own, ...best);
  return svgNode("svg", { class: "position", viewBox: `0 0 ${WIDTH * businesses.length} ${GROUND + 7}`, role: "img", "aria-label": label },
    ...businesses.flatMap((business, index) => {
      const x = WIDTH * index;
      const letters = svgNode("text", { x: x + WIDTH / 2, y: GROUND + 5.5, "text-anchor": "middle" });
      letters.textContent = words.short[business];
      const [mine, theirs] = [own[index] * step, best[index] * step];
      return [
        svgNode("rect", { class: "position-ground", x: x + 1, y: GROUND, width: WIDTH - 2, height: 0.6 }),
        mine && svgNode("rect", { class: own[index] > best[index] ? "position-own position-first" : "position-own", "data-card": business, x: x + 1.5, y: GROUND - mine, width: WIDTH - 3, height: mine }),
        theirs && svgNode("rect", { class: "position-best", x: x + 0.5, y: GROUND - theirs - 0.4, width: WIDTH - 1, height: 0.8 }),
        letters,
      ].filter(Boolean);
    }));
}
