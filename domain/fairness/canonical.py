"""Canonical JSON (JCS, RFC 8785) and HMAC-SHA256, the basis of hashes, commitments and signatures."""

import hmac
import json
from typing import Any, TypeAlias

JsonObject: TypeAlias = dict[str, Any]
"""A JSON object as Python holds it."""

_CANONICAL = json.JSONEncoder(ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def canonical_json(value: Any) -> bytes:
    """JCS (RFC 8785) of values with ASCII keys, whole numbers below 2^53, no floats, and valid Unicode."""
    return _CANONICAL.encode(value).encode()


def hmac_sha256(key: bytes, message: bytes) -> bytes:
    """HMAC-SHA256, 32 bytes."""
    return hmac.digest(key, message, "sha256")
