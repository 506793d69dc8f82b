"""Checks signed receipts (contract 5) by the service's public keys."""

import base64
from collections.abc import Mapping
from typing import Any, TypeAlias

from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from domain.fairness.chain import receipt_text

PublicKeys: TypeAlias = Mapping[str, VerifyKey]
"""Key id -> key, retired keys included."""


def public_keys(listed: Any) -> PublicKeys:
    """The keys in the JSON of `/v1/keys`. Raises ValueError with one line."""
    try:
        return {
            str(key["key"]): VerifyKey(base64.b64decode(key["public_key"], validate=True)) for key in listed["keys"]
        }
    except (LookupError, TypeError, ValueError, AttributeError):
        raise ValueError("these are not keys as /v1/keys lists them") from None


def signature_fault(game: str, receipt: Mapping[str, Any], known: PublicKeys) -> str:
    """What is wrong with a receipt's signature; empty where it is good."""
    key = known.get(str(receipt.get("key")))
    if key is None:
        return "expected a signature by one of the given keys"
    try:
        signature = base64.b64decode(receipt["signature"], validate=True)
        key.verify(receipt_text(game, receipt["version"], receipt["hash"]), signature)
    except (BadSignatureError, TypeError, ValueError):
        return "expected the signature of that key"
    return ""
