"""Idempotency keys, and which requests are repeats of each other."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from domain.fairness.canonical import canonical_json


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """An idempotency key with what it was sent for."""

    scope: str
    """Resource and seat: the same key elsewhere is another key."""
    key: str = field(repr=False)
    body: Any = field(repr=False)
    """The request's body as parsed."""

    @property
    def digest(self) -> bytes:
        """Names the key in the store: 16 bytes, for keys must not outgrow the game."""
        return sha256(f"{self.scope}\n{self.key}".encode()).digest()[:16]

    @property
    def fingerprint(self) -> bytes:
        """Equal for bodies that are equal as JSON values: 8 bytes."""
        return sha256(canonical_json(_whole(self.body))).digest()[:8]


def _whole(value: Any) -> Any:
    """The JSON value with 1.0 written as 1."""
    if isinstance(value, dict):
        return {name: _whole(one) for name, one in value.items()}
    if isinstance(value, list):
        return [_whole(one) for one in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
