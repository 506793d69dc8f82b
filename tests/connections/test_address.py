"""Addresses of stores and queues: what each form names, and the line that refuses what names nothing."""

import pytest

from service.connections.address import BadAddress, parse_address
from service.connections.loopback import is_loopback
from tests.support.cases import cases


def test_a_single_server() -> None:
    address = parse_address("rediss://user:p%40ss@host:1/2?ssl_ca_certs=ca.pem")
    assert address.urls == ("rediss://user:p%40ss@host:1/2?ssl_ca_certs=ca.pem",)
    assert address.nodes == (("host", 1),)
    assert parse_address("redis://host").nodes == (("host", 6379),)
    assert parse_address("unix:///run/store.sock?db=5").nodes == ()


def test_several_nodes() -> None:
    """Separated by commas; a comma in a password, or none at all, separates nothing."""
    address = parse_address("redis://u:a,b@one:1,redis://u:a,b@two:2")
    assert address.nodes == (("one", 1), ("two", 2))
    assert address.urls[1] == "redis://u:a,b@two:2"


def test_sentinels() -> None:
    """User, password, database and TLS are those of the primary; the Sentinels have their own, and its TLS."""
    address = parse_address(
        "rediss+sentinel://us%2Fer:p%40w@one,two:2/the%20games/3?ssl_ca_certs=c&sentinel_password=x"
    )
    assert address.nodes == (("one", 26379), ("two", 2))
    assert address.primary == "the games"
    assert address.options == {"username": "us/er", "password": "p@w", "db": 3, "ssl": True, "ssl_ca_certs": "c"}
    assert address.sentinel_options == {"ssl": True, "ssl_ca_certs": "c", "password": "x"}


@pytest.mark.parametrize(("text", "why"), cases(__file__, "what_names_nothing_is_refused"))
def test_what_names_nothing_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadAddress, match=why) as refused:
        parse_address(text)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "::ffff:7f00:1"])
def test_addresses_of_this_machine(host: str) -> None:
    """A socket that listens on `::` gets clients by IPv4 with mapped addresses."""
    assert is_loopback(host)


@pytest.mark.parametrize(
    "host", ["", "example.org", "203.0.113.1", "::", "0.0.0.0", "::ffff:203.0.113.1", "2001:db8::1"]
)
def test_addresses_of_others(host: str) -> None:
    assert not is_loopback(host)
