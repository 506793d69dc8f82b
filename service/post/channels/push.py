"""Web Push: what one device can read alone (RFC 8291), signed for its push service (VAPID, RFC 8292)."""

import json
import secrets
from base64 import b64decode, urlsafe_b64encode
from typing import Final
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

_CURVE: Final = ec.SECP256R1()
_RECORD_BYTES: Final = 4096
_VALID_S: Final = 12 * 3600
"""Of a signature; a push service takes none that is valid for more than a day."""


class PushKey:
    """The service's: a device gets nothing that another one has signed."""

    def __init__(self, secret: bytes) -> None:
        """`secret`: 32 bytes, of which 31 make a number below the curve's order."""
        self._private = ec.derive_private_key(int.from_bytes(secret[1:]), _CURVE)
        self.public: Final = encode(_point_of(self._private))

    def authorize(self, endpoint: str, contact: str, now: int) -> str:
        """The header `Authorization`. `now`: ms since 1970; `contact`: `mailto:` or `https:`."""
        audience = "{0.scheme}://{0.netloc}".format(urlsplit(endpoint))
        claims = {"aud": audience, "exp": now // 1000 + _VALID_S, "sub": contact}
        signed = ".".join(encode(json.dumps(part).encode()) for part in ({"typ": "JWT", "alg": "ES256"}, claims))
        numbers = decode_dss_signature(self._private.sign(signed.encode(), ec.ECDSA(SHA256())))
        return f"vapid t={signed}.{encode(b''.join(number.to_bytes(32) for number in numbers))}, k={self.public}"


def check_keys(p256dh: str, auth: str) -> None:
    """Raises ValueError where they aren't a device's: a point of the curve, uncompressed, and 16 bytes."""
    if (len(decode(p256dh)), len(decode(auth))) != (65, 16):
        raise ValueError
    ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, decode(p256dh))


def encrypt(
    text: bytes, p256dh: str, auth: str, *, private: ec.EllipticCurvePrivateKey | None = None, salt: bytes = b""
) -> bytes:
    """The body of a request for the device with these keys. `private` and `salt`: new ones, but for a test."""
    private, salt = private or ec.generate_private_key(_CURVE), salt or secrets.token_bytes(16)
    theirs, public = decode(p256dh), _point_of(private)
    shared = private.exchange(ec.ECDH(), ec.EllipticCurvePublicKey.from_encoded_point(_CURVE, theirs))
    key = HKDF(SHA256(), 32, decode(auth), b"WebPush: info\0" + theirs + public).derive(shared)
    content_key = HKDF(SHA256(), 16, salt, b"Content-Encoding: aes128gcm\0").derive(key)
    nonce = HKDF(SHA256(), 12, salt, b"Content-Encoding: nonce\0").derive(key)
    head = salt + _RECORD_BYTES.to_bytes(4) + bytes([len(public)]) + public
    return head + AESGCM(content_key).encrypt(nonce, text + b"\2", None)


def encode(data: bytes) -> str:
    """Base64 in the alphabet of URLs, without padding."""
    return urlsafe_b64encode(data).decode().rstrip("=")


def decode(text: str) -> bytes:
    """Raises ValueError."""
    text = text.rstrip("=")
    return b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)


def _point_of(private: ec.EllipticCurvePrivateKey) -> bytes:
    return private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
