// What this browser keeps of its games, under one key of its storage for each kind: of those only that changed last.

const MOST_KEPT_GAMES = 200;

/** All that is kept under a key, by game. */
export function keptGames(key) {
  try {
    return JSON.parse(localStorage.getItem(key)) ?? {};
  } catch {
    return {};
  }
}

/** What is kept of a game under a key, or null. */
export function keptOfGame(key, game) {
  return keptGames(key)[game] ?? null;
}

/** Keep a value of a game; null: nothing any more. */
export function keepOfGame(key, game, value) {
  const { [game]: _, ...others } = keptGames(key);
  const kept = [...Object.entries(others), ...(value === null ? [] : [[game, value]])].slice(-MOST_KEPT_GAMES);
  try {
    localStorage.setItem(key, JSON.stringify(Object.fromEntries(kept)));
  } catch {
    // Without storage the next visit is as a first one.
  }
}
