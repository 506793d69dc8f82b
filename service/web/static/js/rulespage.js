// The page of the rules: all of it is in its HTML.

import "./install.js";
import "./core/words.js";
