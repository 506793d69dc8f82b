"""Addresses of stores and queues: what each form names, and the line that refuses what names nothing."""

import pytest

from service.connections.address import BadAddress, parse_address


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


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("http://host", r"or redis\+sentinel://"),
        ("host:6379", "scheme"),
        ("redis://one:1,redis://other@two:2", "alike"),
        ("redis://one:1,unix:///b", "unix sockets"),
        ("redis+sentinel://host:1", "ends with the primary's name"),
        ("redis+sentinel://host:x/name", "no number"),
        ("redis+sentinel://a,,b/name", "host without a name"),
        ("redis://host:x", "[Pp]ort"),
    ],
)
def test_what_names_nothing_is_refused(text: str, why: str) -> None:
    with pytest.raises(BadAddress, match=why) as refused:
        parse_address(text)
    assert "\n" not in str(refused.value)
