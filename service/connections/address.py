"""The address of a store or a queue, as a setting names it.

- `redis://user:password@host:port/db`: one server; `rediss://` with TLS; `unix:///path`
- `redis://a:6379,redis://b:6379`: several nodes of one cluster, any of which may be away
- `redis+sentinel://user:password@a:26379,b:26379/name/db`: the primary of that name, which these Sentinels know
"""

import re
import ssl
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import unquote, urlsplit

from redis.connection import SSLConnection, parse_url

_NEXT: Final = re.compile(r",(?=[a-z+]+://)")
_SENTINEL: Final = re.compile(r"(rediss?)\+sentinel(://.*)", re.DOTALL)
_SENTINEL_PORT: Final = 26379
_OF_SENTINELS: Final = "sentinel_"
"""How query parameters begin that concern the Sentinels themselves: `sentinel_username`, `sentinel_password`."""


class BadAddress(ValueError):
    """An address can't be used; the message is half a line, and holds no password."""


class Server(NamedTuple):
    host: str
    port: int


class Address(NamedTuple):
    urls: tuple[str, ...]
    """One for each node that is named, as redis-py takes them; none for Sentinel."""
    nodes: tuple[Server, ...] = ()
    """The same nodes, or the Sentinels; none for a unix socket."""
    primary: str = ""
    """The name by which Sentinels know the primary; empty without Sentinels."""
    options: Mapping[str, Any] = {}
    """Of connections to the primary, with Sentinels only."""
    sentinel_options: Mapping[str, Any] = {}
    """Of connections to the Sentinels."""


def parse_address(text: str) -> Address:
    """The address. Raises BadAddress."""
    if match := _SENTINEL.fullmatch(text):
        return _parse_sentinels(match[1], match[1] + match[2])
    urls = tuple(_NEXT.split(text))
    parsed = [_parse(url) for url in urls]
    if "path" in parsed[0] and len(parsed) == 1:
        return Address(urls)
    if any("path" in server for server in parsed):
        raise BadAddress("several addresses name nodes of a cluster, which has no unix sockets")
    nodes = tuple(Server(server.pop("host", "localhost"), server.pop("port", 6379)) for server in parsed)
    if any(server != parsed[0] for server in parsed):
        raise BadAddress("the addresses of a cluster's nodes must be alike but for host and port")
    return Address(urls, nodes)


def read_certificates(text: str) -> None:
    """Load the files that an address names for TLS. Raises BadAddress, and SSLError or another OSError."""
    address = parse_address(text)
    options = address.options or _parse(address.urls[0])
    files = {name: options[name] for name in ("ssl_ca_certs", "ssl_certfile", "ssl_keyfile") if options.get(name)}
    for file in files.values():
        Path(file).open("rb").close()  # what ssl raises names no file
    context = ssl.create_default_context(cafile=files.get("ssl_ca_certs"))
    if certificate := files.get("ssl_certfile"):
        context.load_cert_chain(certificate, files.get("ssl_keyfile"), options.get("ssl_password"))


def _parse(url: str) -> dict[str, Any]:
    try:
        options: dict[str, Any] = parse_url(url)  # type: ignore[no-untyped-call]
    except ValueError as error:
        if "://" not in url or "scheme" not in str(error):
            raise BadAddress(str(error)) from None
        raise BadAddress(f"{error}, or redis+sentinel://") from None
    return options


def _parse_sentinels(scheme: str, url: str) -> Address:
    parts = urlsplit(url)
    user, at, hosts = parts.netloc.rpartition("@")
    name, _, database = parts.path.strip("/").partition("/")
    if not name:
        raise BadAddress("a redis+sentinel:// address ends with the primary's name: redis+sentinel://host:port/name")
    nodes = tuple(_parse_server(host) for host in hosts.split(","))
    options = _parse(f"{scheme}://{user}{at}localhost/{database}?{parts.query}")
    if options.pop("connection_class", None) is SSLConnection:
        options["ssl"] = True
    del options["host"]
    of_sentinels = {
        key.removeprefix(_OF_SENTINELS): options.pop(key) for key in [*options] if key.startswith(_OF_SENTINELS)
    }
    secure = {key: value for key, value in options.items() if key.startswith("ssl")}
    return Address((), nodes, unquote(name), options, secure | of_sentinels)


def _parse_server(text: str) -> Server:
    try:
        parts = urlsplit(f"//{text}")
        host, port = parts.hostname, parts.port or _SENTINEL_PORT
    except ValueError:
        host = None
    if not host:
        raise BadAddress("a redis+sentinel:// address has a host without a name, or with a port that is no number")
    return Server(host, port)
