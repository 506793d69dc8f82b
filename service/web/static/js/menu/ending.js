// What follows a game that is over: the final standing, and where to go on.

import { board } from "../table/board.js";
import { byId, fillWith, h } from "../core/dom.js";
import { isRoundWaiting } from "./rounds.js";
import { showTop } from "../core/scrolling.js";
import { isSheetOpen } from "./sheet.js";
import { statusText } from "../table/status.js";
import { moveInTime } from "../table/steady.js";
import { AGAIN } from "../opening/again.js";
import { forgetOtherSeats } from "../opening/otherlinks.js";
import { money, pageAddress, seatNames, words } from "../core/words.js";

/** Show it once, behind the sheet of the last round: it moves the table, so that it waits for the click that closes the sheet. */
export function showEnding() {
  const place = byId("ending");
  if (board.view?.status !== "over" || !place.hidden || isSheetOpen() || isRoundWaiting()) return;
  moveInTime(openEnding);
}

function openEnding() {
  const place = byId("ending");
  if (!place.hidden || isSheetOpen() || isRoundWaiting()) return;
  forgetOtherSeats(board.id);
  const names = seatNames(board.view.seats);
  fillWith(
    byId("ending-body"),
    h("p", { class: "winners" }, statusText(board.view, names)),
    h("ol", { class: "standing" }, rankedSeats(board.view).map(({ seat, total, rank, isWinner }) =>
      h("li", { value: rank, class: isWinner ? "winner" : "" }, h("span", { class: "standing-line" }, h("bdi", {}, names[seat], seat === board.view.you?.seat && ` (${words.scoring.you})`), h("span", {}, money(total)))))),
    h("div", { class: "buttons" }, waysOn(board.view).map(([path, title, extra = "", seat = ""]) => h("a", { class: `button${extra}`, href: pageAddress(path) + seat }, title))),
  );
  place.hidden = false;
  showTop();
}

/** The winners first, then by total; those who are equal have the same rank. */
function rankedSeats({ seats, winners }) {
  const ranked = seats.map(({ seat, total }) => ({ seat, total, isWinner: (winners ?? []).includes(seat) }));
  ranked.sort((one, other) => other.isWinner - one.isWinner || other.total - one.total);
  return ranked.map((one) => ({ ...one, rank: 1 + ranked.findIndex((other) => other.isWinner === one.isWinner && other.total === one.total) }));
}

function waysOn({ id: game, you }) {
  const again = you && [[`/?${AGAIN}=${game}`, words.table.again, "", `#seat=${you.seat}`]];
  return [
    [`/g/${game}/replay`, words.menu.replay, " button-main"],
    ...(again ?? []),
    [`/g/${game}/sheet`, words.menu.score_sheet],
    [`/g/${game}/check`, words.menu.check],
    ["/", words.common.new_game],
  ];
}
