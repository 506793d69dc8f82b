// What is in sight: where the page is scrolled to, and which parts of it can be scrolled.

import { byId } from "./dom.js";

const MARGIN = 8;

export const stillness = matchMedia("(prefers-reduced-motion: reduce)");

export function showTop() {
  scrollTo({ top: 0, behavior: stillness.matches ? "instant" : "smooth" });
}

export function isDockStuck() {
  return ["fixed", "sticky"].includes(getComputedStyle(byId("dock")).position);
}

export function noteDock() {
  new ResizeObserver(([{ target }]) => document.body.style.setProperty("--dock", `${target.offsetHeight - 1}px`)).observe(byId("dock"));
}

/** Where the rivals' lines leave no room for the dock it lies below them, and covers none. */
export function fitDock() {
  const [rivals, own] = [".market-lines", ".market-own"].map((selector) => document.querySelector(selector));
  if (!rivals || !own) return;
  const free = innerHeight - rivals.getBoundingClientRect().bottom - scrollY;
  byId("game").classList.toggle("dock-below", free < own.offsetHeight + byId("dock").offsetHeight);
}

export function showFocused(scroller, element) {
  if (!scroller.contains(element) || !element.matches(":focus-visible")) return;
  const [outer, inner] = [scroller.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.left < outer.left + MARGIN) scroller.scrollLeft += inner.left - outer.left - MARGIN;
  else if (inner.right > outer.right - MARGIN) scroller.scrollLeft += inner.right - outer.right + MARGIN;
}

/** Let the keyboard reach a part of the page that scrolls and has no buttons; one that doesn't scroll is no tab stop. */
export function markScrollable(part) {
  const isLarger = part.scrollHeight > part.clientHeight || part.scrollWidth > part.clientWidth;
  if (isLarger && !part.querySelector("button")) part.tabIndex = 0;
  else part.removeAttribute("tabindex");
}

export function watchScrollable(part) {
  new ResizeObserver(() => markScrollable(part)).observe(part);
}
