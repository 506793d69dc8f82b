// Signed receipts: proof to their holder of what the log was up to a version.

import { isHash } from "./webcrypto.js";

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
