// Checks a log step by step, with nothing but the log, receipts and public keys: pure, without a request.
//
// A step is {name, state, version, code, values, erased, inputs, formula, output, expected, found}.
// `state`: `ok`, `failed` or `not checkable`; `version`: of the first event that is not as it must be, null where
// nothing fails; `code`: what there is to say about the result, and `values` for its words; `erased`: how many events
// have lost their words, which is said whatever the result; `inputs`, `output`: [name, text] pairs; `formula`: with
// `{names}` of words, if it has any; `expected`, `found`: texts.

import { canonicalJson, isSameJson } from "./canonical.js";
import { chainHashes, chainKey, hashedPart } from "./chain.js";
import { isKnownRuleSet, valuesOfGame } from "./cards/deck.js";
import { commitmentTo, dealCards, dealPosition, shuffleKey } from "./cards/dealer.js";
import { isErased, readErased, wordsFault } from "./erasure.js";
import { faultAt } from "./fault.js";
import { originFault, readOpening } from "./opening.js";
import { receiptText } from "./receipt.js";
import { followLog } from "./referee.js";
import { isHash, isSignedBy, toHex } from "./webcrypto.js";

const STEP_FORMULAS = {
  form: 'line(v) = JCS(event v) ‖ "\\n",  version(v) = v,  at(v) ≥ at(v − 1)',
  commitment: 'commitment = SHA-256("reibach/commitment" ‖ server_seed)',
  shuffle: 'x₀, x₁, … = HMAC(HMAC(server_seed, "reibach/shuffle" ‖ JCS(entropies)), 0, 1, …),  '
    + "j = xₙ mod (i + 1),  card i ⇄ card j",
  chain: 'hash(v) = HMAC(HMAC(server_seed, "reibach/chain"), hash(v − 1) ‖ JCS({at, data, type, version})),  '
    + "digest = HMAC(salt, name | text)",
  cards: "taken = display[slot],  drawn = refill = draw_pile[n],  laid ∈ hand",
  play: "cost(1) + cost(2) + … = 3,  seat = (starting_seat + turn − 1) mod seats",
  scores: "{monopoly}: 4,  {longest}: 3,  {second}: 1,  {shared_longest}: ⌊4 / k⌋,  {risk}: × 2;  "
    + "{third_round}: −2 × {empty_businessmakers}, −1 × {hand_cards}",
  fork: "parent ≠ game,  1 ≤ from",
  receipt: "hash(receipt.version) = receipt.hash",
  signature: 'Ed25519(public_key, signature, "reibach/receipt\\n" ‖ game ‖ "\\n" ‖ version ‖ "\\n" ‖ hash ‖ "\\n")',
};

/** The steps in the order in which one follows from the other. `log`: of `readLog`; `keys`: of /v1/keys, or null. */
export async function* verifyLog(log, receipts = [], keys = null) {
  const { events } = log;
  const read = events.map(readErased);
  const opening = readOpening(read);
  const seed = isHash(opening.seed) ? opening.seed : null;
  yield madeStep("form", formOf(log));
  if (opening.seed !== null && seed === null) {
    const fault = faultAt(1, "value", "server_seed: [0-9a-f]{64}", canonicalJson(opening.seed));
    yield madeStep("commitment", { fault });
    return;
  }
  yield madeStep("commitment", await commitmentOf(opening, seed));
  yield madeStep("shuffle", await shuffleOf(opening, seed));
  const hashes = await hashesOf(events, opening, seed);
  const erased = events.filter(isErased).length;
  yield madeStep("chain", { ...(await chainOf(events, opening, seed, hashes)), erased });
  yield* tableSteps({ ...log, events: read }, opening);
  if (opening.isFork) yield madeStep("fork", forkOf(opening, read));
  if (receipts.length === 0) yield madeStep("receipt", { open: true, inputs: [["receipt", "–"]], code: "no_receipt" });
  for (const receipt of receipts) {
    yield madeStep("receipt", receiptOf(events, hashes, receipt));
    yield madeStep("signature", await signatureOf(opening.created.game, receipt, keys));
  }
}

/** A step: it fails with a `fault`; else it is not checkable where it is `open`. */
function madeStep(name, { fault = null, open = false, ...rest }) {
  const step = { name, version: null, code: null, values: {}, erased: 0, inputs: [], output: [], expected: null, found: null };
  const state = fault ? "failed" : open ? "not checkable" : "ok";
  return { ...step, ...rest, ...fault, state, formula: STEP_FORMULAS[name] };
}

function formOf({ events, isExport, size, fault }) {
  const inputs = [["events", `${events.length}`], ["bytes", `${size}`]];
  const last = events.at(-1);
  const output = last ? [["at(1)", `${events[0].at}`], [`at(${events.length})`, `${last.at}`]] : [];
  return { fault, inputs, output, code: isExport ? null : "page" };
}

async function commitmentOf(opening, seed) {
  const { commitment } = opening.created;
  const inputs = [["commitment", commitment ?? "?"], ["server_seed", seed ?? "?"]];
  if (seed === null) return { open: true, inputs, code: withoutSeed(opening) };
  const expected = await commitmentTo(seed);
  const fault = commitment === expected ? null : faultAt(1, "differs", expected, `${commitment}`);
  return { fault, inputs, output: [["SHA-256", expected]], ...boundBy(opening) };
}

const withoutSeed = ({ isBegun }) => (isBegun ? "hidden_seed" : "not_begun");

/** Whose entropy the server could not know when it drew the seed. */
function boundBy({ isCopy, late }) {
  if (isCopy) return { code: "seed_of_parent" };
  const given = late.filter((one) => one.entropy !== "").map((one) => `${one.name}`);
  if (given.length === 0) return { code: "bound_by_nobody" };
  return { code: "bound_by_seats", values: { seats: given } };
}

async function shuffleOf(opening, seed) {
  const { created, deal, entropies } = opening;
  const inputs = [["entropies", canonicalJson(entropies)], ["server_seed", seed ?? "?"]];
  if (seed === null) return { open: true, inputs, code: withoutSeed(opening) };
  if (deal === null) return { open: true, inputs, code: "not_dealt" };
  if (!isKnownRuleSet(created.rules)) return { open: true, inputs, code: "other_rules" };
  const { data, version, type } = deal;
  const output = [["shuffle_key", toHex(await shuffleKey(seed, entropies))]];
  try {
    const { handSize } = valuesOfGame(created.rules, created.variants);
    const dealt = type === "GameStarted"
      ? await dealCards(seed, entropies, handSize)
      : await dealPosition(seed, entropies, data);
    output.push(...Object.entries(dealt).map(([name, cards]) => [name, canonicalJson(cards)]));
    const member = Object.keys(dealt).find((name) => !isSameJson(data[name], dealt[name]));
    if (member === undefined) return { inputs, output };
    const [expected, found] = [dealt, data].map((cards) => `${member} ${canonicalJson(cards[member] ?? null)}`);
    return { fault: faultAt(version, "deal", expected, found), inputs, output };
  } catch (error) {
    // More cards than there are, or no cards at all.
    return { fault: faultAt(version, "deal", error.message, canonicalJson(data)), inputs };
  }
}

/** The chain's hashes; null where the seed or the game's id is not there. */
async function hashesOf(events, { created }, seed) {
  return seed !== null && typeof created.game === "string" ? chainHashes(seed, created.game, events) : null;
}

async function chainOf(events, opening, seed, hashes) {
  const { created, end } = opening;
  const inputs = [["game", `${created.game ?? "?"}`], ["events", `${events.length}`]];
  const broken = events.findIndex((event, index) => wordsFault(event) || (hashes && event.hash !== hashes[index + 1]));
  const unlawful = broken < 0 ? null : wordsFault(events[broken]);
  if (unlawful) {
    const found = canonicalJson(events[broken].data);
    return { fault: faultAt(broken + 1, unlawful.code, unlawful.expected, found), inputs };
  }
  if (hashes === null) return { open: true, inputs, code: withoutSeed(opening) };
  const output = [["chain_key", toHex(await chainKey(seed))], ["hash(0)", hashes[0]]];
  if (broken < 0) {
    output.push([`hash(${events.length})`, hashes.at(-1)]);
    return { inputs, output, code: end ? "consistent" : "not_over" };
  }
  const version = broken + 1;
  output.push([`JCS(event ${version})`, await hashedPart(events[broken])]);
  const fault = faultAt(version, "chain", hashes[version], `${events[broken].hash}`);
  return { fault, inputs, output };
}

function* tableSteps({ events, isCut }, opening) {
  const { table, faults } = followLog(events);
  const end = isCut || !opening.isBegun ? { version: events.length + 1 } : null;
  const stop = faults.cards ?? faults.play ?? end;
  for (const [name, work] of Object.entries(workOnTable(table, opening))) {
    const fault = faults[name];
    if (fault && fault.code !== "rules") yield madeStep(name, { ...work, fault });
    else if (stop) yield madeStep(name, { ...work, open: true, ...reasonOf(stop, opening) });
    else yield madeStep(name, { ...work, ...noteOn(name, table, opening) });
  }
}

function reasonOf({ code, version }, { isBegun }) {
  if (!isBegun) return { code: "not_begun" };
  return code === "rules" ? { code: "other_rules" } : { code: "stopped", values: { version } };
}

function workOnTable(table, { created, deal }) {
  const counts = {
    hands: sumOf(table.places, ({ hand }) => hand.size),
    rows: sumOf(table.places, ({ rows }) => sumOf(rows, (row) => 1 + row.length + (row.closed ? 1 : 0))),
    display: table.display.filter((card) => card !== null).length,
    draw_pile: table.pileSize - table.drawn,
    reibach: table.revealed,
  };
  const terms = Object.entries(counts).map(([name, count]) => `${count} ${name}`).join(" + ");
  const sum = `${terms} = ${sumOf(Object.values(counts), (count) => count)}`;
  const rounds = table.scored.map((done) => [`totals(${done.round}), event ${done.version}`, canonicalJson(done.totals)]);
  return {
    cards: {
      inputs: [["deck", "10 × 9 + 5 multitalent + 5 risk + 10 reibach = 110"],
        ["dealt", deal ? `event ${deal.version}` : "–"]],
      output: table.isDealt ? [["cards", sum]] : [],
    },
    play: {
      inputs: [["seats", `${created.seats ?? "?"}`], ["starting_seat", `${created.starting_seat ?? "?"}`],
        ["variants", canonicalJson(created.variants ?? null)]],
      output: [["turns", `${table.turn}`], ["actions", `${table.actions}`]],
    },
    scores: {
      inputs: [["rounds", "reibach 4, 7, 10"], ["totals(0)", canonicalJson(table.headStarts)]],
      output: [...rounds, ...(table.winners ? [["winners", canonicalJson(table.winners)]] : [])],
    },
  };
}

function noteOn(name, table, { seed }) {
  const passed = [...table.passed];
  if (name === "play" && passed.length) return { code: "passed_over", values: { types: passed.slice(0, 5) } };
  return { code: seed === null && name !== "scores" ? "as_far_as_shown" : null };
}

const sumOf = (items, amount) => items.reduce((sum, item) => sum + amount(item), 0);

function forkOf(opening, events) {
  const { parent, from } = opening.created;
  const inputs = [["parent", `${parent}`], ["from", `${from}`]];
  const code = opening.isCopy ? "copy_of_parent" : "position_of_parent";
  return { fault: originFault(opening, events), open: true, inputs, code };
}

/** The receipt against the hash that was worked out from the events, not the one that the log names. */
function receiptOf(events, hashes, { version, hash }) {
  const inputs = [["receipt", canonicalJson({ version, hash })]];
  if (version > events.length) {
    return { fault: faultAt(events.length + 1, "cut", `${version}`, `${events.length}`), inputs };
  }
  const found = (hashes ?? ["", ...events.map((event) => event.hash)])[version] ?? "–";
  const fault = found === hash ? null : faultAt(version, "receipt", hash, `${found}`);
  const output = [[`hash(${version})`, `${found}`]];
  const code = hashes === null ? "receipt_of_hidden" : version < events.length ? "proved_up_to" : "proved_all";
  return { fault, open: hashes === null, inputs, output, code, values: fault ? {} : { version } };
}

/** Whether the receipt is signed by one of the service's keys, as `GET /v1/keys` lists them; null where they could not be had. */
async function signatureOf(game, receipt, keys) {
  const text = receiptText(game, receipt);
  const publicKey = keys?.find((one) => one.key === receipt.key)?.public_key ?? null;
  const inputs = [["key", `${receipt.key ?? "?"}`], ["public_key", publicKey ?? "?"],
    ["signature", `${receipt.signature ?? "?"}`], ["text", JSON.stringify(text)]];
  if (keys === null) return { open: true, inputs, code: "no_keys" };
  const isSigned = publicKey !== null && (await isSignedBy(publicKey, receipt.signature, text));
  if (isSigned === null) return { open: true, inputs, code: "no_ed25519" };
  const code = publicKey === null ? "unknown_key" : "bad_signature";
  return { fault: isSigned ? null : faultAt(receipt.version, code, "Ed25519 ✓", "Ed25519 ✗"), inputs };
}
