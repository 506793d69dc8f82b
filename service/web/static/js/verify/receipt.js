// Signed receipts: proof to their holder of what the log was up to a version.

import { isHash, isSignedBy } from "./webcrypto.js";

export const receiptText = (game, { version, hash }) => `reibach/receipt\n${game}\n${version}\n${hash}\n`;

/**
 * The receipts in a pasted text: JSON of one, of several, of an answer that holds one, or a line for each.
 * Null where it is anything else.
 */
export function readReceipts(text) {
  const whole = valuesOf([text]) ?? valuesOf(text.split("\n").filter((line) => line.trim()));
  const receipts = whole?.flat().map((value) => value?.receipt ?? value);
  return receipts?.length && receipts.every(isReceipt) ? receipts : null;
}

function valuesOf(texts) {
  try {
    return texts.map((text) => JSON.parse(text));
  } catch {
    return null;
  }
}

const isReceipt = (value) => Number.isSafeInteger(value?.version) && value.version > 0 && isHash(value.hash);

/**
 * Whether the receipt is signed by one of the service's keys, as `GET /v1/keys` lists them:
 * {state, code, publicKey}; `code` says why not. `keys`: null where they could not be had.
 */
export async function checkSignature(game, receipt, keys) {
  const publicKey = keys?.find((one) => one.key === receipt.key)?.public_key ?? null;
  const result = (state, code) => ({ state, code, publicKey });
  if (keys === null) return result("not checkable", "no_keys");
  if (publicKey === null) return result("failed", "unknown_key");
  const isSigned = await isSignedBy(publicKey, receipt.signature, receiptText(game, receipt));
  if (isSigned === null) return result("not checkable", "no_ed25519");
  return isSigned ? result("ok", null) : result("failed", "bad_signature");
}
