"""The secrets of a deployment, and its number of shards.

The first process that finds none creates them, in the store, or in the file that `REIBACH_KEYS_FILE` names, which keeps
secrets apart from the data. They are enough to issue seat tokens and to sign receipts.
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
_RESTORING = b"restoring"
"""In the place of the deployment while a backup is restored."""
_NO_KEYS = "this store has no keys yet"
_KEY_BYTES = 32
_ID_BYTES = 15
_EXCHANGE = """
-- KEYS 1 the deployment   ARGV 1 the value that was read   2 the new value
-- Compare and set.
if redis.call('GET', KEYS[1]) ~= ARGV[1] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2])
return 1
"""


class BadDeployment(Exception):
    """The deployment's secrets can't be read. The message is one line and holds none of them."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    """An Ed25519 key for receipts."""

    id: str
    public: bytes
    """32 bytes; listed for ever, even when the key is retired."""
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
    """The secrets of a service, and the number of shards, which can't change while it has games."""

    shards: int
    token_secrets: list[str] = field(repr=False)
    """The last one signs, all of them verify."""
    game_secret: bytes = field(repr=False)
    """Derives the id of a new game from the request's idempotency key."""
    signing_keys: list[SigningKey]
    """The last one signs."""

    @classmethod
    def new(cls, shards: int) -> Self:
        """Fresh secrets."""
        return cls(shards, [secrets.token_hex(32)], secrets.token_bytes(32), [SigningKey.new()])

    def new_game_id(self, idempotency_key: str | None) -> str:
        """A new game's id, 120 bits in base32: it can't be guessed, since it is all that a spectator needs.

        It is random, or derived from the idempotency key, so that a repeat of the request finds the game.
        """
        if idempotency_key is None:
            raw = secrets.token_bytes(_ID_BYTES)
        else:
            raw = hmac_sha256(self.game_secret, idempotency_key.encode())[:_ID_BYTES]
        return base64.b32encode(raw).decode().lower()

    @property
    def repeat_secret(self) -> bytes:
        """Keys the digests by which repeated requests are recognised.

        A game's id is derived from the same secret, but from printable text, which has no line feed.
        """
        return hmac_sha256(self.game_secret, b"reibach/repeat\n")

    def with_new_key(self) -> Self:
        """The same with a new signing key. The others are retired: without private parts, but still listed."""
        retired = [replace(key, private=None) for key in self.signing_keys]
        return replace(self, signing_keys=[*retired, SigningKey.new()])

    def to_json(self) -> str:
        """The form in the store or the file."""
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
        """Parse the form in the store or the file. Raises BadDeployment."""
        if text == _RESTORING:
            raise BadDeployment("a restore into this store didn't end: run `reibach restore --replace` again")
        try:
            parsed: dict[str, Any] = json.loads(text)
            keys = [
                SigningKey(
                    one["key"],
                    base64.b64decode(one["public"]),
                    base64.b64decode(one["private"]) if one["private"] else None,
                )
                for one in parsed["signing_keys"]
            ]
            game_secret = bytes.fromhex(parsed["game_secret"])
            deployment = cls(int(parsed["shards"]), parsed["token_secrets"], game_secret, keys)
            if deployment.shards < 1 or not deployment.token_secrets or len(keys[-1].private or b"") != _KEY_BYTES:
                raise ValueError("nothing to sign with")
        except (ValueError, LookupError, TypeError) as error:
            raise BadDeployment("the deployment's keys are not of the known form") from error
        return deployment


def open_deployment(client: Client, shards: int, keys_file: str) -> Deployment:
    """The deployment of this store, created if there is none. Raises BadDeployment and redis-py's errors."""
    if keys_file:
        _refuse_unfinished(client)
        return _open_file(Path(keys_file), shards)
    client.set(_PLACE, Deployment.new(shards).to_json(), nx=True)
    return Deployment.from_json(client.get(_PLACE))


def find_deployment(client: Client, keys_file: str) -> Deployment:
    """The deployment of this store. Raises BadDeployment, also if there is none yet, and redis-py's errors."""
    if keys_file:
        _refuse_unfinished(client)
        return Deployment.from_json(_read_file(Path(keys_file)))
    stored = client.get(_PLACE)
    if stored is None:
        raise BadDeployment(_NO_KEYS)
    return Deployment.from_json(stored)


def begin_restore(client: Client, keys_file: str, deployment: Deployment) -> None:
    """Let no process start on this store until `store_deployment` is called.

    Raises BadDeployment, also where the keys file is of another deployment, and redis-py's errors.
    """
    path = Path(keys_file)
    if keys_file and path.exists() and Deployment.from_json(_read_file(path)) != deployment:
        raise BadDeployment(f"the keys file {keys_file} is of another service: move it away first")
    client.set(_PLACE, _RESTORING)


def store_deployment(client: Client, keys_file: str, deployment: Deployment) -> None:
    """Keep the deployment of a backup where this service has it. Raises BadDeployment and redis-py's errors."""
    if not keys_file:
        client.set(_PLACE, deployment.to_json())
        return
    try:
        _write_draft(Path(keys_file), deployment).replace(keys_file)
    except OSError as error:
        raise BadDeployment(f"can't use the keys file {keys_file}: {error.strerror}") from error
    client.delete(_PLACE)


def rotate_signing_key(client: Client, keys_file: str) -> SigningKey:
    """Retire the key that signs receipts and return the new one. Running processes use the old key until a restart.

    Raises BadDeployment, also if there is no deployment yet, and redis-py's errors.
    """
    if keys_file:
        return _rotate_in_file(Path(keys_file))
    while True:
        stored = client.get(_PLACE)
        if stored is None:
            raise BadDeployment(_NO_KEYS)
        rotated = Deployment.from_json(stored).with_new_key()
        if client.eval(_EXCHANGE, 1, _PLACE, stored, rotated.to_json()):
            return rotated.signing_keys[-1]


def _rotate_in_file(path: Path) -> SigningKey:
    try:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # The lock is on the folder, since the file is replaced. Without it, two operators at once would lose a key.
            fcntl.flock(folder, fcntl.LOCK_EX)
            rotated = Deployment.from_json(path.read_bytes()).with_new_key()
            _write_draft(path, rotated).replace(path)
            os.fsync(folder)
        finally:
            os.close(folder)
    except OSError as error:
        raise BadDeployment(f"can't use the keys file {path}: {error.strerror}") from error
    return rotated.signing_keys[-1]


def _refuse_unfinished(client: Client | None) -> None:
    """Raise BadDeployment where a restore into the store is under way, or was interrupted."""
    if client is not None and client.get(_PLACE) == _RESTORING:
        Deployment.from_json(_RESTORING)


def _read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise BadDeployment(f"can't use the keys file {path}: {error.strerror}") from error


def _write_draft(path: Path, deployment: Deployment) -> Path:
    """Write the deployment to a new file in the folder of `path`, synced to disk and readable by its owner alone."""
    draft = path.with_name(f"{path.name}.{secrets.token_hex(4)}")
    draft.touch(mode=0o600)
    with draft.open("w", encoding="utf-8") as file:
        file.write(deployment.to_json())
        file.flush()
        os.fsync(file.fileno())
    return draft


def _open_file(path: Path, shards: int) -> Deployment:
    try:
        if not path.exists():
            # Written aside and linked into place: if two processes start at once, one creates it and both read it.
            draft = _write_draft(path, Deployment.new(shards))
            try:
                os.link(draft, path)
            except FileExistsError:
                pass
            finally:
                draft.unlink()
        return Deployment.from_json(path.read_bytes())
    except OSError as error:
        raise BadDeployment(f"can't use the keys file {path}: {error.strerror}") from error
