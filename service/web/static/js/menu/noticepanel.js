// What the player wants to be told while away, and where.

import { gamePath, get, getIfAny, request } from "../core/api.js";
import { board, ownToken, showBoard } from "../table/board.js";
import { h } from "../core/dom.js";
import { pushPart } from "./push.js";
import { hasMail, noteOffered } from "./notifications.js";
import { choice, field, hintLine, part, selectOf, sheetForm } from "../core/forms.js";
import { absoluteTime, sendInZone, timeZone } from "../core/times.js";
import { fill, language, words } from "../core/words.js";

const WISHES = {
  "turn.started": "turn", "turn.reminder": "reminder", "round.scored": "scoring",
  "game.over": "over", "message.posted": "message", "people.changed": "people",
};

/** A form with what is set now, and what became of the last notices. `again()` shows the panel anew. */
export async function notificationsPanel(again) {
  noteOffered();
  showBoard();
  const path = gamePath(board.id, "notifications");
  const kept = await getIfAny(path, ownToken());
  const { deliveries } = await get(`${path}/deliveries`, ownToken());
  const send = (method, body) => request(path, { method, token: ownToken(), body }).then(again);
  return [
    hintLine(words.notices.hint),
    kept?.email && h("p", { class: "form-note" }, fill(kept.refused ? words.notices.refused : kept.confirmed ? words.notices.confirmed : words.notices.unconfirmed, { mail: kept.email })),
    pushPart(again),
    sheetForm(formFields(kept), words.notices.save, (fields) => sendInZone(() => send("PUT", wishOf(fields, kept)))),
    kept && sheetForm([], words.notices.end, () => send("DELETE")),
    deliveries.length > 0 && part(words.notices.deliveries, h("ul", { class: "plain" }, deliveries.map(deliveryLine))),
  ];
}

function formFields(kept) {
  const wanted = new Set(kept?.on ?? ["turn", "reminder", "over", "people"]);
  const languages = [...document.querySelectorAll("a[data-language]")].map((link) => [link.dataset.language, link.getAttribute("aria-label")]);
  return [
    (hasMail() || kept?.email)
      && field(words.notices.email, h("input", { name: "email", type: "email", autocomplete: "email", value: kept?.email })),
    h("fieldset", {}, h("legend", {}, words.notices.when),
      Object.entries(words.notices.on).map(([name, label]) => choice(label, { name: `on-${name}`, checked: wanted.has(name) }))),
    choice(words.notices.not_watching, { name: "watching", checked: !kept?.while_watching }),
    hasMail() && choice(words.notices.receipts, { name: "receipts", checked: kept?.receipts ?? true }),
    field(words.notices.quiet_from, h("input", { name: "quiet_from", type: "time", value: kept?.quiet?.from })),
    field(words.notices.quiet_to, h("input", { name: "quiet_to", type: "time", value: kept?.quiet?.to })),
    field(words.notices.language, selectOf(languages, kept?.language ?? language, { name: "language" })),
    h("details", { class: "more", open: Boolean(kept?.webhook) || !hasMail() }, h("summary", {}, words.notices.webhook),
      field(words.notices.url, h("input", { name: "url", type: "url", value: kept?.webhook?.url })),
      field(words.notices.format, selectOf(Object.entries(words.notices.formats), kept?.webhook?.format ?? "standard", { name: "format" })),
      kept?.webhook?.secret && h("p", { class: "hint" }, `${words.notices.secret}: `, h("code", {}, kept.webhook.secret))),
  ];
}

function wishOf(fields, kept) {
  const on = Object.keys(words.notices.on).filter((name) => fields[`on-${name}`].checked);
  const quiet = { from: fields.quiet_from.value, to: fields.quiet_to.value };
  const [url, format] = [fields.url.value.trim(), fields.format.value];
  return {
    email: fields.email?.value.trim() || null,
    webhook: url ? { url, format, mention: (format === kept?.webhook?.format && kept.webhook.mention) || null } : null,
    on,
    language: fields.language.value,
    zone: timeZone(),
    quiet: quiet.from || quiet.to ? quiet : null,
    receipts: fields.receipts?.checked ?? kept?.receipts ?? true,
    while_watching: !fields.watching.checked,
  };
}

function deliveryLine({ at, channel, type, status, error }) {
  const said = [words.notices.channels[channel] ?? channel, words.notices.on[WISHES[type]] ?? type, words.notices.statuses[status] ?? status];
  return h("li", {}, [absoluteTime(at), ...said, error && errorText(error)].filter(Boolean).join(" \u00b7 "));
}

/** Why an attempt failed, in fixed words of the service, of which some have a number after them: `status 503`. */
function errorText(error) {
  const [, reason, number] = error.match(/^(.*?)(?::? (\d+))?$/);
  const known = words.notices.errors[reason];
  return known && number ? `${known} (${number})` : (known ?? error);
}
