// Whether a request can reach the service now. Every request of a page asks here first.

import { ApiProblem } from "./problem.js";
import { words } from "./words.js";

/** Milliseconds without a connection after which a request is sent all the same: some browsers err. */
const LONGEST_OFFLINE = 15_000;

/** When a request may be sent while the browser says that it is offline; null while it is online. */
let triedAt = null;

addEventListener("offline", () => (triedAt = Date.now()));
addEventListener("online", () => (triedAt = null));

/** Let a request be sent, or throw ApiProblem where the connection is lost. */
export function assertOnline() {
  if (triedAt === null) return;
  if (Date.now() - triedAt < LONGEST_OFFLINE) throw new ApiProblem("offline", 0, words.common.offline);
  triedAt = Date.now();
}

/** The service has answered: what the browser says of its connection is wrong. */
export function noteAnswer() {
  triedAt = null;
}
