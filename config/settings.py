"""The only reader of the environment.

Every setting is an environment variable `REIBACH_<NAME>`; a TOML file named by `REIBACH_CONFIG` may hold the same
names in lower case without the prefix. A variable wins over the file. `config/` holds a commented example of each.
"""

import math
import os
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Final, Self, get_type_hints

_MOST_SHARDS: Final = 1024
"""Workers look through all of them four times a second."""
_WORDS: Final = {"log": ("text", "json"), "archive": ("store", "files", "off")}
_LEAST_QUIET: Final = 60
"""Seconds. A request that is sent again after a lost connection must find what it wrote before it is packed."""


class BadSetting(ValueError):
    """A setting that can't be used; the message is one line for the person who wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What the service was told. Times are in seconds."""

    redis_url: str = ""
    """The store: redis://, rediss:// or unix://. Empty: the embedded store."""
    queue_url: str = ""
    """Where the job queue lives, if not in the store (RQ can't run on a cluster)."""
    data: Path = Path("reibach-data")
    """The embedded store's folder."""
    host: str = "127.0.0.1"
    port: int = 8000
    web_processes: int = 2
    web_threads: int = 576
    """Threads of one web process. A long poll holds one while it waits, an event stream as long as it is open."""
    poll_limit: int = 512
    """Open long polls and event streams of one web process; above it 503. Less than `web_threads`, so that a POST finds
    a thread; and more than its share of what is meant, as the kernel spreads connections by chance: of 800 over two
    processes one gets more than 448 in 1 case of 1,600, and more than 512 never."""
    worker_processes: int = 1
    shards: int = 16
    """Chosen when a deployment is created, never changed after."""
    keys_file: str = ""
    """JSON file with the service's signing keys. Empty: they are kept in the store."""
    archive: str = "store"
    """Where finished games go, each as one compressed value: `store`, `files`, or `off` (they stay as they are)."""
    archive_after: float = 7 * 24 * 3600
    """How long a finished game must be quiet before it is archived."""
    archive_files: str = ""
    """Where `files` are: a folder, or s3://bucket/prefix. Empty: the folder `archive` in `data`."""
    allow_fixed_seed: bool = False
    bot_delay: float = 1.0
    rate_limit: int = 1000
    """Requests a second that one client may make; 0: no limit."""
    trusted_proxies: int = 0
    """Proxies in front whose X-Forwarded-For is believed."""
    metrics_token: str = ""
    log: str = "text"
    valkey_binary: str = ""
    """Path of another Valkey or Redis server binary for the embedded store."""

    def __post_init__(self) -> None:
        """Refuse what can't work, here rather than at the first request."""
        for name in ("web_processes", "web_threads", "poll_limit", "worker_processes", "shards"):
            if getattr(self, name) < 1:
                raise BadSetting(f"{name} must be at least 1")
        if self.poll_limit >= self.web_threads:
            raise BadSetting(
                "poll_limit must be less than web_threads, or long polls and streams could starve every other request"
            )
        if self.shards > _MOST_SHARDS:
            raise BadSetting(f"shards can't be more than {_MOST_SHARDS}")
        if not 0 <= self.port <= 65535:
            raise BadSetting("port must be between 0 and 65535")
        if self.rate_limit < 0 or self.trusted_proxies < 0:
            raise BadSetting("rate_limit and trusted_proxies can't be negative")
        if not 0 <= self.bot_delay < math.inf:
            raise BadSetting("bot_delay must be a number of seconds, 0 or more")
        for name, words in _WORDS.items():
            if getattr(self, name) not in words:
                raise BadSetting(f"{name} must be {' or '.join(map(repr, words))}")
        self._check_archive()

    def _check_archive(self) -> None:
        if not _LEAST_QUIET <= self.archive_after < math.inf:
            raise BadSetting(f"archive_after must be a number of seconds, {_LEAST_QUIET} or more")
        if "://" in self.archive_files and not self.archive_files.startswith("s3://"):
            raise BadSetting("archive_files must be a folder, or s3://bucket/prefix")

    @property
    def quiet_time(self) -> float | None:
        """Seconds of quiet before a finished game is archived; None: it never is."""
        return None if self.archive == "off" else self.archive_after

    @property
    def archive_place(self) -> str:
        """Where archives are that lie in files; also while new ones go elsewhere."""
        return self.archive_files or str(self.data / "archive")

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, **chosen: Any) -> Self:
        """Settings from `chosen` (command line), then the environment, then the file. Raises BadSetting."""
        values: dict[str, Any] = _read_file(environment.get("REIBACH_CONFIG", ""))
        known = {field.name for field in fields(cls)}
        if unknown := sorted(set(values) - known):
            raise BadSetting(f"unknown setting in the configuration file: {', '.join(unknown)}")
        values |= {name: environment[key] for name in known if (key := f"REIBACH_{name.upper()}") in environment}
        values |= {name: value for name, value in chosen.items() if value is not None}
        kinds = get_type_hints(cls)
        return cls(**{name: _convert(name, value, kinds[name]) for name, value in values.items()})

    def to_environment(self) -> dict[str, str]:
        """The same settings as variables, for the processes that `serve` starts."""
        pairs = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {f"REIBACH_{name.upper()}": str(int(v) if isinstance(v, bool) else v) for name, v in pairs}


_KINDS: Final = {int: "a whole number", float: "a number", str: "text", Path: "a path"}


def _read_file(path: str) -> dict[str, Any]:
    if not path:
        return {}
    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError) as error:  # bad TOML, or not even text
        raise BadSetting(f"can't read the configuration file {path}: {error}") from None


def _convert(name: str, value: Any, kind: type) -> Any:
    if kind is bool:
        words = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
        if str(value).lower() not in words:
            raise BadSetting(f"{name} must be 1 or 0")
        return words[str(value).lower()]
    # A file has types of its own, and those must be right; a variable is text.
    fits = {int: int, float: int | float, str: str, Path: str | Path}[kind]
    wrong = BadSetting(f"{name} must be {_KINDS[kind]}")
    if isinstance(value, bool) or not isinstance(value, fits | str):
        raise wrong
    try:
        return kind(value)
    except ValueError:
        raise wrong from None
