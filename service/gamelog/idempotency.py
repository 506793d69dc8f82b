"""Idempotency keys, which requests are repeats of each other, and what is kept to answer a repeat.

Rule: a repeat is answered from its record and the stored events. Its body is compared, and never decided again: it
would be decided on cards that its sender has not paid to see.
"""

from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple
from zlib import crc32

import orjson

from domain.fairness.canonical import canonical_json, hmac_sha256
from domain.refusals import Reason, Refused
from service.gamelog.store.errors import CorruptLog, KeyReused

_DIGEST_BYTES: Final = 12
_FINGERPRINT_BYTES: Final = 16
_CHECKED: Final = b"~"
"""Between the fingerprint and a checksum of it and of what follows. Earlier records have none."""
_CHECKSUM_BYTES: Final = 4
_DAMAGED: Final = "the record of an idempotency key can't be read"


class FirstAnswer(NamedTuple):
    """What the store keeps of an accepted request besides its events."""

    version: int
    """Of the request's last event."""
    applied: int = 0
    """Number of its actions that were applied."""
    refusal: Refused | None = None
    """Why the next action was not."""


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    scope: str
    """Resource and seat: the same key in another scope is another key."""
    key: str = field(repr=False)
    body: Any = field(repr=False)
    """The request's body as parsed from JSON."""
    secret: bytes = field(repr=False)
    """Of the deployment. Without it no client can look for two bodies with the same fingerprint."""

    @property
    def digest(self) -> bytes:
        """The key's name in the store, however long the key is."""
        return hmac_sha256(self.secret, f"{self.scope}\n{self.key}".encode())[:_DIGEST_BYTES]

    @property
    def fingerprint(self) -> bytes:
        """Equal for bodies that are equal as JSON values."""
        return hmac_sha256(self.secret, canonical_json(_integral(self.body)))[:_FINGERPRINT_BYTES]

    def record_of(self, first: FirstAnswer) -> bytes:
        """What the store keeps with the key: the fingerprint, a checksum, then `version:applied:refusal` (as JSON)."""
        refusal = first.refusal
        why = orjson.dumps([refusal.reason, refusal.parameters]) if refusal else b""
        fingerprint, answer = self.fingerprint, b"%d:%d:%b" % (first.version, first.applied, why)
        return fingerprint + _CHECKED + _checksum(fingerprint + answer) + answer

    def read_record(self, record: bytes) -> FirstAnswer:
        """What was kept of the first request. Raises KeyReused if that had another body, and CorruptLog."""
        fingerprint, answer = record[:_FINGERPRINT_BYTES], record[_FINGERPRINT_BYTES:]
        if answer.startswith(_CHECKED):
            end = len(_CHECKED) + _CHECKSUM_BYTES
            checksum, answer = answer[len(_CHECKED) : end], answer[end:]
            if checksum != _checksum(fingerprint + answer):  # first: a damaged fingerprint is no other body
                raise CorruptLog(_DAMAGED)
        if fingerprint != self.fingerprint:
            raise KeyReused(self.scope)
        try:
            version, applied, why = answer.split(b":", 2)
            refusal = None
            if why:
                reason, parameters = orjson.loads(why)
                refusal = Refused(Reason(reason), **parameters)
            return FirstAnswer(int(version), int(applied), refusal)
        except (LookupError, TypeError, ValueError) as error:
            raise CorruptLog(_DAMAGED) from error


def _checksum(kept: bytes) -> bytes:
    return crc32(kept).to_bytes(_CHECKSUM_BYTES)


def _integral(value: Any) -> Any:
    """The JSON value with 1.0 written as 1."""
    if isinstance(value, dict):
        return {name: _integral(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_integral(member) for member in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value
