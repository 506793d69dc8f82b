// Where cards go: a copy of the card moves over the page, from where it was to where it lies now. It takes no input.

import { LAYING } from "../core/actions.js";
import { cardElement } from "../core/cards.js";
import { board } from "./board.js";
import { h } from "../core/dom.js";
import { stillness } from "../core/scrolling.js";
import { ROW_BUSINESSES } from "../verify/cards/deck.js";
import { signed } from "../core/words.js";

const DURATION = 220;
const EASING = "cubic-bezier(0.25, 0.6, 0.3, 1)";
const MOST_MOVES = 2;
/** What a round brings: business after business. */
const EARNED = 700;
const NEXT_BUSINESS = 70;

const running = new Set();
let starts = [];

export function isLively() {
  return !stillness.matches && document.visibilityState === "visible";
}

/** Before the board is shown anew: note where the cards of its news are. More than two would be a muddle. */
export function notePlaces() {
  const moves = isLively() ? board.news.map(moveOf).filter(Boolean) : [];
  starts = moves.length <= MOST_MOVES ? moves.map((move) => ({ ...move, box: boxOf(move.from) })) : [];
  if (starts.length) board.fresh = new Set(); // what moves need not pulse
}

/** After it: let them move. Those that were on their way have arrived. */
export function showMoves() {
  board.news = [];
  if (starts.length) finishMotion();
  const flights = starts.map((move) => ({ ...move, target: document.querySelector(move.to), end: boxOf(move.to) }));
  starts = [];
  flights.filter(({ box, end }) => box?.width && end && (isInSight(box) || isInSight(end))).forEach(fly);
}

/** From where to where an event moves a card, as selectors; null where it moves none. */
function moveOf({ type, data }) {
  const { seat, slot, row, card } = data;
  const hand = seat === board.view.you?.seat ? `#hand .card[data-card="${card}"]` : `#market [data-total][data-seat="${seat}"]`;
  const pile = "#display .card-back";
  if (type === "CardTaken") return { from: `#display [data-slot="${slot}"]`, to: hand, card };
  if (type === "CardDrawn") return { from: pile, to: hand, card };
  if (type === "ReibachRevealed") return { from: pile, to: `#track .track > :nth-child(${data.count})`, card: "reibach" };
  if (type === "DisplayRefilled") return { from: pile, to: `#display [data-slot="${slot}"]`, card };
  return LAYING.includes(type) ? { from: hand, to: `#market [data-line="${seat}"] [data-row="${row}"]`, card } : null;
}

function boxOf(selector) {
  return document.querySelector(selector)?.getBoundingClientRect() ?? null;
}

function isInSight({ top, bottom, left, right }) {
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

/** A card is seen only when its copy has arrived, and can be touched meanwhile; elsewhere the copy fades. */
function fly({ box, end, target, card }) {
  const isCard = target.matches(".card");
  const looks = isCard ? target.cloneNode(true) : cardElement(card, { small: true });
  const face = h("span", { class: looks.className.replace(/ (changed|pulse|asked|refused)/g, ""), dataset: { ...(card && { card }) } }, ...looks.childNodes);
  const copy = h("div", { class: "moving", "aria-hidden": "true", inert: true }, face);
  document.body.append(copy);
  const own = copy.getBoundingClientRect();
  const [from, to] = [box, end].map(({ left, top, width, height }) =>
    `translate(${left + (width - own.width) / 2}px, ${top + (height - own.height) / 2}px) scale(${height / own.height})`);
  const frames = [{ transform: from, opacity: 1 }, { transform: to, opacity: isCard ? 1 : 0 }];
  run(copy, frames, { duration: DURATION, easing: EASING, fill: "both" }, () => copy.remove());
  if (isCard) run(target, { opacity: [0, 0] }, { duration: DURATION });
}

function run(element, frames, timing, onend) {
  const motion = element.animate(frames, timing);
  running.add(motion);
  motion.onfinish = () => {
    running.delete(motion);
    onend?.();
  };
}

export function finishMotion() {
  running.forEach((motion) => motion.finish());
}

/** Show on the market what a round has brought: business by business, then at the heads of the lines, whose bars grow. */
export function showEarnings({ seats, totals }) {
  if (!isLively()) return;
  const found = ROW_BUSINESSES.filter((business) => seats.some((seat) => seat.businesses[business]));
  found.forEach((business, index) => seats.forEach(({ seat, businesses }) => {
    const cell = document.querySelector(`#market [data-cell][data-seat="${seat}"][data-business="${business}"]`);
    if (businesses[business]?.income && cell) earn(cell, businesses[business].income, index * NEXT_BUSINESS);
  }));
  const grown = found.length * NEXT_BUSINESS;
  for (const bar of document.querySelectorAll("#market [data-total] .bar")) {
    const { seat } = bar.closest("[data-total]").dataset;
    const before = Math.max(0, parseFloat(bar.style.getPropertyValue("--now")) * (1 - seats[seat].income / totals[seat])) || 0;
    run(bar, { clipPath: [`inset(0 ${100 - before}% 0 0)`, "inset(0)"] }, { duration: EARNED, delay: grown, easing: "ease-out", fill: "backwards" });
  }
}

function earn(cell, amount, delay) {
  const { left, top, width } = cell.getBoundingClientRect();
  const label = h("b", { class: "earned", "aria-hidden": "true" }, signed(amount));
  label.style.translate = `${left + width / 2}px ${top}px`;
  document.body.append(label);
  const frames = { opacity: [0, 1, 1, 0], transform: ["scale(0.5)", "scale(1.2)", "scale(1)", "translateY(-0.6rem)"] };
  run(label, frames, { duration: EARNED, delay, fill: "both" }, () => label.remove());
}
