"""The only reader of the environment.

A setting is an environment variable `REIBACH_<NAME>`, or `<name>` in the TOML file that `REIBACH_CONFIG` names. The
variable wins over the file. `config/` holds a commented example of each.
"""

import math
import os
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, Self, get_type_hints

ANY_ORIGIN: Final = "*"
"""In `cors_origins`: pages of every origin."""
_ORIGIN: Final = re.compile(r"[a-z][a-z0-9+.-]*://[^\s/?#@,]+")
_DOMAIN: Final = re.compile(
    r"(?=.{1,180}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z][a-z0-9-]*[a-z0-9]", re.IGNORECASE
)
_SMTP: Final = re.compile(r"smtp(?:s|\+plain)?://", re.IGNORECASE)
_PUBLIC: Final = re.compile(r"https?://[^\s/?#@]+/?")
_MOST_SHARDS: Final = 1024
"""Workers read the due list of every shard four times a second."""
_CHOICES: Final = {
    "log": ("text", "json"),
    "archive": ("store", "files", "off"),
    "trusted_header": ("x-forwarded-for", "forwarded"),
    "inbox_protocol": ("smtp", "lmtp"),
}
_LEAST: Final = {
    **dict.fromkeys(("web_processes", "web_threads", "poll_limit", "worker_processes", "shards"), 1),
    **dict.fromkeys(("replicas", "client_polls", "rate_limit", "trusted_proxies", "running_bot_games"), 0),
    **dict.fromkeys(("new_games", "new_games_a_day", "copies_a_day", "new_addresses_a_day", "bot_games"), 0),
}
_LEAST_QUIET: Final = 60
"""Seconds. A retry after a lost connection must find its first attempt before the game is archived."""
_PREFIX: Final = "REIBACH_"
_FILE: Final = "REIBACH_CONFIG"
_OF_TESTS: Final = ("REIBACH_TEST_", "REIBACH_BENCH_")
"""How variables begin that tests and benchmarks read, and that no process of the service does."""


_LINK: Final = re.compile(r"\s*([^=;]{1,60}?)\s*=\s*((?:https?://|mailto:)[^\s;\"<>]{1,300})\s*")


class BadSetting(ValueError):
    """A setting has a value that can't work; the message is one line that names the setting."""


class UnreadableFile(BadSetting):
    """A file that a setting names can't be read, or not yet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings with their defaults; `reibach.env` says what each one is for. Times are in seconds."""

    redis_url: str = ""
    queue_url: str = ""
    replicas: int = 0
    data: Path = Path("reibach-data")
    host: str = "127.0.0.1"
    port: int = 8000
    web_processes: int = 2
    web_threads: int = 384
    poll_limit: int = 512
    """Most long polls, event streams and replays of one web process, each in a thread of its own; one more gets 503.

    More than an equal share, because the kernel spreads connections by chance: of 800 over two processes, one gets more
    than 448 in 1 case of 1,600, more than 512 never.
    """
    drain_seconds: float = 0.0
    client_polls: int = 64
    worker_processes: int = 1
    shards: int = 16
    keys_file: str = ""
    archive: str = "store"
    archive_after: float = 7 * 24 * 3600
    abandoned_after: float = 180 * 24 * 3600
    delete_unused_after: float = 30 * 24 * 3600
    memory_watermark: float = 0.9
    archive_files: str = ""
    allow_fixed_seed: bool = False
    bot_delay: float = 1.0
    running_bot_games: int = 1000
    rate_limit: int = 1000
    new_games: int = 60
    new_games_a_day: int = 500
    copies_a_day: int = 20_000_000
    """Bytes."""
    new_addresses_a_day: int = 20
    bot_games: int = 6
    opening_key: str = field(default="", repr=False)
    """What a client must send to open a game; empty: nothing."""
    cors_origins: str = ANY_ORIGIN
    trusted_proxies: int = 0
    trusted_header: str = "x-forwarded-for"
    """`x-forwarded-for`, or `forwarded`: that one can't be forged through a proxy that passes on `X_Forwarded_For`."""
    metrics_token: str = ""
    smtp_url: str = ""
    mail_from: str = ""
    footer_links: str = ""
    """Of every page: `Imprint=https://example.org/imprint; Privacy=https://example.org/privacy`."""
    public_url: str = ""
    """The service's address as players know it, for links in notices. Empty: that of this machine."""
    webhook_allow_private: bool = False
    reply_domain: str = ""
    inbox_port: int = 0
    inbox_host: str = "127.0.0.1"
    inbox_protocol: str = "smtp"
    log: str = "text"
    valkey_binary: str = ""

    def __post_init__(self) -> None:
        """Refuse values that can't work, at the start rather than at the first request. Raises BadSetting."""
        for name, is_sound, rule in self._check():
            if not is_sound:
                raise BadSetting(f"{_display(name)} {rule}")

    def _check(self) -> Iterator[tuple[str, bool, str]]:
        """Each rule: the setting's name, whether its value keeps the rule, and the rule in words."""
        for name, least in _LEAST.items():
            yield name, getattr(self, name) >= least, f"must be {least} or more"
        for name in ("port", "inbox_port"):
            yield name, 0 <= getattr(self, name) <= 65535, "must be between 0 and 65535"
        for name in ("bot_delay", "drain_seconds"):
            yield name, 0 <= getattr(self, name) < math.inf, "must be a number of seconds, 0 or more"
        for name, choices in _CHOICES.items():
            yield name, getattr(self, name) in choices, f"must be {' or '.join(map(repr, choices))}"
        yield "shards", self.shards <= _MOST_SHARDS, f"must be at most {_MOST_SHARDS}"
        needs_store = f"needs {_display('redis_url')}, as the embedded store has no replicas"
        yield "replicas", not self.replicas or self.redis_url != "", needs_store
        quiet = f"must be a number of seconds, {_LEAST_QUIET} or more"
        yield "archive_after", _LEAST_QUIET <= self.archive_after < math.inf, quiet
        for name in ("abandoned_after", "delete_unused_after"):
            age = getattr(self, name)
            yield name, age == 0 or _LEAST_QUIET <= age < math.inf, f"{quiet}, or 0: never"
        watermark = 0 <= self.memory_watermark < math.inf
        yield "memory_watermark", watermark, "must be a fraction, or a number of bytes; 0: none"
        is_place = "://" not in self.archive_files or self.archive_files.startswith("s3://")
        yield "archive_files", is_place, "must be a folder, or s3://bucket/prefix"
        are_origins = all(_ORIGIN.fullmatch(origin) for origin in self.allowed_origins - {ANY_ORIGIN})
        yield "cors_origins", are_origins, "must be * or origins such as https://example.org"
        yield from self._check_post()

    def _check_post(self) -> Iterator[tuple[str, bool, str]]:
        is_server = not self.smtp_url or _SMTP.match(self.smtp_url) is not None
        yield "smtp_url", is_server, "must begin with smtps://, smtp:// or smtp+plain://"
        has_sender = self.mail_from != "" and self.public_url != ""
        yield "smtp_url", not self.smtp_url or has_sender, f"needs {_display('mail_from')} and {_display('public_url')}"
        is_address = not self.public_url or _PUBLIC.fullmatch(self.public_url) is not None
        yield "public_url", is_address, "must be an address without a path, such as https://example.org"
        are_links = not self.footer_links or all(map(_LINK.fullmatch, self.footer_links.split(";")))
        yield "footer_links", are_links, "must be such as Imprint=https://example.org/imprint; Mail=mailto:a@b.org"
        is_ascii = self.opening_key.isascii() and self.opening_key.isprintable()
        yield "opening_key", is_ascii, "must be printable ASCII characters"
        is_domain = not self.reply_domain or _DOMAIN.fullmatch(self.reply_domain) is not None
        yield "reply_domain", is_domain, "must be a domain such as play.example.org"
        is_answered = self.reply_domain != "" and self.smtp_url != ""
        needs = f"needs {_display('reply_domain')} and {_display('smtp_url')}"
        yield "inbox_port", not self.inbox_port or is_answered, needs

    @property
    def public_base(self) -> str:
        """Where the service's pages are, without a slash at the end."""
        return self.public_url.rstrip("/") or f"http://{self.host}:{self.port}"

    @property
    def footer(self) -> list[tuple[str, str]]:
        """Texts and addresses of `footer_links`."""
        return [(match[1], match[2]) for match in map(_LINK.fullmatch, self.footer_links.split(";")) if match]

    @property
    def allowed_origins(self) -> frozenset[str]:
        return frozenset(self.cors_origins.split())

    @property
    def archive_place(self) -> str:
        """Place of the archives in files, also while new ones go to the store."""
        return self.archive_files or str(self.data / "archive")

    @classmethod
    def read(cls, environment: Mapping[str, str] = os.environ, **options: Any) -> Self:
        """Settings by `options` (None: not given), the environment, the file, in this order. Raises BadSetting."""
        file = _read_file(environment.get(_FILE, ""))
        known = {field.name for field in fields(cls)}
        _refuse_unknown(f"setting in the file of {_FILE}", file, known)
        variables = {name for name in environment if name.startswith(_PREFIX) and not name.startswith(_OF_TESTS)}
        _refuse_unknown("setting", variables - {_FILE}, {_variable(name) for name in known})
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
    except OSError as error:
        raise UnreadableFile(f"can't read the file of REIBACH_CONFIG, {path}: {error.strerror}") from None
    except ValueError as error:  # bad TOML, or not even text
        raise BadSetting(f"can't read the file of REIBACH_CONFIG, {path}: {error}") from None


_QUOTED: Final = re.compile(r"""'([^']*)'|"((?:[^"\\]|\\.)*)"|((?!["'])(?:[^\\]|\\.)*)""")


def read_environment_file(path: Path) -> dict[str, str]:
    """The variables of a file as systemd reads it for `EnvironmentFile=`. Raises BadSetting, without a value."""
    try:
        lines = path.read_text("utf-8").replace("\\\n", "").splitlines()
    except OSError as error:
        raise UnreadableFile(f"can't read the settings in {path}: {error.strerror}") from None
    except ValueError as error:
        raise BadSetting(f"can't read the settings in {path}: {error}") from None
    variables = {}
    for line in (line.strip() for line in lines):
        if not line or line[0] in "#;":
            continue
        name, sign, value = line.partition("=")
        quoted = _QUOTED.fullmatch(value.strip())
        if not (sign and name.isidentifier() and quoted):
            raise BadSetting(f"{path} has a line that isn't NAME=value: it begins with {name[:20]!r}")
        single, double, bare = quoted.groups()
        if double is not None:
            variables[name] = re.sub(r'\\(["\\$`])', r"\1", double)
        else:
            variables[name] = single if single is not None else re.sub(r"\\(.)", r"\1", bare)
    return variables


def _refuse_unknown(what: str, names: Collection[str], known: Collection[str]) -> None:
    """Raise BadSetting for the first name that isn't known, with the known one that is most like it."""
    for name in sorted(set(names) - set(known)):
        from difflib import get_close_matches

        bare = {name.removeprefix(_PREFIX): name for name in known}  # the prefix would make all names alike
        near = get_close_matches(name.removeprefix(_PREFIX), sorted(bare), 1)
        hint = f"did you mean {bare[near[0]]}?" if near else "config/reibach.env lists all"
        raise BadSetting(f"unknown {what}: {name}; {hint}")


def _variable(name: str) -> str:
    return f"{_PREFIX}{name.upper()}"


def _display(name: str) -> str:
    """The setting's name as a variable, and in the file."""
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
