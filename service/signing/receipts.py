"""Signed receipts (contract 5): proof to their holder that the log held these events."""

import base64
from typing import Any

import nacl.signing

from domain.fairness.chain import receipt_text
from service.signing.deployment import SigningKey


class Receipts:
    """Signs with the newest key, lists all."""

    def __init__(self, keys: list[SigningKey]) -> None:
        """`keys`: the last one signs and must not be retired."""
        self._keys = keys
        signing = keys[-1]
        assert signing.private is not None
        self._id = signing.id
        self._key = nacl.signing.SigningKey(signing.private)

    def sign(self, game: str, version: int, game_hash: str) -> dict[str, Any]:
        """The receipt for a game at a version, whose hash is `game_hash` (hex)."""
        signed = self._key.sign(receipt_text(game, version, game_hash))
        signature = base64.b64encode(signed.signature).decode()
        return {"version": version, "hash": game_hash, "key": self._id, "signature": signature}

    def public_keys(self) -> dict[str, Any]:
        """Every key that ever signed, for `GET /v1/keys`."""
        return {
            "keys": [
                {"key": key.id, "algorithm": "Ed25519", "public_key": base64.b64encode(key.public).decode()}
                for key in self._keys
            ]
        }
