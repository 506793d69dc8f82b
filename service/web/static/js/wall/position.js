// A game's position in small: the lengths of one's own rows, and how long the longest of the others' are.

import { svgNode } from "../core/dom.js";
import { ROW_BUSINESSES } from "../verify/cards/deck.js";
import { fill, listOf, words } from "../core/words.js";

/** In units of the picture: a business's column, the height of all, and the cards that always have room. */
const WIDTH = 10;
const HIGHEST = 24;
const LEAST = 4;
const GROUND = HIGHEST + 2;

function lengthsOf(seat) {
  return ROW_BUSINESSES.map((business) => seat?.rows.find((row) => row.business === business)?.length ?? 0);
}

/** The picture of a view; of null its ground alone. */
export function positionPicture(view) {
  const own = lengthsOf(view?.seats[view.you?.seat]);
  const others = (view?.seats ?? []).filter(({ seat }) => seat !== view.you?.seat).map(lengthsOf);
  const best = ROW_BUSINESSES.map((_, index) => Math.max(0, ...others.map((lengths) => lengths[index])));
  const texts = ROW_BUSINESSES.map((business, index) => `${words.cards[business]} ${own[index]} (${best[index]})`);
  const rows = texts.filter((_, index) => own[index] || best[index]);
  const label = rows.length ? fill(words.games.position, { rows: listOf(rows) }) : words.games.position_none;
  const step = HIGHEST / Math.max(LEAST, ...own, ...best);
  return svgNode("svg", { class: "position", viewBox: `0 0 ${WIDTH * ROW_BUSINESSES.length} ${GROUND + 7}`, role: "img", "aria-label": label },
    ROW_BUSINESSES.map((business, index) => {
      const x = WIDTH * index;
      const [mine, theirs] = [own[index] * step, best[index] * step];
      return [
        svgNode("rect", { class: "position-ground", x: x + 1, y: GROUND, width: WIDTH - 2, height: 0.6 }),
        mine > 0 && svgNode("rect", {
          class: own[index] > best[index] ? "position-own position-first" : "position-own",
          "data-card": business, x: x + 1.5, y: GROUND - mine, width: WIDTH - 3, height: mine,
        }),
        theirs > 0 && svgNode("rect", { class: "position-best", x: x + 0.5, y: GROUND - theirs - 0.4, width: WIDTH - 1, height: 0.8 }),
        svgNode("text", { x: x + WIDTH / 2, y: GROUND + 5.5, "text-anchor": "middle" }, words.short[business]),
      ];
    }));
}
