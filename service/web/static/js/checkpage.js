// The page on which the browser checks a game by itself: that of its address, or of a file.

import "./core/running.js";
import { ask, gamePath, get, pause, problemOf } from "./core/api.js";
import { connectionLost } from "./core/connection.js";
import { announce, byId, fillWith, h } from "./core/dom.js";
import { keptReceipts } from "./core/session.js";
import { stepId, stepItem } from "./check/proof.js";
import { EVENT_TABLE } from "./verify/event_table.js";
import { readLog } from "./verify/logfile.js";
import { readReceipts } from "./verify/receipt.js";
import { verifyLog } from "./verify/verifier.js";
import { hasWebCrypto } from "./verify/webcrypto.js";
import { fill, pageAddress, words } from "./core/words.js";

/** Bytes; a game's log has a few hundred thousand. */
const LARGEST_LOG = 16 * 2 ** 20;

const checkedGame = location.pathname.startsWith("/g/") ? decodeURIComponent(location.pathname.split("/")[2]) : null;
/** The log in bytes, null until there is one; and the receipt that the service gives for it now, if any. */
let logBytes = null;
let fetched = null;
/** How many checks were begun: a new one ends those before it. */
let runs = 0;

/** The game's export as all may see it: without a token, so that it can be passed on. Throws ApiProblem. */
async function fetchExport() {
  const answer = await ask(gamePath(checkedGame, "events"), null, { Accept: "application/x-ndjson" });
  if (!answer.ok) throw await problemOf(answer);
  return new Uint8Array(await answer.arrayBuffer().catch(() => Promise.reject(connectionLost())));
}

/** Receipts as `[origin, receipt]`, in the order in which they are checked. `pasted`: those in the form. */
function allReceipts({ events }, pasted) {
  const game = events[0]?.data?.game;
  const kept = typeof game === "string" ? keptReceipts(game) : [];
  const all = { kept, fetched: fetched ? [fetched] : [], pasted };
  return Object.entries(all).flatMap(([origin, receipts]) => receipts.map((receipt) => [origin, receipt]));
}

function showVerdict(state, ...content) {
  const verdict = fillWith(byId("verdict"), ...content);
  verdict.dataset.state = state;
  announce(verdict.textContent);
}

function receiptsInForm() {
  const field = byId("receipt");
  const text = field.value.trim();
  const receipts = text ? readReceipts(text) : [];
  field.setAttribute("aria-invalid", receipts === null);
  fillWith(byId("receipt-complaint"), receipts === null && words.check.bad_receipt);
  return receipts;
}

async function showCheck() {
  const pasted = receiptsInForm();
  if (pasted === null || logBytes === null) return;
  runs += 1;
  const run = runs;
  fillWith(byId("steps"));
  if (!hasWebCrypto()) return showVerdict("failed", words.check.no_crypto);
  if (logBytes.length > LARGEST_LOG) return showVerdict("failed", words.check.too_large);
  showVerdict("working", words.check.working);
  const log = readLog(logBytes);
  const receipts = allReceipts(log, pasted);
  const isLong = receipts.length === 0 || log.events.some(({ type }) => !(type in EVENT_TABLE));
  byId("verdict").classList.toggle("is-long", isLong); // room for a verdict with a caveat
  const keys = receipts.length ? await get("/v1/keys").then((found) => found.keys, () => null) : null;
  const steps = [];
  const origins = receipts.map(([origin]) => origin);
  for await (const step of verifyLog(log, receipts.map(([, receipt]) => receipt), keys)) {
    if (run !== runs) return;
    steps.push(step);
    byId("steps").append(stepItem(step, steps.length, step.name === "receipt" ? origins.shift() : null));
    await pause(0); // so that the step is seen
  }
  conclude(steps, log.events);
}

function conclude(steps, events) {
  const failed = steps.filter((step) => step.state === "failed");
  const own = failed.filter((step) => step.name !== "receipt" && step.name !== "signature");
  if (failed.length === 0) return showVerdict("ok", textWithoutFault(steps, events.length));
  const [first] = (own.length ? own : failed).toSorted((one, other) => one.version - other.version);
  const type = events[first.version - 1]?.type ?? "–";
  const text = own.length ? fill(words.check.broken, { version: first.version, type }) : words.check.broken_receipt;
  return showVerdict("failed", h("a", { href: `#${stepId(steps.indexOf(first) + 1)}` }, text));
}

/** What a check of `n` events comes to in which no step failed: no more than what its steps and receipts prove. */
function textWithoutFault(steps, n) {
  const isWhole = steps.every((step) => step.state === "ok" || step.name === "receipt" || step.name === "fork");
  const receipts = steps.filter((step) => step.name === "receipt" && step.state === "ok");
  const version = Math.max(0, ...receipts.map((step) => step.values.version));
  const unproved = version ? words.check.notes.proved_up_to : words.check.all_consistent;
  const proved = version === n ? words.check.all_hold : unproved;
  const text = fill(isWhole ? proved : words.check.all_hold_so_far, { n, version });
  return steps.some((step) => step.code === "passed_over") ? `${text} ${words.check.passed_over}` : text;
}

async function checkGame() {
  showVerdict("working", words.check.working);
  const link = (label, href, download = null) => h("a", { class: "button", href, download }, label);
  const file = (label, content, type, name) => link(label, URL.createObjectURL(new Blob([content], { type })), name);
  const back = link(words.check.back, pageAddress(`/g/${encodeURIComponent(checkedGame)}`));
  const other = link(words.check.other_file, pageAddress("/check"));
  try {
    logBytes = await fetchExport();
  } catch (problem) {
    fillWith(byId("links"), back, other);
    return showVerdict("failed", problem.detail ?? problem.message);
  }
  fetched = await get(`${gamePath(checkedGame, "receipt")}?at=${readLog(logBytes).events.length}`).catch(() => null);
  fillWith(byId("links"), back, file(words.check.save, logBytes, "application/x-ndjson", `${checkedGame}.ndjson`),
    fetched && file(words.check.save_receipt, JSON.stringify(fetched), "application/json", `${checkedGame}-receipt.json`), other);
  return showCheck();
}

async function checkFile([file]) {
  if (!file) return;
  // A larger one isn't read.
  logBytes = file.size > LARGEST_LOG ? { length: file.size } : new Uint8Array(await file.arrayBuffer());
  await showCheck();
}

function takeFiles() {
  const field = byId("file");
  field.addEventListener("change", () => checkFile(field.files));
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  const endDrop = () => document.body.classList.remove("dropping");
  document.addEventListener("dragleave", endDrop);
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    endDrop();
    const { files } = event.dataTransfer;
    if (files.length) field.files = files; // shows its name
    checkFile(files);
  });
  checkFile(field.files); // kept by the browser on a reload
}

byId("sources").addEventListener("submit", (event) => {
  event.preventDefault();
  showCheck();
});
if (checkedGame === null) takeFiles();
else checkGame();
