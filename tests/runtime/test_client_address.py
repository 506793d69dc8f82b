"""Which address a client has behind trusted proxies. tests/test_proxies.py tries real ones."""

import pytest

from config.settings import Settings
from service.runtime.client_address import trust_proxies
from tests.support.cases import cases

PROXY = "192.0.2.200"


def address(headers: dict[str, str], **settings: object) -> str:
    """The address that the application sees, of a request that came from PROXY."""
    seen = []
    application = trust_proxies(lambda environ, _: seen.append(environ["REMOTE_ADDR"]) or [], Settings(**settings))
    application({"REMOTE_ADDR": PROXY} | headers, lambda *_: None)
    return seen[0]


@pytest.mark.parametrize(
    ("value", "proxies", "expected"), cases(__file__, "the_address_is_what_the_outermost_trusted_proxy_added")
)
def test_the_address_is_what_the_outermost_trusted_proxy_added(value: str, proxies: int, expected: str) -> None:
    """Whatever stands to the left of it, an open quotation mark included."""
    assert address({"HTTP_X_FORWARDED_FOR": value}, trusted_proxies=proxies) == expected


@pytest.mark.parametrize(("value", "expected"), cases(__file__, "forwarded_is_read_where_it_is_the_trusted_header"))
def test_forwarded_is_read_where_it_is_the_trusted_header(value: str, expected: str) -> None:
    """As RFC 7239 has it, and an IPv6 address without brackets, too. X-Forwarded-For counts for nothing then."""
    headers = {"HTTP_FORWARDED": value, "HTTP_X_FORWARDED_FOR": "198.51.100.1"}
    assert address(headers, trusted_proxies=1, trusted_header="forwarded") == expected
    assert address(headers, trusted_proxies=1) == "198.51.100.1"
    assert address(headers) == PROXY
