"""What a deployment keeps for itself, beside its games: the number of shards, and its secrets.

It is made once, by the first process that finds none, and kept in the store, or in the file that `REIBACH_KEYS_FILE`
names (for those who want no secret beside the data). Whoever holds it can issue seat tokens and sign receipts.
"""

import base64
import fcntl
import json
import os
import secrets
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeAlias

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from domain.fairness.canonical import hmac_sha256

Client: TypeAlias = Any  # redis.Redis, RedisCluster or fakeredis: redis-py's own types can't tell sync from async
_PLACE = "reibach:deployment"
_NO_KEYS = "this store has no keys yet"
_KEY_BYTES = 32
_ID_BYTES = 15
_EXCHANGE = """
-- KEYS 1 the deployment   ARGV 1 as it was read   2 as it shall be
-- Only where nobody else has changed it since.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


class BadDeployment(Exception):
    """The deployment's secrets can't be read; the message is one line without any of them."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An Ed25519 key for receipts."""

    id: str
    public: bytes
    """32 bytes; listed for ever, also when the key is retired."""
    private: bytes | None = field(repr=False)
    """32 bytes; None once the key is retired."""

    @classmethod
    def new(cls) -> Self:
        """A fresh key."""
        private = Ed25519PrivateKey.generate()
        public = private.public_key().public_bytes_raw()
        return cls(sha256(public).hexdigest()[:16], public, private.private_bytes_raw())


@dataclass(frozen=True, slots=True)
class Deployment:
    """The secrets of a service, and what can't change while it has games."""

    shards: int
    token_secrets: list[str] = field(repr=False)
    """The last one signs, all of them verify."""
    game_secret: bytes = field(repr=False)
    """From it and a caller's idempotency key follows the id of the game that the key opens."""
    signing_keys: list[SigningKey]
    """The last one signs."""

    @classmethod
    def new(cls, shards: int) -> Self:
        """Fresh secrets."""
        return cls(shards, [secrets.token_hex(32)], secrets.token_bytes(32), [SigningKey.new()])

    def new_game_id(self, idempotency_key: str | None) -> str:
        """A new game's id of 120 bits, in base32: whoever has it may watch.

        It is random, or follows from the idempotency key, so that a repeat finds the game.
        """
        if idempotency_key is None:
            raw = secrets.token_bytes(_ID_BYTES)
        else:
            raw = hmac_sha256(self.game_secret, idempotency_key.encode())[:_ID_BYTES]
        return base64.b32encode(raw).decode().lower()

    def with_new_key(self) -> Self:
        """The same with all signing keys retired but a new one: their private parts are gone, and they stay listed."""
        retired = [replace(key, private=None) for key in self.signing_keys]
        return replace(self, signing_keys=[*retired, SigningKey.new()])

    def to_json(self) -> str:
        """As it is kept."""
        return json.dumps(
            {
                "shards": self.shards,
                "token_secrets": self.token_secrets,
                "game_secret": self.game_secret.hex(),
                "signing_keys": [
                    {
                        "key": key.id,
                        "public": base64.b64encode(key.public).decode(),
                        "private": base64.b64encode(key.private).decode() if key.private else None,
                    }
                    for key in self.signing_keys
                ],
            }
        )

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """As it was kept. Raises BadDeployment."""
        try:
            kept: dict[str, Any] = json.loads(text)
            keys = [
                SigningKey(
                    one["key"],
                    base64.b64decode(one["public"]),
                    base64.b64decode(one["private"]) if one["private"] else None,
                )
                for one in kept["signing_keys"]
            ]
            found = cls(int(kept["shards"]), kept["token_secrets"], bytes.fromhex(kept["game_secret"]), keys)
            if found.shards < 1 or not found.token_secrets or len(keys[-1].private or b"") != _KEY_BYTES:
                raise ValueError("nothing to sign with")
        except (ValueError, LookupError, TypeError) as error:
            raise BadDeployment("the deployment's keys are not of the known form") from error
        return found


def open_deployment(client: Client, shards: int, keys_file: str) -> Deployment:
    """The deployment of this store, made now if there is none. Raises BadDeployment and redis-py's errors."""
    if keys_file:
        return _from_file(Path(keys_file), shards)
    client.set(_PLACE, Deployment.new(shards).to_json(), nx=True)
    return Deployment.from_json(client.get(_PLACE))


def known_deployment(client: Client, keys_file: str) -> Deployment:
    """The deployment of this store. Raises BadDeployment, also where there is none yet, and redis-py's errors."""
    if keys_file:
        try:
            return Deployment.from_json(Path(keys_file).read_bytes())
        except OSError as error:
            raise BadDeployment(f"can't use the keys file {keys_file}: {error.strerror}") from error
    kept = client.get(_PLACE)
    if kept is None:
        raise BadDeployment(_NO_KEYS)
    return Deployment.from_json(kept)


def rotate_signing_key(client: Client, keys_file: str) -> SigningKey:
    """Retire the key that signs receipts and return the new one. Processes that are running don't notice.

    Raises BadDeployment, also where there is no deployment yet, and redis-py's errors.
    """
    if keys_file:
        return _rotate_in_file(Path(keys_file))
    while True:
        kept = client.get(_PLACE)
        if kept is None:
            raise BadDeployment(_NO_KEYS)
        rotated = Deployment.from_json(kept).with_new_key()
        if client.eval(_EXCHANGE, 1, _PLACE, kept, rotated.to_json()):
            return rotated.signing_keys[-1]


def _rotate_in_file(path: Path) -> SigningKey:
    try:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # The folder, for the file itself is replaced: two operators at once would lose one of their keys.
            fcntl.flock(folder, fcntl.LOCK_EX)
            rotated = Deployment.from_json(path.read_bytes()).with_new_key()
            _draft(path, rotated).replace(path)
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise BadDeployment(f"can't use the keys file {path}: {error.strerror}") from error
    return rotated.signing_keys[-1]


def _draft(path: Path, deployment: Deployment) -> Path:
    """The deployment in a new file beside `path`, on disk and readable by its owner alone."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    with draft.open("w", encoding="utf-8") as file:
        file.write(deployment.to_json())
        file.flush()
        os.fsync(file.fileno())
    return draft


def _from_file(path: Path, shards: int) -> Deployment:
    try:
        if not path.exists():
            # Written aside and linked into place: of two processes that start at once, one makes it and both read it.
            draft = _draft(path, Deployment.new(shards))
            try:
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return Deployment.from_json(path.read_bytes())
    except OSError as error:
        raise BadDeployment(f"can't use the keys file {path}: {error.strerror}") from error
