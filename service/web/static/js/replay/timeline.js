// The versions of a game at which a replay stops, and what is said of each.

/**
 * `stops`: where an action has been done or a turn begins; `turns`, `scorings` and `reibach`: where one begins, was
 * scored, turned up; all in order. `itemAt(version)`: the recap's item that the version belongs to, or null.
 */
export function timelineOf(frames, items) {
  const turns = versionsOf(frames, ({ view }, index) => view.turn && view.turn.number !== frames[index - 1]?.view.turn?.number);
  const scorings = versionsOf(frames, ({ event }) => event.type === "RoundScored");
  const reibach = versionsOf(frames, ({ event }) => event.type === "ReibachRevealed");
  const head = frames.at(-1).version;
  const stops = [...new Set([...items.map((item) => item.version), ...turns, head])].sort((one, other) => one - other);
  const itemOf = new Map(items.flatMap((item) => item.events.map((event) => [event.version, item])));
  return { head, stops, turns, scorings, reibach, itemAt: (version) => itemOf.get(version) ?? null };
}

function versionsOf(frames, isWanted) {
  return frames.filter(isWanted).map((frame) => frame.version);
}

/** The next of these versions in a direction (1 or -1), or where the game ends or begins. */
export function stepFrom(timeline, versions, at, direction) {
  const found = direction > 0 ? versions.find((one) => one > at) : versions.findLast((one) => one < at);
  return found ?? (direction > 0 ? timeline.head : timeline.stops[0]);
}

export function nearestStop(timeline, version) {
  return timeline.stops.reduce((best, one) => (Math.abs(one - version) < Math.abs(best - version) ? one : best));
}

/** The number of the turn at each version, as from 1; 0 before the first. */
export function turnNumbers(frames) {
  let number = 0;
  return frames.map(({ view }) => (number = view.turn?.number ?? number));
}
