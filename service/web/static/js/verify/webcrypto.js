// SHA-256, HMAC-SHA256 and Ed25519 as the browser has them. It lends `crypto.subtle` to pages of https and localhost.

const UTF8_ENCODER = new TextEncoder();
const BASE64_TEXT = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const HEX_OF_32_BYTES = /^[0-9a-f]{64}$/;

export const hasWebCrypto = () => globalThis.crypto?.subtle !== undefined;

export const isHash = (value) => typeof value === "string" && HEX_OF_32_BYTES.test(value);

export function toHex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** The bytes of hex digits for which `isHash` holds. */
export function fromHex(hex) {
  return Uint8Array.from(hex.match(/../g), (digits) => Number.parseInt(digits, 16));
}

/** The bytes of base64. Throws TypeError for a text that is none. */
function fromBase64(text) {
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
 * Whether it is the signature of a text by an Ed25519 key (both base64); null where the browser doesn't know Ed25519:
 * Chromium before 137, Firefox before 129, Safari before 17. What is no base64, or no key, gives false.
 */
export async function isSignedBy(publicKey, signature, text) {
  try {
    const [keyBytes, signatureBytes] = [publicKey, signature].map(fromBase64);
    const key = await crypto.subtle.importKey("raw", keyBytes, { name: "Ed25519" }, false, ["verify"]);
    return await crypto.subtle.verify({ name: "Ed25519" }, key, signatureBytes, joinBytes(text));
  } catch (problem) {
    return problem.name === "NotSupportedError" ? null : false;
  }
}
