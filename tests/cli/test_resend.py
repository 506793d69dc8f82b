"""`reibach resend`: what couldn't be delivered, or waits, is sent again; a restored copy begins to send."""

from dataclasses import replace

import pytest

from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.post.claim import FIRST
from service.post.notices import TURN, WEBHOOK, Notice
from service.post.outbox import Outbox
from service.post.sending.sender_pool import SenderPool
from service.runtime.clock import now_ms
from service.status import HELD, StatusReader, note
from tests.gamelog.ledger import new_game
from tests.support.shell import assert_refused, run, succeed
from workers.post.process import _send_due


@pytest.fixture
def outbox(store: Store) -> Outbox:
    GameLog(store, Reactions(lambda *_: None, 0.0)).create(new_game("g", 2))
    return Outbox(store, now_ms)


def add_letters(outbox: Outbox, count: int, status: str = "dead", at: int | None = None) -> None:
    """Letters of the game `g` that nobody has taken, or that wait until `at`."""
    notice = Notice(game="g", seat=0, type=TURN, version=1, channel=WEBHOOK, target="one")
    outbox.add([replace(notice, seat=seat) for seat in range(count)])
    for claim in outbox.claim(FIRST, count):
        claim.settle(status, 1, "timeout", at=at)


@pytest.mark.parametrize(("count", "status"), [(1, "dead"), (2, "retry")])
def test_letters_are_counted(outbox: Outbox, address: str, count: int, status: str) -> None:
    """Each is sent again once; then the sentence says that there is nothing."""
    add_letters(outbox, count, status, now_ms() + 3_600_000)
    noun = "notification" if count == 1 else "notifications"
    for argv in (["--game", "g"], []):
        ended = run("resend", *argv, REIBACH_REDIS_URL=address)
        expected = f"{count} {noun} will be sent again, where still due." if argv else "There is nothing to send again:"
        assert (ended.returncode, ended.stderr) == (0, "")
        assert ended.stdout.startswith(expected)


@pytest.mark.parametrize("name", ["zzz", "", "no game\x1b[31m", "x" * 500])
def test_an_unknown_game_is_an_error(outbox: Outbox, address: str, name: str) -> None:
    add_letters(outbox, 1)
    ended = run("resend", "--game", name, REIBACH_REDIS_URL=address)
    assert_refused(ended, 1, "the store has no game")
    assert "\x1b" not in ended.stderr
    assert outbox.resend() == 1


def test_a_restored_copy_counts_all_that_waits(outbox: Outbox, store: Store) -> None:
    """Also what would be tried again later: nothing of it goes."""
    add_letters(outbox, 2, "retry", now_ms() + 3_600_000)
    counts = []
    for held in (0, 1):
        note(store.client, HELD, held)
        status = StatusReader(store).read()
        assert status is not None
        counts.append((status.notices.count, status.notices.oldest_s))
    assert counts == [(0, 0), (2, 0)]


def test_a_restored_copy_sends_when_it_is_told_to(outbox: Outbox, address: str, store: Store) -> None:
    """By `resend` of all games, not of one."""
    note(store.client, HELD, 1)
    add_letters(outbox, 1)
    pool = SenderPool(outbox, lambda *_: None)
    succeed("resend", "--game", "g", REIBACH_REDIS_URL=address)
    assert _send_due(store, pool) == 0
    assert "This restored copy sends" in succeed("resend", REIBACH_REDIS_URL=address).stdout
    assert _send_due(store, pool) == 1
    assert "This restored copy" not in succeed("resend", REIBACH_REDIS_URL=address).stdout
