// The versions of a game at which a replay stops, and what is said of each.

/**
 * `stops`: where an action has been done or a turn begins; `turns`, `scorings` and `reibach`: where one begins, was
 * scored, turned up; all in order. `itemAt(version)`: the recap's item that the version belongs to, if any.
 */
export function timelineOf(frames, items) {
  const versionsOf = (isWanted) => frames.filter(isWanted).map(({ version }) => version);
  const turns = versionsOf(({ view }, index) => view.turn && view.turn.number !== frames[index - 1]?.view.turn?.number);
  const head = frames.at(-1).version;
  const itemOf = new Map(items.flatMap((item) => item.events.map((event) => [event.version, item])));
  return {
    ...{ head, turns },
    stops: [...new Set([...items.map((item) => item.version), ...turns, head])].sort((one, other) => one - other),
    scorings: versionsOf(({ event }) => event.type === "RoundScored"),
    reibach: versionsOf(({ event }) => event.type === "ReibachRevealed"),
    itemAt: (version) => itemOf.get(version),
  };
}

/** The next of these versions in a direction (1 or -1), or where the game ends or begins. */
export function stepFrom(timeline, versions, at, direction) {
  const found = direction > 0 ? versions.find((one) => one > at) : versions.findLast((one) => one < at);
  return found ?? (direction > 0 ? timeline.head : timeline.stops[0]);
}

export function nearestStop(timeline, version) {
  return timeline.stops.reduce((best, one) => (Math.abs(one - version) < Math.abs(best - version) ? one : best));
}

/** `numbers`: of the turn at each version, as from 1; 0 before the first. `scorings`: of those in which rounds were scored. */
export function turnsOf(frames) {
  let number = 0;
  const numbers = frames.map(({ view }) => (number = view.turn?.number ?? number));
  return { numbers, scorings: numbers.filter((_, index) => frames[index].event.type === "RoundScored") };
}
