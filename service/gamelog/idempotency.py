"""Idempotency keys, and which requests are repeats of each other."""

from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from domain.fairness.canonical import canonical_json
from service.gamelog.errors import KeyReused


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """The idempotency key of a request, with the request's body."""

    scope: str
    """Resource and seat: the same key in another scope is another key."""
    key: str = field(repr=False)
    body: Any = field(repr=False)
    """The request's body as parsed from JSON."""

    @property
    def digest(self) -> bytes:
        """The key's name in the store: 16 bytes, however long the key is."""
        return sha256(f"{self.scope}\n{self.key}".encode()).digest()[:16]

    @property
    def fingerprint(self) -> bytes:
        """Equal for bodies that are equal as JSON values: 8 bytes."""
        return sha256(canonical_json(_integral(self.body))).digest()[:8]

    def record_of(self, version: int) -> bytes:
        """What the store keeps with the key; `version`: of the request's last event."""
        return b"%d:%b" % (version, self.fingerprint)

    def version_in(self, record: bytes) -> int:
        """The version of the last event of the request that the record was kept for.

        Raises KeyReused if that request had another body.
        """
        version, _, fingerprint = record.partition(b":")
        if fingerprint != self.fingerprint:
            raise KeyReused(self.scope)
        return int(version)


def _integral(value: Any) -> Any:
    """The JSON value with 1.0 written as 1."""
    if isinstance(value, dict):
        return {name: _integral(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_integral(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
