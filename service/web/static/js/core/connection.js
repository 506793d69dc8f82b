// Whether a request can reach the service now, what goes wrong on the way, and what time it is there.

import { words } from "./words.js";

/** Milliseconds without a connection after which a request is sent all the same: some browsers err. */
const LONGEST_OFFLINE = 15_000;

/** A refusal of the service, or that it can't be reached (`code` is "offline" then). */
export class ApiProblem extends Error {
  constructor(code, status, detail, errors = {}) {
    super(detail);
    Object.assign(this, { code, status, detail, errors });
  }

  toString() {
    return this.detail;
  }
}

export function connectionLost() {
  return new ApiProblem("offline", 0, words.common.offline);
}

/** Milliseconds that the header `Date` leaves out: what the service says has begun has begun here, too. */
const PART = 1000;

/** When a request may be sent while the browser says that it is offline; null while it is online. */
let triedAt = null;
/** Milliseconds by which the clock of this device is slow. */
let behind = 0;

addEventListener("offline", () => (triedAt = Date.now()));
addEventListener("online", () => (triedAt = null));

/** Let a request be sent, or throw ApiProblem where the connection is lost. Every request of a page asks here first. */
export function assertOnline() {
  if (triedAt === null) return;
  if (Date.now() - triedAt < LONGEST_OFFLINE) throw connectionLost();
  triedAt = Date.now();
}

/** The service has answered: what the browser says of its connection is wrong, and so may be what it says of the time. */
export function noteAnswer({ headers }) {
  triedAt = null;
  behind = Date.parse(headers.get("Date")) + PART - Date.now() || 0;
}

/** The time by the service's clock, which deadlines are set by: milliseconds since 1970. */
export function timeNow() {
  return Date.now() + behind;
}

/** Milliseconds until the page says that a request waits: in the browser, it may be, for other tabs to end theirs. */
const LONG = 5000;
let lateRequests = 0;

/** Note that a request begins. Returns what to call at its end. */
export function noteRequest() {
  const count = (number) => {
    lateRequests += number;
    document.getElementById("slow").hidden = lateRequests === 0;
  };
  let isLong = false;
  const timer = setTimeout(() => {
    isLong = true;
    count(1);
  }, LONG);
  return () => {
    clearTimeout(timer);
    if (isLong) count(-1);
  };
}

export function isOnlineAgain() {
  return new Promise((resolve) => addEventListener("online", resolve, { once: true }));
}
