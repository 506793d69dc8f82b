"""Mails that come again, crashes in between, and too many mails: nothing is lost, nothing is done twice."""

import pytest

from service.post.inbox.mailbox import Mailbox
from service.post.inbox.receiver import MOST_MAILS, MOST_REFUSALS, Verdict
from tests.gamelog.ledger import open_games
from tests.post.inbox import GAME, Table, letter


def test_a_mail_that_comes_again_changes_nothing(table: Table) -> None:
    """Played or refused, by the same process or another, in the same turn or later: one answer."""
    played, refused = letter("draw"), letter("draw", name="2")
    assert table.take(refused, seat=1) is Verdict.TAKEN
    for _ in range(2):
        assert table.take(b"Received: from x\r\n" + played) is Verdict.TAKEN
    assert table.end_turn() == 1
    version, count = table.version, len(table.outbox.answers)
    for _ in range(2):
        assert table.take(played, receiver=table.receiver(open_games(table.client))) is Verdict.TAKEN
        assert table.take(refused, seat=1) is Verdict.TAKEN  # it is Bob's turn by now
    assert (table.version, len(table.outbox.answers)) == (version, count)


class Crash(Exception):
    """The process ends here."""


@pytest.mark.parametrize("gap", ["decided, not appended", "appended, not enqueued", "enqueued, not answered"])
def test_a_crash_in_the_game_log_loses_and_doubles_nothing(table: Table, gap: str) -> None:
    """The mail comes again, and is played once and answered once, as if nothing had happened."""
    before = table.version

    def crash(at: str) -> None:
        if at == gap:
            raise Crash

    with pytest.raises(Crash):
        table.take(letter("draw"), receiver=table.receiver(open_games(table.client, between=crash)))
    assert table.outbox.answers == []
    played = table.version
    if played > before:
        assert table.end_turn() == 1  # the action would be refused by now
    assert table.take(letter("draw"), receiver=table.receiver(open_games(table.client))) is Verdict.TAKEN
    (answer,) = table.outbox.answers
    assert (answer.since, answer.until) == (before, played if played > before else table.version)
    assert answer.refusal is None
    assert table.types_after(before).count("PileDrawn") == 1


def test_a_crash_between_play_and_answer_keeps_the_answer(table: Table) -> None:
    """The outbox is down: 451; the mail that comes again gets the answer that was decided then, once."""
    table.outbox.is_down = True
    played, refused = letter("draw"), letter("draw", name="2")
    assert table.take(refused, seat=1) is Verdict.LATER
    assert table.take(played) is Verdict.LATER
    assert table.end_turn() == 1
    table.outbox.is_down = False
    for _ in range(2):
        assert table.take(played) is Verdict.TAKEN
        assert table.take(refused, seat=1) is Verdict.TAKEN
    first, second = table.outbox.answers
    assert first.is_done
    assert second.refusal is not None
    assert second.refusal.name == "not-your-turn.named"


def test_two_copies_at_once_have_one_answer(table: Table) -> None:
    """The second to decide hands over what the first has decided, or nothing if that is handed over."""
    box = Mailbox(table.games.store)
    assert box.decide(GAME, 0, b"m", 1, "one") == "one"
    assert box.decide(GAME, 0, b"m", 2, "two") == "one"
    box.settle(GAME, 0, b"m")
    assert box.decide(GAME, 0, b"m", 3, "three") == ""
    assert box.find(GAME, 0, b"m", 3).is_decided
    assert not box.find(GAME, 1, b"m", 3).is_decided


def test_a_seat_has_only_so_many_mails_an_hour(table: Table) -> None:
    """Mails of which nothing is done get no answer after some, and all are put off after more; an hour later not."""
    for number in range(MOST_MAILS):
        assert table.take(letter("hello?", name=str(number))) is Verdict.TAKEN
    assert len(table.outbox.answers) == MOST_REFUSALS
    before = table.version
    assert table.take(letter(name="more")) is Verdict.LATER
    assert table.take(letter(name="other"), seat=1) is Verdict.TAKEN
    assert table.version == before
    table.now[0] += 3600_000 + 1
    assert table.take(letter(name="more")) is Verdict.TAKEN
    assert table.version > before
