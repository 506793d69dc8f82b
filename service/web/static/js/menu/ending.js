// What follows a game that is over: the own result, where each player's money is from, why, and what can be done next.

import { gamePath, get } from "../core/api.js";
import { board, ownToken } from "../table/board.js";
import { byId, fillWith, h, isWriting } from "../core/dom.js";
import { hintLine } from "../core/forms.js";
import { sharePicture } from "./picture.js";
import { pageLinks } from "./menu.js";
import { ranksOf } from "./rounds.js";
import { showTop } from "../core/scrolling.js";
import { isSheetOpen } from "./sheet.js";
import { statusText } from "../table/status.js";
import { forgetOtherSeats } from "../opening/otherlinks.js";
import { fill, listOf, money, pageAddress, seatNames, signed, words } from "../core/words.js";

const MOST_NAMED = 2;

let isWatched = false; // the page has shown the game before it ended
let scores = null; // the score sheet
let loading = null;

/** Load what the end tells of all rounds, unless it was `asked` for already. Without it the totals are told. */
export function loadResult(asked) {
  loading ??= (asked ?? get(gamePath(board.id, "scores"), ownToken()).catch(() => null)).then((found) => (scores = found));
  return loading;
}

/** Show the end once: over the table where it comes while one watches, and above it once that is closed. */
export async function showEnding() {
  if (board.view?.status !== "over") {
    isWatched = board.view !== null;
    return;
  }
  if (!loading) {
    await loadResult();
    showEnding();
  } else if (byId("ending").hidden && !isSheetOpen()) openEnding(board.view);
}

function openEnding(view) {
  forgetOtherSeats(board.id);
  const players = playersOf(view, seatNames(view.seats));
  const own = players.find(({ seat }) => seat === view.you?.seat) ?? null;
  const longest = Math.max(...players.map(({ length }) => length));
  const title = own && view.winners?.length ? resultText(own, players) : words.table.standing;
  const parts = [
    h("p", {}, whyText(own, players, view.winners ?? [])),
    h("ol", { class: "bars" }, players.map((player) => barElement(player, longest, player === own))),
    legend(players[0]),
    players.some(({ parts }) => parts.at(-1)?.value) && hintLine(words.turn.hints.losses),
    h("div", { class: "buttons ways" }, waysOn(view),
      view.winners?.length > 0 && h("a", { class: "button", href: `${pageAddress(`/g/${board.id}/replay`)}#analysis` }, words.scoring.learn),
      view.winners?.length > 0 && h("button", { class: "button", onclick: () => sharePicture(statusText(view), players, longest) }, words.scoring.picture)),
  ];
  fillWith(byId("ending-heading"), title);
  fillWith(byId("ending-body"), parts);
  byId("ending").classList.toggle("ending-over", isWatched);
  Object.assign(byId("ending-close"), { hidden: !isWatched, onclick: closeEnding });
  byId("ending").hidden = false;
  if (!isWatched) showTop();
  else if (!isWriting()) byId("ending-heading").focus();
}

/** Let the end lie above the table; whether it lay over it. */
export function closeEnding() {
  if (byId("ending-close").hidden) return false;
  byId("ending-close").hidden = true;
  byId("ending").classList.remove("ending-over");
  showTop();
  return true;
}

/**
 * The best first: `{seat, name, total, rank, parts, length, earned}`. `parts`: what they began with, if anything, what each
 * round has brought before losses, and the losses, each `{text, value, kind}`; `length`: of all of them; `earned`: by business.
 */
function playersOf({ seats }, names) {
  const ranks = ranksOf(seats.map(({ total }) => total));
  return seats.map(({ seat, total }) => ({ seat, name: names[seat], total, rank: ranks[seat], ...moneyOf(seat) })).sort((one, other) => one.rank - other.rank);
}

function moneyOf(seat) {
  const rounds = (scores?.rounds ?? []).map(({ seats }) => seats[seat]);
  const lost = rounds.map(({ penalties }) => penalties.empty_businessmakers + penalties.hand_cards);
  const earned = {};
  for (const [business, { income }] of rounds.flatMap(({ businesses }) => Object.entries(businesses))) earned[business] = (earned[business] ?? 0) + income;
  const parts = rounds.map(({ income }, index) => ({ text: fill(words.scoring.title, { round: index + 1 }), value: income - lost[index], kind: index + 1 }));
  if (scores?.bonus[seat]) parts.unshift({ text: words.scoring.bonus, value: scores.bonus[seat], kind: 0 });
  if (parts.length) parts.push({ text: words.scoring.losses, value: sumOf(lost), kind: "lost" });
  return { parts, length: sumOf(parts.map(({ value }) => Math.abs(value))), earned };
}

function sumOf(amounts) {
  return amounts.reduce((sum, one) => sum + one, 0);
}

function resultText(own, players) {
  const best = players.filter(({ rank }) => rank === 1);
  if (own.rank > 1) return fill(words.scoring.behind, { rank: words.scoring.ranks[own.rank - 1], amount: money(best[0].total - own.total) });
  return best.length > 1 ? words.scoring.shared : fill(words.scoring.ahead, { amount: money(own.total - players[1].total) });
}

/** Why: what the own losses have cost, if that was it, or else where the winner has earned more than the other. */
function whyText(own, players, winners) {
  if (!winners.length || !players[0].parts.length) return null;
  const isOwn = winners.includes(own?.seat);
  const winner = isOwn ? own : players[0];
  const other = own && !isOwn ? own : players.find(({ seat }) => seat !== winner.seat);
  const lost = winner.parts.at(-1).value - other.parts.at(-1).value;
  if (other === own && lost >= winner.total - own.total) return fill(words.scoring.lost, { amount: money(-own.parts.at(-1).value) });
  const lead = (business) => winner.earned[business] - (other.earned[business] ?? 0);
  const named = Object.keys(winner.earned).filter((business) => lead(business) > 0).sort((one, two) => lead(two) - lead(one)).slice(0, MOST_NAMED);
  const amountOf = ({ earned }) => money(sumOf(named.map((business) => earned[business] ?? 0)));
  const values = { name: winner.name, amount: amountOf(winner), own: amountOf(other), list: listOf(named.map((business) => words.cards[business])) };
  return named.length > 0 && fill(isOwn ? words.scoring.why_own : other === own ? words.scoring.why_lost : words.scoring.why, values);
}

function barElement({ seat, name, total, rank, parts, length }, longest, isOwn) {
  return h("li", { class: isOwn ? "own" : "", value: rank, dataset: { bar: "", seat } },
    h("span", { class: "bar-head" }, h("bdi", {}, name, isOwn && ` (${words.scoring.you})`), h("b", {}, money(total))),
    length > 0 && h("span", { class: "shares" }, parts.map((part) => shareElement(part, longest))));
}

function shareElement({ text, value, kind }, longest) {
  const share = h("span", { class: `share-${kind}`, title: `${text}: ${money(value)}`, dataset: { value } },
    h("span", { class: "hidden-text" }, `${text}: `), value !== 0 && signed(value));
  share.style.width = `${(100 * Math.abs(value)) / longest}%`; // the policy allows no style in HTML
  return share;
}

function legend({ parts }) {
  return h("p", { class: "legend", "aria-hidden": "true" }, parts.map(({ text, kind }) => [h("span", {}, h("i", { class: `share-${kind}` }), text), " "]));
}

function waysOn({ id: game, you }) {
  const again = you && [`/?again=${game}`, words.table.again, `#seat=${you.seat}`];
  const ways = [again, ...pageLinks(game), !you && ["/", words.common.new_game]];
  return ways.filter(Boolean).map(([path, text, seat = ""], index) =>
    h("a", { class: `button${index ? "" : " button-main"}`, href: pageAddress(path) + seat }, text));
}
