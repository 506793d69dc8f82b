"""The address of a request's client behind trusted proxies, as WSGI middleware.

WSGI makes `X_Forwarded_For` and `X-Forwarded-For` one variable, and the web server keeps whichever came last: behind a
proxy that passes on names with underscores a client can forge its address. `Forwarded` (RFC 7239) has no such twin.
"""

from collections.abc import Callable, Iterable, Mapping
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final

from config.settings import Settings

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


def trust_proxies(application: "WSGIApplication", settings: Settings) -> "WSGIApplication":
    """The application with the client's address in `REMOTE_ADDR`; as it is where no proxy is trusted.

    A request whose proxies name no address keeps the address of its connection, that is of the last proxy.
    """
    if settings.trusted_proxies == 0:
        return application
    header, proxies = settings.trusted_header, settings.trusted_proxies
    variable = "HTTP_" + header.upper().replace("-", "_")

    def call(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        address = read_address(header, environ.get(variable, ""), proxies)
        if address is not None:
            environ["REMOTE_ADDR"] = address
        return application(environ, start_response)

    return call


def read_address(header: str, value: str, proxies: int) -> str | None:
    """The address that the outermost of so many trusted proxies added to the header's value; None if it added none.

    `header` is a value of the setting `trusted_header`.
    """
    # What the client sent is to the left of what proxies add. It isn't parsed: with an open quotation mark it would
    # swallow their elements, which have no commas of their own.
    elements = value.rsplit(",", proxies)
    if len(elements) < proxies:
        return None
    return _address_of(_NODES[header](elements[-proxies]).strip())


def _forwarded_for(element: str) -> str:
    pairs = (pair.partition("=") for pair in element.split(";"))
    return next((node.strip().strip('"') for name, _, node in pairs if name.strip().lower() == "for"), "")


_NODES: Final[Mapping[str, Callable[[str], str]]] = {"x-forwarded-for": str, "forwarded": _forwarded_for}
"""By header: the node that an element names."""


def _address_of(node: str) -> str | None:
    """The address of `192.0.2.1`, `192.0.2.1:80`, `[2001:db8::1]:80` or `2001:db8::1`; None for `unknown`, say."""
    if node.startswith("["):
        node = node[1:].partition("]")[0]
    elif node.count(":") == 1:
        node = node.partition(":")[0]
    try:
        return str(ip_address(node))
    except ValueError:
        return None
