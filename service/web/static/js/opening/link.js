// A link to copy, to share, to mail, or to be read by another device's camera: its QR code is drawn here, by a library that
// is loaded for the first one, so that what it holds is sent nowhere.

import { announce, copyText, fillWith, h, svgNode } from "../core/dom.js";
import { fill, words } from "../core/words.js";

/** Modules of light around a code, as readers need them; and the library's error for a text that is too long for any. */
const QUIET = 4;
const TOO_LONG = 4;

/** A link with its label as an item of a list; `showsCode`: its QR code is there at once, else for the asking. */
export function linkElement({ label, subject = label, link }, showsCode = false) {
  const field = h("input", { value: link, readonly: true, "aria-label": label, onfocus: () => field.select() });
  const copy = async ({ target }) => {
    await copyText(field);
    fillWith(target, words.link.copied);
    announce(words.link.copied);
  };
  const share = () => navigator.share({ title: subject, text: subject, url: link }).catch(() => undefined);
  const mail = `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(fill(words.link.mail_text, { link }))}`;
  const place = h("div", { class: "code" });
  const showCode = async () => fillWith(place, await codeElement(link, fill(words.link.code_of, { link: label })));
  return h("li", { class: "link" },
    h("span", { class: "link-label" }, h("bdi", {}, label)),
    field,
    h("span", { class: "buttons" },
      h("button", { class: "button", onclick: copy }, words.link.copy),
      navigator.share && h("button", { class: "button", onclick: share }, words.link.share),
      h("a", { class: "button", href: mail }, words.link.mail)),
    h("details", { class: "more", open: showsCode, ontoggle: () => place.firstChild ?? showCode() }, h("summary", {}, words.link.code), place));
}

/** The QR code of a text; where there can be none, the reason. */
async function codeElement(text, label) {
  try {
    const { generate } = await import(document.querySelector("script[data-codes]").dataset.codes);
    const code = generate(text);
    let path = "";
    for (let y = 0; y < code.size; y += 1) for (let x = 0; x < code.size; x += 1) if (code.get(x, y)) path += `M${x} ${y}h1v1h-1z`;
    const size = code.size + 2 * QUIET;
    const viewBox = `-${QUIET} -${QUIET} ${size} ${size}`;
    const looks = { class: "code-picture", viewBox, role: "img", "aria-label": label, "shape-rendering": "crispEdges" };
    return svgNode("svg", looks, svgNode("path", { d: path }));
  } catch (error) {
    return h("p", { class: "note", role: "alert" }, error.code === TOO_LONG ? words.link.code_too_long : words.common.offline);
  }
}
