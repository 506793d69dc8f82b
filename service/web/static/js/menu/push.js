// Notifications of this device (Web Push): offered once, and then for all games of this browser.

import { board } from "../table/board.js";
import { ApiProblem } from "../core/connection.js";
import { canPush, isPushOn, notePushWish, subscription, tellService, turnOff } from "../news/device.js";
import { announce, byId, h } from "../core/dom.js";
import { hintLine, part, sheetForm } from "../core/forms.js";
import { words } from "../core/words.js";

/** Offer to tell this device of the next turn. */
export function offerPush() {
  byId("absence").before(offer());
}

function offer() {
  const form = sheetForm([h("p", {}, words.notices.push_hint)], words.notices.push_on, async () => {
    await turnOn();
    announce(words.notices.push_done);
    line.remove();
  });
  form.querySelector(".buttons").append(h("button", { class: "button button-plain", onclick: () => line.remove() }, words.notices.push_no));
  const line = h("div", { class: "note", id: "push-offer" }, form);
  return line;
}

export function pushPart(again) {
  if (!canPush()) return null;
  const isOn = isPushOn();
  const about = isOn ? words.notices.push_done : Notification.permission === "denied" ? words.notices.push_blocked : words.notices.push_hint;
  const [label, turn] = isOn ? [words.notices.push_off, turnOff] : [words.notices.push_on, turnOn];
  return part(words.notices.push, sheetForm([hintLine(about)], label, () => turn().then(again)));
}

/** Throws ApiProblem with what the player can do about it. */
async function turnOn() {
  if ((await Notification.requestPermission()) !== "granted") throw new ApiProblem("push-blocked", 0, words.notices.push_blocked);
  const device = await subscription().catch((error) => {
    throw error instanceof ApiProblem ? error : new ApiProblem("push-failed", 0, words.notices.push_failed);
  });
  const refused = await tellService(device, board.id);
  if (refused) throw refused;
  notePushWish("on");
}
