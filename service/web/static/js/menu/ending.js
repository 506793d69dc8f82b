// What follows a game that is over: the own result, what decided it, where each player's money is from, and what can be done next.

import { cardElement } from "../core/cards.js";
import { board } from "../table/board.js";
import { byId, fillWith, h, isWriting, nameElement } from "../core/dom.js";
import { sharePicture } from "./picture.js";
import { pageLinks } from "./panels.js";
import { closeEnding } from "./result.js";
import { ranksOf } from "./rounds.js";
import { showTop } from "../core/scrolling.js";
import { sharesOf } from "./shares.js";
import { statusText } from "../table/status.js";
import { COSTLY_TURNS, keptOfGame } from "../core/storage.js";
import { forgetOtherSeats } from "../opening/otherlinks.js";
import { count, fill, listOf, money, pageAddress, seatNames, withMinus, words } from "../core/words.js";

const MOST_NAMED = 2;
/** So many millions behind are a narrow loss. */
const CLOSE = 6;
/** A share that is narrower, as a part of the longest bar, has no room for its number. */
const LEAST_LABELLED = 0.09;

let scores = null; // the score sheet, if it is there: without it the totals are told

/** Show it; `isWatched`: the page has shown the game before it ended. */
export function openEnding(view, sheet, isWatched) {
  scores = sheet;
  forgetOtherSeats(board.id);
  const players = playersOf(view, seatNames(view.seats));
  const own = players.find(({ seat }) => seat === view.you?.seat) ?? null;
  const winners = view.winners ?? []; // of a cancelled game none
  const longest = Math.max(...players.map(({ shares }) => lengthOf(shares))); // 0 without the score sheet
  const picture = () => sharePicture(statusText(view), players, longest);
  fillWith(byId("ending-heading"), own && winners.length > 0 ? resultParts(own, players) : words.table.standing);
  fillWith(byId("ending-body"),
    winners.length > 0 && decisionElement(own, players, winners),
    h("div", { class: "standing" },
      h("ol", { class: ["bars", !longest && "bars-plain"] }, players.map((player) => barElement(player, longest, player === own))), legend(players[0])),
    h("div", { class: "ways" }, buttonsOf(view, own, winners),
      h("p", { class: "ways-links" }, pageLinks(view.id).map(([path, text]) => [h("a", { href: pageAddress(path) }, text), " "]),
        winners.length > 0 && h("button", { class: "link", onclick: picture }, words.scoring.picture))));
  byId("ending").classList.toggle("ending-over", isWatched);
  Object.assign(byId("ending-close"), { hidden: !isWatched, onclick: closeEnding });
  byId("ending").hidden = false;
  if (!isWatched) showTop();
  else if (!isWriting()) byId("ending-heading").focus();
}

/**
 * The best first: `{seat, name, total, rank, shares, lost, costs, earned}`. `shares`: what they began with, if anything, what each round
 * has brought before losses, and the losses, each `{text, value, kind, width, left}`; `costs`: names of losses; `earned`: by business.
 */
function playersOf({ seats }, names) {
  const ranks = ranksOf(seats.map(({ total }) => total));
  return seats.map(({ seat, total }) => ({ seat, name: names[seat], total, rank: ranks[seat], ...moneyOf(seat) })).sort((one, other) => one.rank - other.rank);
}

function moneyOf(seat) {
  const rounds = (scores?.rounds ?? []).map(({ seats }) => seats[seat]);
  const losses = rounds.map(({ penalties }) => penalties.empty_businessmakers + penalties.hand_cards);
  const lost = sumOf(losses);
  const costs = Object.keys(words.scoring.costs).filter((name) => rounds.some(({ penalties }) => penalties[name] < 0));
  const earned = {};
  for (const [business, { income }] of rounds.flatMap(({ businesses }) => Object.entries(businesses))) earned[business] = (earned[business] ?? 0) + income;
  const parts = rounds.map(({ income }, index) => ({ text: fill(words.scoring.title, { round: index + 1 }), value: income - losses[index], kind: index + 1 }));
  if (scores?.bonus[seat]) parts.unshift({ text: words.scoring.bonus, value: scores.bonus[seat], kind: 0 });
  return { shares: parts.length ? sharesOf(parts, { text: words.scoring.losses, value: lost, kind: "lost" }) : [], lost, costs, earned };
}

function sumOf(amounts) {
  return amounts.reduce((sum, one) => sum + one, 0);
}

/** How far a bar goes, with what was eaten off it. */
function lengthOf(shares) {
  return shares.length && shares.at(-1).left + shares.at(-1).width;
}

/** The own place as a coin, what that is, and the distance. */
function resultParts({ total, rank }, players) {
  const best = players.filter((player) => player.rank === 1);
  const place = words.scoring.ranks[rank - 1];
  const others = rank > 1 ? best : best.length > 1 ? best.filter(({ seat }) => seat !== board.view.you.seat) : [players[1]];
  const distance = Math.abs(total - others[0].total);
  const [title, form] = rank > 1 ? [distance > CLOSE ? place : words.scoring.close, words.scoring.behind]
    : best.length > 1 ? [words.scoring.shared, words.scoring.level] : [words.scoring.won, words.scoring.ahead];
  return [
    h("span", { class: ["coin", `coin-${rank}`], ...(title === place ? { "aria-hidden": true } : { role: "img", "aria-label": place }) }, rank),
    h("span", { class: "result" }, title),
    h("span", { class: "result-money" }, fill(form, { total: money(total), amount: distance, list: listOf(others.map(({ name }) => name)) })),
  ];
}

/** What decided it, with its cards: the own losses, if it was them, or else where the winner has earned more than the other. */
function decisionElement(own, players, winners) {
  if (!players[0].shares.length) return null;
  const isOwn = winners.includes(own?.seat);
  const winner = isOwn ? own : players[0];
  const other = own && !isOwn ? own : players.find(({ seat }) => seat !== winner.seat);
  const [amount, list] = own ? [money(-own.lost), listOf(own.costs.map((name) => words.scoring.costs[name]))] : [];
  if (other === own && winner.lost - own.lost >= winner.total - own.total) return decision([null], fill(words.scoring.lost, { amount, list }));
  const lead = (business) => winner.earned[business] - (other.earned[business] ?? 0);
  const named = Object.keys(winner.earned).filter((business) => lead(business) > 0).sort((one, two) => lead(two) - lead(one)).slice(0, MOST_NAMED);
  const form = isOwn ? words.scoring.why_own : other === own ? words.scoring.why_lost : words.scoring.why;
  return named.length > 0 && decision(named,
    h("b", {}, words.scoring.decided),
    named.map((business) => [" ", words.cards[business], words.colon,
      fill(form, { name: winner.name, amount: money(winner.earned[business]), other: other.name, less: other.earned[business] ?? 0 })]),
    own?.lost < 0 && ` ${fill(words.scoring.cost, { amount, list })}`);
}

function decision(cards, ...texts) {
  return h("div", { class: "decided" }, h("span", { class: "decided-cards", "aria-hidden": "true" }, cards.map((card) => cardElement(card, { small: true }))), h("p", {}, texts));
}

function barElement({ seat, name, total, rank, shares }, longest, isOwn) {
  return h("li", { class: isOwn ? "own" : "", value: rank, dataset: { bar: "", seat } },
    nameElement(name), isOwn && h("span", { class: "hidden-text" }, ` (${words.scoring.you})`),
    longest > 0 && h("span", { class: "shares" }, shares.map((share) => shareElement(share, longest))),
    h("b", { title: money(total) }, withMinus(String(total))));
}

function shareElement({ text, value, kind, width, left }, longest) {
  const share = h("span", { class: `share-${kind}`, title: `${text}: ${money(value)}`, dataset: { value } },
    h("span", { class: "hidden-text" }, `${text}: `), value !== 0 && h("span", { class: kind === "lost" || width / longest < LEAST_LABELLED ? "hidden-text" : "" }, withMinus(String(value))));
  share.style.left = `${(100 * left) / longest}%`; // the policy allows no style in HTML
  share.style.width = `${(100 * width) / longest}%`;
  return share;
}

function legend({ shares }) {
  return h("p", { class: "legend", "aria-hidden": "true" }, shares.map(({ text, kind }) => [h("span", {}, h("i", { class: `share-${kind}` }), text), " "]));
}

function buttonsOf({ id: game, you }, own, winners) {
  const [path, text, seat] = you ? [`/?again=${game}`, words.table.again, `#seat=${you.seat}`] : ["/", words.common.new_game, ""];
  const costly = keptOfGame(COSTLY_TURNS, game);
  const lost = costly ? count(words.scoring.where_lost_turns, costly) : words.scoring.where_lost;
  const learn = own && !winners.includes(own.seat) ? lost : words.scoring.learn;
  return [
    h("a", { class: "button button-main", href: pageAddress(path) + seat }, text),
    winners.length > 0 && h("a", { class: "button", href: `${pageAddress(`/g/${game}/replay`)}#analysis` }, learn),
  ];
}
