"""The only reader of the environment.

A setting is an environment variable `REIBACH_<NAME>`, or `<name>` in the TOML file that `REIBACH_CONFIG` names. The
variable wins over the file. `config/` holds a commented example of each.
"""

import math
import os
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, Self, get_type_hints

ANY_ORIGIN: Final = "*"
"""In `cors_origins`: pages of every origin."""
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@,]+")
_DOMAIN: Final = re.compile(
    r"(?=.{1,180}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.IGNORECASE
)
_SMTP: Final = re.compile(r"smtp(?:s|\+plain)?://", re.IGNORECASE)
_PUBLIC: Final = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_MOST_SHARDS: Final = 1024
"""Workers read the due list of every shard four times a second."""
_CHOICES: Final = {
    "log": ("text", "json"),
    "archive": ("store", "files", "off"),
    "trusted_header": ("x-forwarded-for", "forwarded"),
    "inbox_protocol": ("smtp", "lmtp"),
}
_LEAST: Final = {
    "web_processes": 1,
    "web_threads": 1,
    "poll_limit": 1,
    "worker_processes": 1,
    "replicas": 0,
    "shards": 1,
    "client_polls": 0,
    "rate_limit": 0,
    "running_bot_games": 0,
    "new_games": 0,
    "bot_games": 0,
    "trusted_proxies": 0,
}
_LEAST_QUIET: Final = 60
"""Seconds. A retry after a lost connection must find its first attempt before the game is archived."""
_PREFIX: Final = "REIBACH_"
_FILE: Final = "REIBACH_CONFIG"
_OF_TESTS: Final = ("REIBACH_TEST_", "REIBACH_BENCH_")
"""How variables begin that tests and benchmarks read, and that no process of the service does."""


class BadSetting(ValueError):
    """A setting has a value that can't work; the message is one line that names the setting."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings with their defaults. Times are in seconds."""

    redis_url: str = ""
    """URL of the store: redis://, rediss:// or unix://, nodes of a cluster separated by commas, or redis+sentinel://.

    Empty: the embedded store.
    """
    queue_url: str = ""
    """URL of the job queue's server, or its redis+sentinel://. Empty: the store. RQ can't run on a cluster."""
    replicas: int = 0
    """Replicas of the store that must have an event on disk before it is acknowledged."""
    data: Path = Path("reibach-data")
    """The embedded store's folder."""
    host: str = "127.0.0.1"
    port: int = 8000
    web_processes: int = 2
    web_threads: int = 384
    """Threads of one web process for requests that don't wait."""
    poll_limit: int = 512
    """Most long polls, event streams and replays of one web process, each in a thread of its own; one more gets 503.

    More than an equal share, because the kernel spreads connections by chance: of 800 over two processes, one gets more
    than 448 in 1 case of 1,600, more than 512 never.
    """
    drain_seconds: float = 0.0
    """How long web processes go on answering after SIGTERM, while `/readyz` says that they are draining."""
    client_polls: int = 64
    """Most long polls, event streams and replays of one client, on all web processes of a machine; 0: no limit."""
    worker_processes: int = 1
    shards: int = 16
    """Parts of the store. Fixed when a deployment is created; a later change has no effect."""
    keys_file: str = ""
    """JSON file with the secrets for tokens and receipts. Empty: they are kept in the store."""
    archive: str = "store"
    """Where finished games go, each as one compressed value: `store`, `files`, or `off` (they are not archived)."""
    archive_after: float = 7 * 24 * 3600
    """Age of a finished game's last event at which it is archived."""
    abandoned_after: float = 180 * 24 * 3600
    """Age of a running game's last event at which it is archived, in the store; it can be played on. 0: never."""
    delete_unused_after: float = 30 * 24 * 3600
    """Age of the last event at which an open game, or a fork in which no person has acted, is deleted. 0: never."""
    memory_watermark: float = 0.9
    """Memory of the store above which no new game is opened: up to 1 a fraction of its limit, above 1 bytes; 0: none.

    The limit is its `maxmemory`, or the memory of its machine.
    """
    archive_files: str = ""
    """Place of archives in files: a folder, or s3://bucket/prefix. Empty: the folder `archive` in `data`."""
    allow_fixed_seed: bool = False
    """Whether a client may choose a game's server seed: for tests only."""
    bot_delay: float = 1.0
    """How long after the start of its turn a bot plays."""
    running_bot_games: int = 1000
    """Most running games without a named or open seat, which only bots play, in the whole deployment; 0: no limit."""
    rate_limit: int = 1000
    """Requests a second that one client may make; 0: no limit, and none of the other limits of a client either."""
    new_games: int = 60
    """New games a minute that one client may open, or at once; 0: no limit."""
    bot_games: int = 6
    """Of these, games between bots only, which play themselves to the end; 0: no limit."""
    cors_origins: str = ANY_ORIGIN
    """Origins, separated by spaces, whose pages may use /v1 in a browser. `*`: all of them; empty: none."""
    trusted_proxies: int = 0
    """Number of proxies in front that are trusted to say, in `trusted_header`, where a request comes from."""
    trusted_header: str = "x-forwarded-for"
    """`x-forwarded-for`, or `forwarded`: that one can't be forged through a proxy that passes on `X_Forwarded_For`."""
    metrics_token: str = ""
    """Bearer token for /metrics. Empty: only loopback may read them."""
    smtp_url: str = ""
    """Mail server: smtps://user:password@host, or smtp:// for STARTTLS. Empty: no mail is sent."""
    mail_from: str = ""
    """Sender of mails: an address, or `A name <address>`."""
    public_url: str = ""
    """The service's address as players know it, for links in notices. Empty: that of this machine."""
    webhook_allow_private: bool = False
    """Whether webhooks may use http, any port and private addresses: for tests, and for trusted players only."""
    reply_domain: str = ""
    """Domain of the addresses by which players play by mail. Empty: mails can't be answered."""
    inbox_port: int = 0
    """Port on which mails to these addresses are taken; 0: none."""
    inbox_host: str = "127.0.0.1"
    inbox_protocol: str = "smtp"
    """What is spoken there: `smtp` or `lmtp`."""
    log: str = "text"
    """Form of the log lines: `text` or `json`."""
    valkey_binary: str = ""
    """Path of another Valkey or Redis server binary for the embedded store."""

    def __post_init__(self) -> None:
        """Refuse values that can't work, at the start rather than at the first request. Raises BadSetting."""
        for name, least in _LEAST.items():
            if getattr(self, name) < least:
                raise BadSetting(f"{_display(name)} must be {least} or more")
        if not 0 <= self.port <= 65535:
            raise BadSetting(f"{_display('port')} must be between 0 and 65535")
        for name in ("bot_delay", "drain_seconds"):
            if not 0 <= getattr(self, name) < math.inf:
                raise BadSetting(f"{_display(name)} must be a number of seconds, 0 or more")
        for name, choices in _CHOICES.items():
            if getattr(self, name) not in choices:
                raise BadSetting(f"{_display(name)} must be {' or '.join(map(repr, choices))}")
        self._check_store()
        self._check_archive()
        self._check_origins()
        self._check_post()
        self._check_inbox()

    def _check_store(self) -> None:
        if self.shards > _MOST_SHARDS:
            raise BadSetting(f"{_display('shards')} must be at most {_MOST_SHARDS}")
        if self.replicas and not self.redis_url:
            names = f"{_display('replicas')} needs {_display('redis_url')}"
            raise BadSetting(f"{names}, as the embedded store has no replicas")

    def _check_archive(self) -> None:
        if not _LEAST_QUIET <= self.archive_after < math.inf:
            raise BadSetting(f"{_display('archive_after')} must be a number of seconds, {_LEAST_QUIET} or more")
        for name in ("abandoned_after", "delete_unused_after"):
            if not (getattr(self, name) == 0 or _LEAST_QUIET <= getattr(self, name) < math.inf):
                raise BadSetting(f"{_display(name)} must be a number of seconds, {_LEAST_QUIET} or more, or 0: never")
        if not 0 <= self.memory_watermark < math.inf:
            raise BadSetting(f"{_display('memory_watermark')} must be a fraction, or a number of bytes; 0: none")
        if "://" in self.archive_files and not self.archive_files.startswith("s3://"):
            raise BadSetting(f"{_display('archive_files')} must be a folder, or s3://bucket/prefix")

    def _check_origins(self) -> None:
        for origin in self.allowed_origins - {ANY_ORIGIN}:
            if not _ORIGIN.fullmatch(origin):
                raise BadSetting(f"{_display('cors_origins')} must be * or origins such as https://example.org")

    def _check_inbox(self) -> None:
        if not 0 <= self.inbox_port <= 65535:
            raise BadSetting(f"{_display('inbox_port')} must be between 0 and 65535")
        if self.reply_domain and not _DOMAIN.fullmatch(self.reply_domain):
            raise BadSetting(f"{_display('reply_domain')} must be a domain such as play.example.org")
        if self.inbox_port and not (self.reply_domain and self.smtp_url):
            raise BadSetting(f"{_display('inbox_port')} needs {_display('reply_domain')} and {_display('smtp_url')}")

    def _check_post(self) -> None:
        if self.smtp_url and not _SMTP.match(self.smtp_url):
            raise BadSetting(f"{_display('smtp_url')} must begin with smtps://, smtp:// or smtp+plain://")
        if self.smtp_url and not (self.mail_from and self.public_url):
            names = f"{_display('mail_from')} and {_display('public_url')}"
            raise BadSetting(f"{_display('smtp_url')} needs {names}")
        if self.public_url and not _PUBLIC.fullmatch(self.public_url):
            raise BadSetting(f"{_display('public_url')} must be an address such as https://example.org")

    @property
    def public_base(self) -> str:
        """Where the service's pages are, without a slash at the end."""
        return self.public_url.rstrip("/") or f"http://{self.host}:{self.port}"

    @property
    def allowed_origins(self) -> frozenset[str]:
        """The origins of `cors_origins`."""
        return frozenset(self.cors_origins.split())

    @property
    def quiet_time(self) -> float | None:
        """Age in seconds of its last event at which a finished game is archived; None: never."""
        return None if self.archive == "off" else self.archive_after

    @property
    def abandoned_time(self) -> float | None:
        """Age in seconds of its last event at which a running game is archived; None: never."""
        return None if self.archive == "off" else self.abandoned_after or None

    @property
    def unused_time(self) -> float | None:
        """Age in seconds of its last event at which an unused game is deleted; None: never."""
        return self.delete_unused_after or None

    @property
    def archive_place(self) -> str:
        """Place of the archives in files, also while new ones go to the store."""
        return self.archive_files or str(self.data / "archive")

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, **options: Any) -> Self:
        """Settings from the command line's `options` (None: not given), the environment, the file, in this order.

        Raises BadSetting, also for a value that another one overrides.
        """
        file = _read_file(environment.get(_FILE, ""))
        known = {field.name for field in fields(cls)}
        _refuse_unknown(f"setting in the file of {_FILE}", file, known)
        variables = {name for name in environment if name.startswith(_PREFIX) and not name.startswith(_OF_TESTS)}
        _refuse_unknown("variable", variables - {_FILE}, {_variable(name) for name in known})
        kinds = get_type_hints(cls)
        values = {name: _convert(name, value, kinds[name]) for name, value in file.items()}
        for name in sorted(known):
            if (key := _variable(name)) in environment:
                values[name] = _convert(name, environment[key], kinds[name])
        given = {name: _convert(name, value, kinds[name]) for name, value in options.items() if value is not None}
        return replace(cls(**values), **given)

    def to_environment(self) -> dict[str, str]:
        """The same settings as variables, for the processes that `serve` starts."""
        pairs = ((field.name, getattr(self, field.name)) for field in fields(self))
        return {_variable(name): str(int(v) if isinstance(v, bool) else v) for name, v in pairs}


_KINDS: Final = {int: "a whole number", float: "a number", str: "text", Path: "a path"}


def _read_file(path: str) -> dict[str, Any]:
    if not path:
        return {}
    import tomllib  # here, as below: `reibach --help` needs neither

    try:
        with Path(path).open("rb") as file:
            return tomllib.load(file)
    except (OSError, ValueError) as error:  # bad TOML, or not even text
        raise BadSetting(f"can't read the file of REIBACH_CONFIG, {path}: {error}") from None


def _refuse_unknown(what: str, names: Collection[str], known: Collection[str]) -> None:
    """Raise BadSetting for the first name that isn't known, with the known one that is most like it."""
    for name in sorted(set(names) - set(known)):
        from difflib import get_close_matches

        bare = {one.removeprefix(_PREFIX): one for one in known}  # the prefix would make all names alike
        near = get_close_matches(name.removeprefix(_PREFIX), sorted(bare), 1)
        raise BadSetting(f"unknown {what}: {name}" + (f"; did you mean {bare[near[0]]}?" if near else ""))


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _display(name: str) -> str:
    """The setting's name as a variable, and as it stands in the file."""
    return f"{_variable(name)} ({name})"


def _convert(name: str, value: Any, kind: type) -> Any:
    if kind is bool:
        booleans = {"1": True, "true": True, "yes": True, "0": False, "false": False, "no": False, "": False}
        if str(value).lower() not in booleans:
            raise BadSetting(f"{_display(name)} must be 1 or 0")
        return booleans[str(value).lower()]
    # A TOML value has a type, which must fit; a variable is text.
    fits = {int: int, float: int | float, str: str, Path: str | Path}[kind]
    wrong = BadSetting(f"{_display(name)} must be {_KINDS[kind]}")
    if isinstance(value, bool) or not isinstance(value, fits | str):
        raise wrong
    try:
        return kind(value)
    except ValueError:
        raise wrong from None
