"""Which address a client has behind trusted proxies. tests/test_proxies.py tries real ones."""

import pytest

from config.settings import Settings
from service.runtime.client_address import trust_proxies

PROXY = "192.0.2.200"


def address(headers: dict[str, str], **settings: object) -> str:
    """The address that the application sees, of a request that came from PROXY."""
    seen = []
    application = trust_proxies(lambda environ, _: seen.append(environ["REMOTE_ADDR"]) or [], Settings(**settings))
    application({"REMOTE_ADDR": PROXY} | headers, lambda *_: None)
    return seen[0]


@pytest.mark.parametrize(
    ("value", "proxies", "expected"),
    [
        ("203.0.113.9", 1, "203.0.113.9"),
        ("203.0.113.9:4711", 1, "203.0.113.9"),
        ("2001:db8::9", 1, "2001:db8::9"),
        ("[2001:db8::9]:4711", 1, "2001:db8::9"),
        ("198.51.100.1, 203.0.113.9", 1, "203.0.113.9"),
        ("198.51.100.1, 203.0.113.9, 10.0.0.1", 2, "203.0.113.9"),
        ("203.0.113.9", 2, PROXY),
        ('"198.51.100.1, 203.0.113.9', 1, "203.0.113.9"),
        ('"198.51.100.1, 203.0.113.9, 10.0.0.1', 2, "203.0.113.9"),
        ("203.0.113.9,", 1, PROXY),
        ("unknown", 1, PROXY),
        ("127.1", 1, PROXY),
        ("", 1, PROXY),
        (",,,,", 3, PROXY),
    ],
)
def test_the_address_is_what_the_outermost_trusted_proxy_added(value: str, proxies: int, expected: str) -> None:
    """Whatever stands to the left of it, an open quotation mark included."""
    assert address({"HTTP_X_FORWARDED_FOR": value}, trusted_proxies=proxies) == expected


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("for=203.0.113.9", "203.0.113.9"),
        ('for="203.0.113.9:4711"', "203.0.113.9"),
        ("For=203.0.113.9; proto=https;by=10.0.0.1", "203.0.113.9"),
        ("proto=https;for=203.0.113.9", "203.0.113.9"),
        ('for="[2001:db8::9]:4711"', "2001:db8::9"),
        ("for=2001:db8::9", "2001:db8::9"),
        ("for=198.51.100.1, for=203.0.113.9", "203.0.113.9"),
        ('for="198.51.100.1, for=203.0.113.9', "203.0.113.9"),
        ("for=198.51.100.1;by=, for=203.0.113.9", "203.0.113.9"),
        ("for=_hidden", PROXY),
        ("203.0.113.9", PROXY),
        ("proto=https", PROXY),
        ("", PROXY),
    ],
)
def test_forwarded_is_read_where_it_is_the_trusted_header(value: str, expected: str) -> None:
    """As RFC 7239 has it, and an IPv6 address without brackets, too. X-Forwarded-For counts for nothing then."""
    headers = {"HTTP_FORWARDED": value, "HTTP_X_FORWARDED_FOR": "198.51.100.1"}
    assert address(headers, trusted_proxies=1, trusted_header="forwarded") == expected
    assert address(headers, trusted_proxies=1) == "198.51.100.1"
    assert address(headers) == PROXY
