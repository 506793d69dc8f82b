"""Which URLs a webhook may have: none that leads where only the service's network leads."""

import socket
import threading
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.post.channels.address import AddressCheck, AddressRefused, Target
from tests.support.cases import cases
from tests.support.waiting import patience, wait_until

PUBLIC = cases(__file__, "public")
NOT_PUBLIC = cases(__file__, "not_public")

REFUSED = cases(__file__, "refused")
SENTENCES = {"scheme": "https", "user": "user name", "port": "port must be", "host": "host", "signs": "ASCII"}


def resolver(*addresses: str):
    """Answers each name with the addresses, as socket.getaddrinfo does."""

    def resolve(_host: str, port: int) -> list[Any]:
        found = []
        for address in addresses:
            family = socket.AF_INET6 if ":" in address else socket.AF_INET
            sockaddr = (address, port, 0, 0) if ":" in address else (address, port)
            found += [(family, kind, 0, "", sockaddr) for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM)]
        return found

    return resolve


def check(url: str, *addresses: str, allow_private: bool = False) -> Target:
    return AddressCheck(resolve_host=resolver(*addresses), allow_private=allow_private).check(url, patience(5))


def is_allowed(*addresses: str) -> bool:
    try:
        check("https://example.org/", *addresses)
    except AddressRefused:
        return False
    return True


@pytest.mark.parametrize("text", PUBLIC.split())
def test_a_public_address_is_allowed(text: str) -> None:
    """By a name, and as it stands; the first and last beside each refused range too."""
    assert [found.sockaddr[0] for found in check("https://example.org/", text).addresses] == [text]
    assert is_allowed("1.1.1.1", text)


@pytest.mark.parametrize("text", NOT_PUBLIC.split())
def test_an_address_that_is_not_public_is_refused(text: str) -> None:
    """Alone, and among public ones: the connection could go to any of them."""
    assert not is_allowed(text)
    assert not is_allowed("1.1.1.1", text)
    assert not is_allowed(text, "2606:4700:4700::1111")


@pytest.mark.parametrize(("sentence", "url"), [line.split(maxsplit=1) for line in REFUSED.strip().splitlines()])
def test_a_url_is_refused(sentence: str, url: str) -> None:
    """With a sentence about the part that is wrong, whatever its host resolves to, and without asking the resolver."""
    with pytest.raises(AddressRefused, match=SENTENCES[sentence]):
        AddressCheck(resolve_host=lambda *_: pytest.fail("the resolver was asked")).check(url, 1)


@pytest.mark.parametrize("url", cases(__file__, "characters_that_programs_read_differently_are_refused"))
def test_characters_that_programs_read_differently_are_refused(url: str) -> None:
    """Full-width letters become others; Python's parser removes some control characters, others would end a header."""
    with pytest.raises(AddressRefused, match="ASCII"):
        check(url, "8.8.8.8")


def test_a_long_url_is_refused() -> None:
    check("https://a.org/".ljust(2000, "a"), "8.8.8.8")
    with pytest.raises(AddressRefused, match="2000"):
        check("https://a.org/".ljust(2001, "a"), "8.8.8.8")


@pytest.mark.parametrize(("url", "authority", "path"), cases(__file__, "the_parts_of_a_url"))
def test_the_parts_of_a_url(url: str, authority: str, path: str) -> None:
    """Host and path are what the receiver gets; a fragment is left out."""
    target = check(url, "8.8.8.8")
    assert (target.authority, target.path) == (authority, path)


def test_what_the_deployment_may_allow() -> None:
    """http, any port, any address; but still neither a user name nor another scheme."""
    found = check("http://localhost:8080/x", "127.0.0.1", "::1", allow_private=True)
    assert [address.sockaddr[:2] for address in found.addresses] == [("127.0.0.1", 8080), ("::1", 8080)]
    for url in ("http://user@localhost/", "ftp://localhost/", "http://localhost:0/"):
        with pytest.raises(AddressRefused):
            check(url, "127.0.0.1", allow_private=True)


def test_a_name_without_an_address_is_refused_like_a_private_one() -> None:
    """In the same words, so that nobody can ask for the names of the service's network."""

    def unknown(*_: object) -> list[Any]:
        raise socket.gaierror

    def unspeakable(*_: object) -> list[Any]:
        raise UnicodeError

    sentences = set()
    for resolve in (unknown, unspeakable, resolver(), resolver("10.0.0.1")):
        with pytest.raises(AddressRefused) as refused:
            AddressCheck(resolve_host=resolve).check("https://example.org/", patience(5))
        sentences.add(str(refused.value))
    assert len(sentences) == 1


def test_a_resolver_that_hangs_is_not_waited_for() -> None:
    """The check ends after the time it was given."""
    hanging = threading.Event()

    def resolve(*_: object) -> list[Any]:
        hanging.wait(patience(20))
        return []

    with pytest.raises(AddressRefused):
        AddressCheck(resolve_host=resolve).check("https://example.org/", 0.01)
    assert not hanging.is_set()
    hanging.set()


def test_look_ups_are_counted() -> None:
    """A resolver that hangs holds a bounded number of threads; the next look-up waits for one, up to its time."""
    hanging, asked = threading.Event(), []

    def resolve(host: str, port: int) -> list[Any]:
        asked.append(host)
        hanging.wait(patience(20))
        return resolver("8.8.8.8")(host, port)

    checks = AddressCheck(resolve_host=resolve, look_ups=threading.BoundedSemaphore(1))
    with pytest.raises(AddressRefused):
        checks.check("https://a.org/", 0.01)
    wait_until(lambda: asked)
    with pytest.raises(AddressRefused):
        checks.check("https://b.org/", 0.01)
    assert asked == ["a.org"]
    hanging.set()
    assert checks.check("https://c.org/", patience(20)).host == "c.org"


@given(st.ip_addresses(v=4))
def test_any_address_in_disguise(address: IPv4Address) -> None:
    """An IPv4 address in an IPv6 one is judged as itself (NAT64), or refused (mapped, 6to4, Teredo, compatible)."""
    number = int(address)
    assert is_allowed(f"64:ff9b::{address}") == is_allowed(str(address))
    for prefix, shift in (("::ffff:0:0", 0), ("2002::", 80), ("2001::", 0), ("::", 0), ("64:ff9b:1::", 0)):
        assert not is_allowed(str(IPv6Address(int(IPv6Address(prefix)) | number << shift))), prefix


@given(st.one_of(st.ip_addresses(v=4), st.ip_addresses(v=6)))
def test_no_allowed_address_is_special(address: IPv4Address | IPv6Address) -> None:
    """What is allowed is none of what Python calls private, local, multicast or reserved."""
    if is_allowed(str(address)) and address not in ip_network("64:ff9b::/96"):
        assert address.is_global
        kinds = ("multicast", "private", "loopback", "link_local", "unspecified", "reserved")
        assert not [kind for kind in kinds if getattr(address, f"is_{kind}")]


@given(st.text(max_size=40) | st.from_regex(r"https://[\[\]@:/?#%.a-z0-9\\-]{0,30}", fullmatch=True))
def test_any_text_is_a_target_or_refused(text: str) -> None:
    """Nothing else is raised; what is accepted is one host, read in one way."""
    try:
        target = check(text, "8.8.8.8")
    except AddressRefused:
        return
    assert target.scheme == "https"
    assert not set(target.authority + target.path) & set("\\ \r\n\t@") - ({"@"} if "@" in target.path else set())
    if not target.host[-1].isalpha() and ":" not in target.host and target.host.rpartition(".")[2].isdigit():
        assert str(ip_address(target.host)) == target.host
