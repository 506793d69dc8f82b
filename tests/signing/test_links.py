"""Links in mails: each opens one deed of one seat, and nothing else."""

from hypothesis import given
from hypothesis import strategies as st

from service.signing.deployment import Deployment
from service.signing.links import Links, SeatLink
from service.signing.tokens import Tokens

LINKS = Links(["secret"])
GAME = "t4fvwygy534evfi72diwbegh"


def test_a_link_is_read_as_it_was_made() -> None:
    for make, read in ((LINKS.confirm, LINKS.read_confirm), (LINKS.unsubscribe, LINKS.read_unsubscribe)):
        token = make(GAME, 1, "nonce")
        assert token == make(GAME, 1, "nonce")
        assert token.replace("-", "").replace("_", "").replace(".", "").isalnum()
        assert read(token) == SeatLink(GAME, 1, "nonce")


def test_a_link_opens_no_other_deed() -> None:
    confirm, unsubscribe = LINKS.confirm(GAME, 1, "nonce"), LINKS.unsubscribe(GAME, 1, "nonce")
    tokens = Tokens(["secret"])
    assert LINKS.read_unsubscribe(confirm) is None
    assert LINKS.read_confirm(unsubscribe) is None
    assert tokens.read(confirm) is None
    assert LINKS.read_confirm(tokens.issue(GAME, 1)) is None


def test_a_new_secret_signs_and_the_old_ones_verify() -> None:
    both = Links(["secret", "new"])
    assert both.read_confirm(LINKS.confirm(GAME, 1, "nonce"))
    assert LINKS.read_confirm(both.confirm(GAME, 1, "nonce")) is None
    assert Links(Deployment.new(1).token_secrets).read_confirm(LINKS.confirm(GAME, 1, "nonce")) is None


@given(st.text() | st.text("aB0-_.").map(lambda text: LINKS.confirm(GAME, 1, "n")[:60] + text))
def test_a_forged_link_is_none(token: str) -> None:
    assert LINKS.read_confirm(token) in {None, SeatLink(GAME, 1, "n")}
    assert LINKS.read_unsubscribe(token) is None
