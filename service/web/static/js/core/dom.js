// Elements of the page. Texts go in as text nodes: nothing that a player wrote is ever parsed as HTML.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element. Properties: `onclick` and the like are listeners, `dataset` an object, true and false set or leave out
 * an attribute (of those that begin with `aria-`: are its value), null and undefined are left out; everything else is an
 * attribute.
 * @param {string} tag
 * @param {Record<string, unknown>} [properties]
 * @param {...(Node | string | number | null | undefined | false | Array)} children
 */
export function h(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === null || value === undefined) continue;
    if (name.startsWith("aria-")) element.setAttribute(name, String(value));
    else if (value === false) continue;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "dataset") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  element.append(...childNodes(children));
  return element;
}

function childNodes(children) {
  return children.flat(3).filter((child) => child !== null && child !== undefined && child !== false);
}

/** Let `parent` have these children and no others. */
export function fillWith(parent, ...children) {
  parent.replaceChildren(...childNodes(children));
  return parent;
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

/** The name of a player, which is cut where its line has no room for it; all of it stands in the title. */
export function nameElement(name) {
  return h("bdi", { class: "cut-name", title: name }, name);
}

/** An element of SVG. */
export function svgNode(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

/** A drawing of the page's sprite, by the id of its symbol. It is decoration: names stand in the text beside it. */
export function drawing(id, className = "drawing") {
  return svgNode("svg", { class: className, "aria-hidden": "true", focusable: "false" }, svgNode("use", { href: `#${id}` }));
}

/** The element of this id; the page's HTML has it. */
export function byId(id) {
  return document.getElementById(id);
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

let live = null;

/** Tell screen readers, politely, by the page's live region. */
export function announce(text) {
  live ??= byId("announcements");
  if (live && live.textContent !== text) live.textContent = text;
}
