// SHA-256, HMAC-SHA256 and Ed25519 as the browser has them. It lends `crypto.subtle` to pages of https and localhost.

const UTF8_ENCODER = new TextEncoder();
const BASE64_TEXT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX_OF_32_BYTES = /^[0-9a-f]{64}$/;

export const hasWebCrypto = () => globalThis.crypto?.subtle !== undefined;

/** Whether it is 32 bytes as lower-case hex digits. */
export const isHash = (value) => typeof value === "string" && HEX_OF_32_BYTES.test(value);

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of hex digits for which `isHash` holds. */
export function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16));
}

/** The bytes of base64. Throws TypeError for a text that is none. */
export function fromBase64(text) {
  if (typeof text !== "string" || !BASE64_TEXT.test(text)) throw new TypeError("no base64");
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

/** Texts (as UTF-8) and bytes, joined. */
export function joinBytes(...parts) {
  const arrays = parts.map((part) => (typeof part === "string" ? UTF8_ENCODER.encode(part) : part));
  const joined = new Uint8Array(arrays.reduce((length, array) => length + array.length, 0));
  let start = 0;
  for (const array of arrays) {
    joined.set(array, start);
    start += array.length;
  }
  return joined;
}

export async function sha256(bytes) {
  return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
}

/** A function that gives the HMAC-SHA256 of bytes under this key (bytes): 32 bytes. */
export async function hmacUnder(key) {
  const imported = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return async (bytes) => new Uint8Array(await crypto.subtle.sign("HMAC", imported, bytes));
}

/**
 * Whether the signature of the bytes is this Ed25519 key's; null where the browser doesn't know Ed25519.
 * All three are bytes. A key that is none gives false.
 */
export async function isSignedBy(publicKey, signature, bytes) {
  if (!(await knowsEd25519())) return null;
  try {
    const key = await crypto.subtle.importKey("raw", publicKey, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, signature, bytes);
  } catch {
    return false;
  }
}

/** Whether the browser knows Ed25519: Chromium from 137, Firefox from 129, Safari from 17 on. */
async function knowsEd25519() {
  try {
    await crypto.subtle.importKey("raw", BASE_POINT, { name: "Ed25519" }, false, ["verify"]);
    return true;
  } catch {
    return false;
  }
}

/** A point of the curve, which is a key for every implementation: 0x58 and 31 times 0x66. */
const BASE_POINT = new Uint8Array(32).fill(0x66).fill(0x58, 0, 1);
