// The page of a score sheet.

import { byId } from "./core/dom.js";
import "./core/words.js";

byId("print").addEventListener("click", () => print());

const frame = document.querySelector(".scroll");
/** Say that the sheet continues where its frame can't show all of it. */
new ResizeObserver(() => byId("is-wide").classList.toggle("wide-hint-shown", frame.scrollWidth > frame.clientWidth)).observe(frame);
