// The page of the rules: all of it is in its HTML.

import "./core/install.js";
import "./core/words.js";
