// The page of a score sheet.

import { byId } from "./core/dom.js";
import "./core/words.js";

byId("print").addEventListener("click", () => print());
