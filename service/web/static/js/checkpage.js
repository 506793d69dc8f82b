// The page on which the browser checks a game by itself: that of its address, or of a file.

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
/**
 * The log in bytes, null until there is one; the receipt that the service gives for it now, if any; and how many checks
 * were begun: a new one ends those before it.
 */
const checking = { bytes: null, fetched: null, runs: 0 };

/** A game's export as all may see it: without a token, so that it can be passed on. Throws ApiProblem. */
async function fetchExport(game) {
  const answer = await ask(gamePath(game, "events"), null, { Accept: "application/x-ndjson" });
  if (!answer.ok) throw await problemOf(answer);
  return new Uint8Array(await answer.arrayBuffer().catch(() => Promise.reject(connectionLost())));
}

function fetchKeys() {
  return get("/v1/keys").then(({ keys }) => keys, () => null);
}

function fetchReceipt({ events }) {
  return get(`${gamePath(checkedGame, "receipt")}?at=${events.length}`).catch(() => null);
}

/** Receipts with where they come from, in the order in which they are checked. `pasted`: those in the form. */
function allReceipts({ events }, pasted) {
  const game = events[0]?.data?.game;
  return [
    ...(typeof game === "string" ? keptReceipts(game) : []).map((receipt) => ({ receipt, origin: "kept" })),
    ...(checking.fetched ? [{ receipt: checking.fetched, origin: "fetched" }] : []),
    ...pasted.map((receipt) => ({ receipt, origin: "pasted" })),
  ];
}

function showVerdict(state, ...content) {
  const verdict = fillWith(byId("verdict"), ...content);
  verdict.dataset.state = state;
  announce(verdict.textContent);
}

function receiptsInForm() {
  const text = byId("receipt").value.trim();
  const receipts = text ? readReceipts(text) : [];
  byId("receipt").setAttribute("aria-invalid", String(receipts === null));
  fillWith(byId("receipt-complaint"), receipts === null && words.check.bad_receipt);
  return receipts;
}

async function showCheck() {
  const pasted = receiptsInForm();
  if (pasted === null || checking.bytes === null) return;
  checking.runs += 1;
  const run = checking.runs;
  fillWith(byId("steps"));
  if (!hasWebCrypto()) return showVerdict("failed", words.check.no_crypto);
  if (checking.bytes.length > LARGEST_LOG) return showVerdict("failed", words.check.too_large);
  showVerdict("working", words.check.working);
  const log = readLog(checking.bytes);
  const receipts = allReceipts(log, pasted);
  const isLong = receipts.length === 0 || log.events.some(({ type }) => !(type in EVENT_TABLE));
  byId("verdict").classList.toggle("is-long", isLong); // room for a verdict with a caveat
  const keys = receipts.length ? await fetchKeys() : null;
  const steps = [];
  const origins = receipts.map((one) => one.origin);
  for await (const step of verifyLog(log, receipts.map((one) => one.receipt), keys)) {
    if (run !== checking.runs) return;
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
  const first = [...(own.length ? own : failed)].sort((one, other) => one.version - other.version)[0];
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
  const address = pageAddress(`/g/${encodeURIComponent(checkedGame)}`);
  const back = h("a", { class: "button", href: address }, words.check.back);
  const other = h("a", { class: "button", href: pageAddress("/check") }, words.check.other_file);
  try {
    checking.bytes = await fetchExport(checkedGame);
  } catch (problem) {
    fillWith(byId("links"), back, other);
    return showVerdict("failed", problem.detail ?? problem.message);
  }
  checking.fetched = await fetchReceipt(readLog(checking.bytes));
  const save = fileLink(words.check.save, checking.bytes, "application/x-ndjson", `${checkedGame}.ndjson`);
  const receipt = checking.fetched && fileLink(
    words.check.save_receipt, JSON.stringify(checking.fetched), "application/json", `${checkedGame}-receipt.json`,
  );
  fillWith(byId("links"), back, save, receipt, other);
  return showCheck();
}

function fileLink(label, content, type, name) {
  const address = URL.createObjectURL(new Blob([content], { type }));
  return h("a", { class: "button", href: address, download: name }, label);
}

async function checkFile(file) {
  if (!file) return;
  // A larger one isn't read.
  checking.bytes = file.size > LARGEST_LOG ? { length: file.size } : new Uint8Array(await file.arrayBuffer());
  await showCheck();
}

function takeFiles() {
  byId("file").addEventListener("change", (event) => checkFile(event.target.files[0]));
  document.addEventListener("dragover", (event) => {
    event.preventDefault();
    document.body.classList.add("dropping");
  });
  for (const name of ["dragleave", "drop"]) {
    document.addEventListener(name, () => document.body.classList.remove("dropping"));
  }
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    if (event.dataTransfer.files.length) byId("file").files = event.dataTransfer.files; // shows its name
    checkFile(event.dataTransfer.files[0]);
  });
  if (byId("file").files.length) checkFile(byId("file").files[0]); // kept by the browser on a reload
}

byId("sources").addEventListener("submit", (event) => {
  event.preventDefault();
  showCheck();
});
if (checkedGame === null) takeFiles();
else checkGame();
