"""Reply addresses: for one game, seat and subscription, and for no other."""

import re
import string
from base64 import b32encode

import pytest
from hypothesis import given
from hypothesis import strategies as st

from service.signing.deployment import Deployment
from service.signing.reply_addresses import ReplyAddresses
from tests.support.profiles import examples

SECRETS = ["old", "new"]
ADDRESSES = ReplyAddresses(SECRETS)
IDS = st.one_of(
    st.binary(min_size=15, max_size=15).map(lambda raw: b32encode(raw).decode().lower()),
    st.text(string.ascii_letters + string.digits + "-_", min_size=1, max_size=19),
)


@examples(1)
@given(IDS, st.integers(0, 4), st.text(min_size=1), st.booleans(), st.just(b"") | st.binary(min_size=8, max_size=8))
def test_an_address_says_what_it_was_made_for(game: str, seat: int, nonce: str, shouts: bool, about: bytes) -> None:
    """In either case, at most 64 characters that every mail server takes; long ids have no room for a mail."""
    local = ADDRESSES.make(game, seat, nonce, about)
    assert local is not None
    assert re.fullmatch("[a-z2-7]{1,64}", local)
    read = ADDRESSES.read(local.upper() if shouts else local)
    assert read is not None
    assert (read.game, read.seat) == (game, seat)
    assert read.about == (b"" if 15 < len(game) < 24 else about)
    assert read.is_of(nonce)
    assert not read.is_of(f"{nonce}.")


@examples(1)
@given(st.text(string.ascii_letters + "234567=.+-\0é", max_size=70))
def test_other_texts_are_no_address(text: str) -> None:
    assert ADDRESSES.read(text) is None


@pytest.mark.parametrize(("about", "length"), [(b"", 58), (b"turn 123", 64)])
def test_each_character_counts(about: bytes, length: int) -> None:
    local = ADDRESSES.make(Deployment.new(1).new_game_id(None), 2, "nonce", about)
    assert local is not None
    assert len(local) == length
    changed = [local[:at] + ("a" if local[at] != "a" else "b") + local[at + 1 :] for at in range(len(local))]
    for text in (*changed, local[:-1], f"{local}a", f"{local}======", f" {local}"):
        assert ADDRESSES.read(text) is None, text


def test_secrets_that_no_longer_sign_still_verify() -> None:
    """As with seat tokens; a secret that is gone doesn't."""
    local = ReplyAddresses(SECRETS[:1]).make("g", 0, "nonce")
    assert local is not None
    assert ADDRESSES.read(local) is not None
    assert ReplyAddresses(["new"]).read(local) is None


@pytest.mark.parametrize("game", ["x" * 20, "A" * 24, "x" * 64])
def test_a_long_foreign_id_has_no_address(game: str) -> None:
    """Such a game was imported; its mails offer no answer."""
    assert ADDRESSES.make(game, 0, "nonce") is None
