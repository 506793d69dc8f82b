// Whether mails are offered to the player.

import { board } from "../table/board.js";
import { byId } from "../core/dom.js";
import { keepOfGame, keptOfGame } from "../core/storage.js";

const TOLD = "reibach.told";

export function hasMail() {
  return "mail" in byId("game").dataset;
}

/** Whether to offer the panel for its mails: where there are some, and nobody here has seen it. */
export function canOfferMail() {
  return hasMail() && !keptOfGame(TOLD, board.id);
}

export function noteOffered() {
  keepOfGame(TOLD, board.id, true);
}
