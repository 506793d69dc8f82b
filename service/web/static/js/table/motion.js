// Where cards go: a copy of the card moves over the page, from where it was to where it lies now. It takes no input.

import { cardElement } from "../core/cards.js";
import { board } from "./board.js";
import { h } from "../core/dom.js";

const DURATION = 220;
const EASING = "cubic-bezier(0.25, 0.6, 0.3, 1)";
const MOST_MOVES = 6;

const calm = matchMedia("(prefers-reduced-motion: reduce)");
let starts = [];
let running = [];

/** Before the board is shown anew: note where the cards of its news are. */
export function notePlaces() {
  starts = [];
  if (calm.matches || document.visibilityState !== "visible") return;
  const moves = board.news.map(moveOf).filter(Boolean);
  if (moves.length <= MOST_MOVES) starts = moves.map((move) => ({ ...move, box: boxOf(find(move.from)), number: numberOf(move.to) }));
  if (starts.length) board.fresh = new Set(); // what moves need not pulse
}

/** After it: let them move. Cards that were on their way arrive where they lie now. */
export function showMoves() {
  board.news = [];
  running.forEach(({ to, place, motion }) => hide(find(to, place), motion.currentTime));
  const flights = starts.map(planFlight).filter(Boolean);
  starts = [];
  flights.forEach(({ copy }) => document.body.append(copy));
  flights.forEach((flight) => Object.assign(flight, { own: boxOf(flight.copy) })); // all are measured at once
  flights.forEach(start);
}

/** From where to where an event moves a card, as selectors; null where it moves none. */
function moveOf({ type, data }) {
  const { seat, slot, row, card } = data;
  const hand = seat === board.view.you?.seat ? `#hand .card[data-card="${card}"]` : `#market [data-total][data-seat="${seat}"]`;
  if (type === "CardTaken") return { from: `#display > :nth-child(${slot + 1}) .card`, to: hand, card };
  if (type === "CardDrawn") return { from: "#display > .slot-pile .card", to: hand, card };
  if (type === "DisplayRefilled") return { from: "#display > .slot-pile .card", to: `#display > :nth-child(${slot + 1}) .card`, card };
  if (type === "BusinessmakerLaid" || type === "CardAppended") return { from: hand, to: rowSelector(seat, row), card };
  return null;
}

/** The cards of a row; a businessmaker without a card lies at the line's end. */
function rowSelector(seat, row) {
  return `#market [data-line="${seat}"] [data-row="${row}"] .stack-card, #market [data-line="${seat}"] .maker[data-row="${row}"]`;
}

function find(selector, place = 0) {
  return [...document.querySelectorAll(selector)].at(place) ?? null;
}

function numberOf(selector) {
  return document.querySelectorAll(selector).length;
}

function boxOf(element) {
  return element?.getBoundingClientRect() ?? null;
}

/** A move whose end is known; null where nothing can be seen of it. A row's card that lay there before stays. */
function planFlight({ to, card, box, number }, index) {
  const later = starts.slice(index).filter((other) => other.to === to).length; // the newest lie last
  const place = Math.max(0, numberOf(to) - later);
  const target = find(to, place);
  const end = boxOf(target);
  const isCard = target?.matches(".card, .stack-card") ?? false;
  const wasThere = isCard && !target.matches(".card") && place < number;
  if (!end || !box?.width || wasThere || !(isInSight(box) || isInSight(end))) return null;
  return { to, place, box, end, target, isCard, copy: copyOf(target, card) };
}

function start({ to, place, box, end, own, target, isCard, copy }) {
  const frames = [
    { transform: transformOf(box, own), opacity: 1 },
    { transform: transformOf(end, own), opacity: isCard ? 1 : 0 },
  ];
  const motion = copy.animate(frames, { duration: DURATION, easing: EASING, fill: "both" });
  const entry = { to: isCard ? to : "#none", place, motion };
  if (isCard) hide(target, 0);
  running.push(entry);
  motion.finished.catch(() => undefined).then(() => {
    copy.remove();
    running = running.filter((other) => other !== entry);
  });
}

function isInSight({ top, bottom, left, right }) {
  return bottom > 0 && right > 0 && top < innerHeight && left < innerWidth;
}

/** What moves: a card as it looks where it arrives, or a small one. */
function copyOf(target, card) {
  const looks = target.matches(".card") ? target.cloneNode(true) : cardElement(card, { small: true });
  return h("div", { class: "moving", "aria-hidden": "true", inert: true }, h("span", { class: looks.className.replace(/ (changed|pulse|asked|refused)/g, ""), dataset: { ...(card && { card }) } }, ...looks.childNodes));
}

function transformOf(frame, own) {
  return `translate(${frame.left + frame.width / 2 - own.width / 2}px, ${frame.top + frame.height / 2 - own.height / 2}px) scale(${frame.height / own.height})`;
}

/** Let a card be seen only when its copy has arrived; it can be touched meanwhile. */
function hide(element, since) {
  if (!element) return;
  const hidden = element.animate({ opacity: [0, 0] }, { duration: DURATION });
  hidden.currentTime = since;
}
