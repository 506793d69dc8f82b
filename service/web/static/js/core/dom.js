// Elements of the page. Texts go in as text nodes: nothing that a player wrote is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Properties: `onclick` and the like are listeners (a button that has one sends no form), `dataset` an object,
 * true and false set or leave out an attribute (of `aria-…`: are its value), null and undefined are left out, a list of
 * classes has gaps. Children: as of `fillWith`.
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  if (tag === "button" && properties.onclick) element.type = "button";
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else if (Array.isArray(value)) element.className = value.filter(Boolean).join(" ");
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  return fillWith(element, children);
}

/** Let `parent` have these children (nodes, texts, numbers, lists of such; null, undefined and false are none) alone. */
export function fillWith(parent, ...children) {
  parent.replaceChildren(...children.flat(4).filter((child) => child !== null && child !== undefined && child !== false));
  return parent;
}

/** Show this in the element of an id; without anything to show it is hidden. */
export function showIn(id, content) {
  byId(id).hidden = !content;
  fillWith(byId(id), content);
}

/** A function that fills a place with what `make` makes of a value, if that is another value than before. */
export function keyed(place, make) {
  let before;
  return (value) => {
    const key = JSON.stringify(value);
    if (key === before) return;
    before = key;
    fillWith(place, make(value));
  };
}

/** The name of a player, cut where its line has no room for it. */
export function nameElement(name) {
  return h("bdi", { class: "cut-name", title: name }, name);
}

export function svgNode(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  return fillWith(node, children);
}

/** A drawing of the page's sprite, by the id of its symbol. It is decoration: names are in the text beside it. */
export function drawing(id) {
  return svgNode("svg", { class: "drawing", "aria-hidden": "true", focusable: "false" }, svgNode("use", { href: `#${id}` }));
}

export function byId(id) {
  return document.getElementById(id);
}

export function isWriting() {
  return document.activeElement?.matches("textarea, input, select") ?? false;
}

/** Put a field's text on the clipboard; pages without TLS have the old way only. */
export async function copyText(field) {
  try {
    await navigator.clipboard.writeText(field.value);
  } catch {
    field.select();
    document.execCommand("copy");
  }
}

export function announce(text) {
  const live = byId("announcements");
  if (live.textContent !== text) live.textContent = text;
}
