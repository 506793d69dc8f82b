// What this browser keeps, as JSON; where its storage is full or forbidden, for as long as the page is open.

const MOST_KEPT_GAMES = 200;

const unstored = {};

export function readStored(key, otherwise = null) {
  if (!isStored(key)) return unstored[key] ?? otherwise;
  try {
    return JSON.parse(localStorage.getItem(key)) ?? otherwise;
  } catch {
    return otherwise;
  }
}

/** By game, how many of the own turns its analysis has judged costly. */
export const COSTLY_TURNS = "reibach.costly";

/** Keep a value; null: nothing any more. */
export function store(key, value) {
  try {
    if (value === null) localStorage.removeItem(key);
    else localStorage.setItem(key, JSON.stringify(value));
    delete unstored[key];
  } catch {
    unstored[key] = value;
  }
}

/** Whether another page, or a reload, finds what was kept. */
export function isStored(key) {
  return !(key in unstored);
}

export function keptGames(key) {
  return readStored(key, {});
}

export function keptOfGame(key, game) {
  return keptGames(key)[game] ?? null;
}

/** Keep a value of a game; null: nothing any more. Of all games the `most` are kept that changed last. */
export function keepOfGame(key, game, value, most = MOST_KEPT_GAMES) {
  const { [game]: _, ...others } = keptGames(key);
  const kept = [...Object.entries(others), ...(value === null ? [] : [[game, value]])].slice(-most);
  store(key, Object.fromEntries(kept));
}
