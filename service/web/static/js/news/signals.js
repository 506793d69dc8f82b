// Quiet signals of a turn: a dot on the tab's icon, a number on the installed site's, and, where the player wants it, a sound.

import { keepOfGame, keptGames } from "../core/storage.js";
import { seatIn } from "../core/session.js";
import { settings } from "../menu/settings.js";
import { isOwnTurn } from "../table/status.js";

/** Of each game in which it is this browser's turn, as far as it knows: true. */
const OWN_TURNS = "reibach.turns";
/** A sound's notes, in hertz, one after the other, and how long each is, in seconds. */
const SOUNDS = { turn: [660, 880], scoring: [523, 659, 784, 1047] };
const DOT = encodeURIComponent('<circle cx="24" cy="8" r="7" fill="#d22" stroke="#fff" stroke-width="2"/></svg>');
const NOTE = 0.14;
const VOLUME = 0.08;

const icon = document.querySelector("link[rel=icon]");
const plainIcon = icon?.getAttribute("href");
let before = null;
let audio = null;

/** Note that of the `known` games it is the own turn in those of `own`, and show on the site's icon in how many it is. */
export function noteTurns(own, known) {
  for (const game of known) if (own.includes(game) !== Boolean(keptGames(OWN_TURNS)[game])) keepOfGame(OWN_TURNS, game, own.includes(game) || null);
  const number = Object.keys(keptGames(OWN_TURNS)).filter(seatIn).length;
  navigator.setAppBadge?.(number).catch(() => undefined); // where no site can be installed
}

export function showDot(isShown) {
  icon?.setAttribute("href", isShown ? plainIcon.replace(/%3C\/svg%3E$/i, DOT) : plainIcon);
}

export function signalNews(view) {
  if (!view?.you) return;
  const now = { isOwn: isOwnTurn(view), rounds: view.reibach.rounds_scored };
  if (before?.isOwn !== now.isOwn) noteTurns(now.isOwn ? [view.id] : [], [view.id]);
  showDot(now.isOwn);
  if (before && now.rounds > before.rounds) sound("scoring");
  else if (before && now.isOwn && !before.isOwn) sound("turn");
  before = now;
}

export function sound(name) {
  if (!settings().sound) return;
  audio ??= new AudioContext();
  audio.resume();
  SOUNDS[name].forEach((frequency, index) => {
    const [tone, volume, start] = [audio.createOscillator(), audio.createGain(), audio.currentTime + index * NOTE];
    tone.frequency.value = frequency;
    volume.gain.setValueAtTime(VOLUME, start);
    volume.gain.exponentialRampToValueAtTime(0.001, start + 2 * NOTE);
    tone.connect(volume).connect(audio.destination);
    tone.start(start);
    tone.stop(start + 2 * NOTE);
  });
}
