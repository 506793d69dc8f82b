"""`reibach resend`: what couldn't be delivered is sent again."""

from dataclasses import replace

import pytest

from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.post.claim import FIRST
from service.post.notices import TURN, WEBHOOK, Notice
from service.post.outbox import Outbox
from service.runtime.clock import now_ms
from tests.gamelog.ledger import new_game
from tests.support.shell import assert_refused, run


@pytest.fixture
def outbox(store: Store) -> Outbox:
    GameLog(store, Reactions(lambda *_: None, 0.0)).create(new_game("g", 2))
    return Outbox(store, now_ms)


def add_dead_letters(outbox: Outbox, count: int) -> None:
    """Letters of the game `g` that nobody has taken."""
    notice = Notice(game="g", seat=0, type=TURN, version=1, channel=WEBHOOK, target="one")
    outbox.add([replace(notice, seat=seat) for seat in range(count)])
    for claim in outbox.claim(FIRST, count):
        claim.settle("dead", 1, "timeout")


@pytest.mark.parametrize("count", [1, 2])
def test_dead_letters_are_counted(outbox: Outbox, address: str, count: int) -> None:
    """Each is sent again once; then the sentence says that there is nothing."""
    add_dead_letters(outbox, count)
    noun = "notification" if count == 1 else "notifications"
    for argv in (["--game", "g"], []):
        ended = run("resend", *argv, REIBACH_REDIS_URL=address)
        expected = f"{count} {noun} will be sent again, where still due." if argv else "There is nothing to send again:"
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.startswith(expected)


@pytest.mark.parametrize("name", ["zzz", "", "no game\x1b[31m", "x" * 500])
def test_an_unknown_game_is_an_error(outbox: Outbox, address: str, name: str) -> None:
    add_dead_letters(outbox, 1)
    ended = run("resend", "--game", name, REIBACH_REDIS_URL=address)
    assert_refused(ended, 1, "the store has no game")
    assert "\x1b" not in ended.stderr
    assert outbox.resend() == 1
