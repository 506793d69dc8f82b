"""The secrets of a deployment, and its number of shards.

The first process that finds none creates them, in the store, or in the file that `REIBACH_KEYS_FILE` names, which keeps
secrets apart from the data. They are enough to issue seat tokens and to sign receipts.
By what follows from them a process recognises the store of its deployment. An emptied store looks like a new one,
unless the file says that a store was used with it, or the process that started this one knows it.
"""

import base64
import fcntl
import json
import os
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, Self, TypeAlias

import nacl.signing
import structlog

from domain.fairness.canonical import hmac_sha256
from service.connections.scripts import Script, call_each

logger = structlog.get_logger("service.signing")

Client: TypeAlias = Any  # redis.Redis, RedisCluster or fakeredis: redis-py's own types can't tell sync from async
_PLACE = "reibach:deployment"
_IDENTITY_PLACE = "reibach:store"
"""Where the store holds the identity of a deployment whose secrets are in a file."""
_RESTORING = b"restoring"
"""In the place of the deployment while a backup is restored."""
_KEY_BYTES = 32
_ID_BYTES = 15
_EXCHANGE = Script.load("replace.lua", room="service.signing")


class BadDeployment(Exception):
    """The deployment's secrets can't be read. The message is one line and holds none of them."""


class KeysUnreadable(BadDeployment):
    """The keys file can't be read, or not yet."""


class WrongStore(BadDeployment):
    """The store isn't this deployment's: it has been emptied, or is another deployment's."""


@dataclass(frozen=True, slots=True)
class SigningKey:
    id: str
    public: bytes
    """32 bytes; listed forever, even when the key is retired."""
    private: bytes | None = field(repr=False)
    """32 bytes; None once the key is retired."""

    @classmethod
    def new(cls) -> Self:
        private = nacl.signing.SigningKey.generate()
        public = bytes(private.verify_key)
        return cls(sha256(public).hexdigest()[:16], public, bytes(private))


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
    has_store: bool = field(default=False, compare=False)
    """Of a file: whether a store has been used with it. That store holds the deployment's identity."""

    @property
    def identity(self) -> str:
        """32 hex digits that stay, also when keys are rotated, and tell nothing of the secrets."""
        return hmac_sha256(self.game_secret, b"reibach/store\n")[:16].hex()

    @classmethod
    def new(cls, shards: int) -> Self:
        return cls(shards, [secrets.token_hex(32)], secrets.token_bytes(32), [SigningKey.new()])

    def new_game_id(self, idempotency_key: str | None) -> str:
        """120 bits in base32, all that a spectator needs: by chance, or by the key, so that a repeat finds the game."""
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

    @property
    def push_secret(self) -> bytes:
        """Derives the key of Web Push, which devices have subscribed for: it stays as long as the deployment."""
        return hmac_sha256(self.game_secret, b"reibach/push\n")

    def with_new_key(self) -> Self:
        """The same with a new signing key. The others are retired: without private parts, but still listed."""
        retired = [replace(key, private=None) for key in self.signing_keys]
        return replace(self, signing_keys=[*retired, SigningKey.new()])

    def to_json(self) -> str:
        content = {
            "shards": self.shards,
            "token_secrets": self.token_secrets,
            "game_secret": self.game_secret.hex(),
            "has_store": self.has_store,
            "signing_keys": [
                {
                    "key": key.id,
                    "public": base64.b64encode(key.public).decode(),
                    "private": base64.b64encode(key.private).decode() if key.private else None,
                }
                for key in self.signing_keys
            ],
        }
        return json.dumps(content | {"check": _check_of(content)})

    @classmethod
    def from_json(cls, text: str | bytes) -> Self:
        """Parse the form in the store or the file. Raises BadDeployment."""
        if text == _RESTORING:
            raise BadDeployment("a restore into this store didn't end: run `reibach restore --replace` again")
        try:
            parsed: dict[str, Any] = json.loads(text)
            if parsed["check"] != _check_of({name: value for name, value in parsed.items() if name != "check"}):
                raise BadDeployment("the deployment's keys are damaged: restore them from a backup")
            keys = [
                SigningKey(
                    key["key"],
                    base64.b64decode(key["public"]),
                    base64.b64decode(key["private"]) if key["private"] else None,
                )
                for key in parsed["signing_keys"]
            ]
            game_secret = bytes.fromhex(parsed["game_secret"])
            has_store = parsed.get("has_store") is True
            deployment = cls(int(parsed["shards"]), parsed["token_secrets"], game_secret, keys, has_store)
            if deployment.shards < 1 or not deployment.token_secrets or len(keys[-1].private or b"") != _KEY_BYTES:
                raise ValueError("nothing to sign with")
        except (ValueError, LookupError, TypeError) as error:
            raise BadDeployment("the deployment's keys are not of the known form") from error
        return deployment


def _check_of(content: dict[str, Any]) -> str:
    """A checksum: with another number of shards few games would be found, with other secrets no token be valid."""
    return sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:16]


def open_deployment(client: Client, shards: int, keys_file: str, known: str = "") -> Deployment:
    """The deployment of this store, created if there is none. Raises WrongStore, BadDeployment and redis-py's errors.

    `client`: None opens the file alone. `known`: the identity that the store must have; empty: any.
    """
    if keys_file:
        _refuse_unfinished(client)
        # First: the process that makes the file claims the store afterwards.
        is_claimed = client is not None and client.exists(_IDENTITY_PLACE)
        if is_claimed and not Path(keys_file).exists():  # on a disk that comes late, for example
            raise KeysUnreadable(f"the keys file {keys_file} is missing, and this store was made with one")
        deployment = _open_file(Path(keys_file), shards)
        if client is not None:
            _claim_store(client, Path(keys_file), deployment)
        return deployment
    if known and identity_in(client.get(_PLACE), keys_file) != known:
        raise WrongStore("the store is empty, or another one than before: see `reibach accept-store`")
    if not client.exists(_PLACE):  # a process also starts where its store is full, and reads
        _refuse_without_file(client)
        client.set(_PLACE, Deployment.new(shards).to_json(), nx=True)
    return Deployment.from_json(client.get(_PLACE))


def check_keys_file(keys_file: str) -> None:
    """Read it, unless it is to be made: a missing one can be, where its folder is there. Raises BadDeployment."""
    path = Path(keys_file)
    if path.exists() or not path.parent.is_dir():
        Deployment.from_json(_read_file(path))


def identity_place(keys_file: str) -> str:
    """The key in the store by which it is recognised."""
    return _IDENTITY_PLACE if keys_file else _PLACE


def identity_in(value: bytes | None, keys_file: str) -> str:
    """The identity of the deployment whose store has this value at `identity_place`; empty where it has none."""
    if value is None or keys_file:
        return (value or b"").decode(errors="replace")
    try:
        return Deployment.from_json(value).identity
    except BadDeployment:
        return ""


def accept_store(client: Client, shards: int, keys_file: str) -> Deployment:
    """Let this store be the deployment's from now on, whatever it holds. Raises BadDeployment and redis-py's errors."""
    if keys_file:
        client.set(_IDENTITY_PLACE, _open_file(Path(keys_file), shards).identity)
    else:
        client.delete(_IDENTITY_PLACE)
    return open_deployment(client, shards, keys_file)


def _claim_store(client: Client, path: Path, deployment: Deployment) -> None:
    """Put the deployment's identity into a store without one, if no store was used with this file yet.

    Raises WrongStore where one was, and where the store has another identity.
    """
    if not deployment.has_store:
        client.set(_IDENTITY_PLACE, deployment.identity, nx=True)
    stored = identity_in(client.get(_IDENTITY_PLACE), str(path))
    if stored != deployment.identity:
        what = "belongs to another deployment" if stored else "is empty, or another one than before"
        raise WrongStore(
            f"the store {what}, by the keys file {path}: name the right one, or use it by `reibach accept-store`"
        )
    if not deployment.has_store:
        try:
            _change_file(path, lambda present: replace(present, has_store=True))
        except BadDeployment as error:  # the service is no worse for it than without a keys file
            logger.warning("an emptied store would be taken for a new one", reason=str(error))


def find_deployment(client: Client, keys_file: str) -> Deployment:
    """The deployment of this store. Raises BadDeployment, also if there is none yet, and redis-py's errors."""
    if keys_file:
        _refuse_unfinished(client)
        return Deployment.from_json(_read_file(Path(keys_file)))
    return Deployment.from_json(_read_stored(client))


def _read_stored(client: Client) -> bytes:
    stored: bytes | None = client.get(_PLACE)
    if stored is None:
        _refuse_without_file(client)
        raise BadDeployment("this store has no keys yet")
    return stored


def _refuse_without_file(client: Client) -> None:
    """Raise BadDeployment where a store without secrets was made with a file of them."""
    if client.exists(_IDENTITY_PLACE):
        raise BadDeployment("REIBACH_KEYS_FILE isn't set, and this store was made with one: name it, or use --settings")


def begin_restore(client: Client, keys_file: str, deployment: Deployment) -> bytes:
    """Let no process start here until `store_deployment`; the key that says so.

    Raises BadDeployment where the keys file is another's.
    """
    path = Path(keys_file)
    if keys_file and path.exists() and Deployment.from_json(_read_file(path)) != deployment:
        raise BadDeployment(f"the keys file {keys_file} is of another service: move it away first")
    client.set(_PLACE, _RESTORING)
    return _PLACE.encode()


def store_deployment(client: Client, keys_file: str, deployment: Deployment) -> None:
    """Keep the deployment of a backup where this service has it. Raises BadDeployment and redis-py's errors."""
    if not keys_file:
        client.set(_PLACE, deployment.to_json())
        return
    with _using_file(keys_file):
        _write_draft(Path(keys_file), deployment).replace(keys_file)
    client.set(_IDENTITY_PLACE, deployment.identity)  # a file with `has_store` accepts no store without it
    client.delete(_PLACE)


def rotate_signing_key(client: Client, keys_file: str) -> SigningKey:
    """Retire the signing key and return the new one; running processes use the old one. Raises BadDeployment."""
    if keys_file:
        return _change_file(Path(keys_file), Deployment.with_new_key).signing_keys[-1]
    while True:
        stored = _read_stored(client)
        rotated = Deployment.from_json(stored).with_new_key()
        if call_each(client, (_EXCHANGE, [_PLACE], stored, rotated.to_json())) == [1]:
            return rotated.signing_keys[-1]


def _change_file(path: Path, change: Callable[[Deployment], Deployment]) -> Deployment:
    """Replace the file's deployment by a changed one, which is returned. Raises BadDeployment."""
    with _using_file(path):
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            # The lock is on the folder, since the file is replaced. Without it, two operators at once would lose a key.
            fcntl.flock(folder, fcntl.LOCK_EX)
            changed = change(Deployment.from_json(path.read_bytes()))
            _write_draft(path, changed).replace(path)
            os.fsync(folder)
        finally:
            os.close(folder)
    return changed


def _refuse_unfinished(client: Client | None) -> None:
    """Raise BadDeployment where a restore into the store is under way, or was interrupted."""
    if client is not None and client.get(_PLACE) == _RESTORING:
        Deployment.from_json(_RESTORING)


def _read_file(path: Path) -> bytes:
    with _using_file(path):
        return path.read_bytes()


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
    with _using_file(path):
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


@contextmanager
def _using_file(path: Path | str) -> Iterator[None]:
    """Raise KeysUnreadable in place of OSError."""
    try:
        yield
    except OSError as error:
        raise KeysUnreadable(f"can't use the keys file {path}: {error.strerror}") from error
