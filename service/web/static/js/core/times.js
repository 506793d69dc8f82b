// Times in the page's language: relative in the text, absolute in its title.

import { timeNow } from "./connection.js";
import { language, locale } from "./words.js";

const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
const whole = new Intl.DateTimeFormat(locale, { dateStyle: "full", timeStyle: "short" });
const UNITS = [["day", 86400], ["hour", 3600], ["minute", 60], ["second", 1]];

let zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "Etc/Unknown";
if (zone === "Etc/Unknown") zone = "UTC";

/** The name of the browser's time zone; UTC where it has none, or one that the service doesn't know. */
export function timeZone() {
  return zone;
}

/** What `send()` answers; it is called once more, in UTC, where the service doesn't know the zone. */
export async function sendInZone(send) {
  try {
    return await send();
  } catch (problem) {
    if (zone === "UTC" || !Object.keys(problem.errors ?? {}).some((path) => /\bzone$/.test(path))) throw problem;
    zone = "UTC";
    return send();
  }
}

/** `in 2 days`, `3 minutes ago`, by the largest unit of which there are two; days as the reader's calendar counts them. */
export function relativeTime(at) {
  const now = timeNow();
  const seconds = Math.round((new Date(at).getTime() - now) / 1000);
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= 2 * size) ?? UNITS.at(-1);
  return relative.format(unit === "day" ? dayNumber(at) - dayNumber(now) : Math.round(seconds / length), unit);
}

function dayNumber(time) {
  const day = new Date(time);
  return Date.UTC(day.getFullYear(), day.getMonth(), day.getDate()) / 86_400_000;
}

export function absoluteTime(at) {
  return whole.format(new Date(at));
}

/** Seconds as a duration: `2 days 4 hours`, the two largest units. */
export function duration(seconds) {
  let rest = Math.max(0, Math.round(seconds));
  const amounts = UNITS.map(([unit, length]) => {
    const number = Math.floor(rest / length);
    rest -= number * length;
    return { unit, number };
  });
  const largest = amounts.findIndex(({ number }) => number); // -1, the last unit, where there is none
  const shown = amounts.slice(largest).slice(0, 2).filter(({ number }, index) => number || index === 0);
  return shown.map(({ unit, number }) => new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" }).format(number)).join(" ");
}
