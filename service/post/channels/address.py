"""Whether a webhook's URL may be called, and at which addresses (SSRF).

A player names the URL, and the service calls it from inside its network: without this check a player could reach what
only that network can. The check holds for the addresses that it returns, so the connection must go to one of them.
"""

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from pathlib import Path
from queue import Empty, Queue
from threading import BoundedSemaphore, Thread
from typing import Any, Final
from urllib.parse import urlsplit

MAX_URL: Final = 2000
"""Characters."""
PORTS: Final = (443, 4443, 8123, 8443, 9443)
"""Those that HTTPS servers use; a notice must not reach a database that happens to be public."""
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}
_PRINTABLE: Final = re.compile(r"[!-\[\]-~]+")
"""ASCII without spaces, control characters and the backslash, which programs read in different ways."""
_HOST: Final = re.compile(
    r"(?=.{1,253}$)[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?(?:\.[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?)*"
)
_NUMBER: Final = re.compile(r"(?:.*\.)?(?:[0-9]+|0x[0-9a-f]*)")
"""A host that some resolvers read as an IPv4 address: `127.1`, `2130706433`, `0x7f.1`, `0177.0.0.1`."""
_PORT: Final = re.compile(r"(?::[0-9]{0,5})?")
_LOOK_UPS: Final = BoundedSemaphore(64)
"""A look-up can't be interrupted; it holds a thread for as long as the system's resolver tries, about 30 s."""

_SPECIAL: Final = tuple(
    ip_network(line.split()[0]) for line in Path(__file__).with_name("networks.txt").read_text().splitlines()
)
"""Networks that aren't for everyone, or lead into one that isn't."""
_GLOBAL_V6: Final = ip_network("2000::/3")
"""All else is loopback, mapped IPv4, unique local, link-local, multicast, or not assigned."""
_NAT64: Final = ip_network("64:ff9b::/96")
"""In a network without IPv4 the resolver gives these for public IPv4 addresses: the one inside is checked."""


class AddressRefused(ValueError):
    """The URL may not be called. Its text is a sentence for the player, without any resolved address."""

    def __init__(self, case: str, text: str, **values: int | Sequence[int]) -> None:
        """`case` says which sentence it is, for other languages; `values` fill it."""
        super().__init__(text)
        self.case = case
        self.values = values


@dataclass(frozen=True, slots=True)
class CheckedAddress:
    """An address that was checked, as `socket.connect` takes it."""

    family: int
    sockaddr: tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Target:
    """A webhook's URL, taken apart."""

    scheme: str
    """`https` or `http`."""
    host: str
    """In lower case; an IPv6 address without brackets."""
    port: int
    path: str = field(repr=False)
    """With the query; begins with a slash. Of a chat service it is a secret."""
    addresses: tuple[CheckedAddress, ...] = ()
    """Those that may be called, and no others, in the resolver's order, each once; none before they are checked."""

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"


@dataclass(frozen=True, slots=True, kw_only=True)
class AddressCheck:
    resolve_host: Callable[[str, int], Sequence[Any]]
    """As socket.getaddrinfo, which raises OSError."""
    allow_private: bool = False
    """http, any port and any address are allowed."""
    look_ups: BoundedSemaphore = _LOOK_UPS
    """How many names may be resolved at a time: in the process, unless a caller has a limit of its own."""

    def check(self, url: str, seconds: float) -> Target:
        """Where a request to `url` may go.

        Raises AddressRefused: also if the name can't be resolved in `seconds`. The sentence is the same for a name
        that doesn't exist and one that only the service's network knows, so no player can probe for those.
        """
        target = self.parse(url)
        addresses = self._resolve(target, seconds)
        if not addresses or not (self.allow_private or all(_is_public(address.sockaddr[0]) for address in addresses)):
            raise AddressRefused("private", "The host of the URL must have public addresses, and no others.")
        return replace(target, addresses=addresses)

    def parse(self, url: str) -> Target:
        """The parts of `url`, without asking the resolver. Raises AddressRefused."""
        if len(url) > MAX_URL or not _PRINTABLE.fullmatch(url):
            text = f"The URL must have at most {MAX_URL} characters, all of ASCII, without spaces."
            raise AddressRefused("characters", text, high=MAX_URL)
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError:
            raise AddressRefused("malformed", "The URL has no valid host and port.") from None
        if parts.scheme != "https" and not (self.allow_private and parts.scheme == "http"):
            raise AddressRefused("scheme", "The URL must begin with https://.")
        if "@" in parts.netloc:
            raise AddressRefused("user", "The URL must not hold a user name or password.")
        host = parts.hostname or ""
        if not _is_host(host) or not _is_authority(parts.netloc.lower(), host):
            raise AddressRefused("host", "The URL's host must be a name or an address in its usual form.")
        port = _DEFAULT_PORTS[parts.scheme] if port is None else port
        if (port not in PORTS and not self.allow_private) or port == 0:
            text = f"The URL's port must be one of {', '.join(map(str, PORTS))}."
            raise AddressRefused("port", text, choices=PORTS)
        path = parts.path or "/"
        return Target(parts.scheme, host, port, f"{path}?{parts.query}" if parts.query else path)

    def _resolve(self, target: Target, seconds: float) -> tuple[CheckedAddress, ...]:
        """Each address once; none if the resolver knows none or is too slow."""
        replies: Queue[Sequence[Any]] = Queue()

        def look_up() -> None:
            try:
                replies.put(self.resolve_host(target.host, target.port))
            except (OSError, UnicodeError):
                replies.put(())
            finally:
                self.look_ups.release()

        until = time.monotonic() + seconds
        if not self.look_ups.acquire(timeout=max(seconds, 0)):
            return ()
        try:
            Thread(target=look_up, name="look-up", daemon=True).start()
        except RuntimeError:  # no thread can be started
            self.look_ups.release()
            return ()
        try:
            entries = replies.get(timeout=max(until - time.monotonic(), 0))
        except Empty:
            return ()
        return tuple(dict.fromkeys(CheckedAddress(entry[0], tuple(entry[4])) for entry in entries))


def _is_host(host: str) -> bool:
    """Whether the host is a name, or an address that all programs read in the same way."""
    try:
        return "%" not in str(ip_address(host))
    except ValueError:
        return bool(_HOST.fullmatch(host)) and not _NUMBER.fullmatch(host)


def _is_authority(netloc: str, host: str) -> bool:
    """Whether there is nothing but the host and a port, so that no program reads another host there."""
    begin = f"[{host}]" if ":" in host else host
    return netloc.startswith(begin) and _PORT.fullmatch(netloc.removeprefix(begin)) is not None


def _is_public(text: str) -> bool:
    """Whether the address can be reached from anywhere, and so isn't reached through the service's network alone."""
    try:
        address = ip_address(text)
    except ValueError:
        return False
    if isinstance(address, IPv6Address) and address in _NAT64:
        address = IPv4Address(int(address) & 0xFFFFFFFF)
    if isinstance(address, IPv6Address) and address not in _GLOBAL_V6:
        return False
    # The table holds on every Python; `is_global` adds what later releases of Python learn.
    return address.is_global and not any(address in network for network in _SPECIAL)
