// The result as a picture, drawn in this browser in the colours of the page: for another program of the device, or a file.

import { h, svgNode } from "../core/dom.js";
import { money } from "../core/words.js";

const WIDTH = 1200;
const EDGE = 60;
const TOP = 200;
const LINE = 110;
const BAR = 36;
const SHARES = { 0: ["--soft", 1], 1: ["--accent", 1], 2: ["--accent", 0.6], 3: ["--accent", 0.3] };

/** Share the result, or save it where this browser can't. `players` as the end has them, `longest`: the length of a whole bar. */
export async function sharePicture(title, players, longest) {
  const image = new Image();
  image.src = `data:image/svg+xml,${encodeURIComponent(new XMLSerializer().serializeToString(drawResult(title, players, longest)))}`;
  await image.decode();
  const canvas = h("canvas", { width: image.width, height: image.height });
  canvas.getContext("2d").drawImage(image, 0, 0);
  const blob = await new Promise((resolve) => canvas.toBlob(resolve, "image/png"));
  const file = new File([blob], "reibach.png", { type: blob.type });
  if (!navigator.canShare?.({ files: [file] })) save(file);
  else await navigator.share({ files: [file], title }).catch((problem) => problem.name === "AbortError" || save(file));
}

function save(file) {
  const address = URL.createObjectURL(file);
  h("a", { href: address, download: file.name }).click();
  setTimeout(() => URL.revokeObjectURL(address));
}

function drawResult(title, players, longest) {
  const height = TOP + players.length * LINE;
  const style = getComputedStyle(document.documentElement);
  const family = getComputedStyle(document.body).fontFamily;
  const colour = (name) => style.getPropertyValue(name).trim();
  const pen = h("canvas").getContext("2d");
  const text = (x, y, size, content, more = {}, room = 840) => {
    pen.font = `700 ${size}px ${family}`;
    const narrowed = pen.measureText(content).width > room && { textLength: room, lengthAdjust: "spacingAndGlyphs" };
    return svgNode("text", { x, y, "font-size": size, fill: colour("--ink"), ...narrowed, ...more }, content);
  };
  const scale = (WIDTH - 2 * EDGE) / (longest || 1);
  const bars = players.map(({ name, total, shares }, index) => {
    const y = TOP + index * LINE;
    return [
      text(EDGE, y, 34, name),
      text(WIDTH - EDGE, y, 34, money(total), { "text-anchor": "end", "font-weight": 700 }),
      ...shares.map(({ kind, width, left }) => {
        const [name, opacity] = SHARES[kind] ?? [];
        const fills = name ? { fill: colour(name), "fill-opacity": opacity } : { fill: "url(#eaten)" };
        return svgNode("rect", { x: EDGE + left * scale, y: y + 14, width: width * scale, height: BAR, ...fills });
      }),
    ];
  });
  return svgNode("svg", { xmlns: "http://www.w3.org/2000/svg", width: WIDTH, height, "font-family": family },
    svgNode("pattern", { id: "eaten", width: 10, height: 10, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
      svgNode("rect", { width: 4, height: 10, fill: colour("--warn") })),
    svgNode("rect", { width: WIDTH, height, fill: colour("--paper") }),
    text(EDGE, 60, 28, "Reibach & Co.", { fill: colour("--soft") }), text(EDGE, 120, 48, title, { "font-weight": 700 }, WIDTH - 2 * EDGE), bars);
}
