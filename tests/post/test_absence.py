"""Players who miss turns: their mails say that a bot will play on for them, and then that it does."""

import pytest

from domain.commands import PostMessage, ReclaimSeat
from domain.words import LANGUAGES
from domain.words.mail import MAIL
from service.post.mail.composer import compose_messages, compose_reminder, compose_scoring, compose_turn
from service.post.snapshot import SeatSnapshot, take_snapshot
from tests.post.inbox import GAME, Table
from tests.post.mails import DEADLINE, envelope, text_of


def seen(table: Table, seat: int = 0) -> SeatSnapshot:
    """The game as the seat sees it now."""
    loaded, events = table.games.load_events(GAME, 0)
    return take_snapshot(loaded.game, events, seat)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_turn_before_a_seat_is_abandoned_warns(table: Table, language: str) -> None:
    """In the first lines, with the deadline above and the way back below; turns before that one don't warn."""
    words, to = MAIL[language].absence, envelope(language)
    assert words["warning"] not in text_of(compose_turn(seen(table), to, 1, DEADLINE))
    table.abandon(0, turns=1)
    assert table.end_turn() == 0
    snapshot = seen(table)
    for mail in (compose_turn(snapshot, to, 1, DEADLINE), compose_reminder(snapshot, to, 1, DEADLINE)):
        lines = [line for line in text_of(mail).splitlines() if line]
        assert lines[2:4] == [words["warning"], words["answer"]]
        assert words["warning"] in text_of(mail, "html").replace("&#39;", "'")
    unread = compose_turn(snapshot, envelope(language, reply_to=None), 1, DEADLINE)
    assert words["reclaim"] in text_of(unread)
    for mail in (compose_turn(snapshot, to, 1), compose_scoring(snapshot, to, 1)):  # no deadline stands there
        assert words["warning"] not in text_of(mail)
    table.end_turn()
    table.end_turn()
    assert words["warning"] not in text_of(compose_turn(seen(table), to, 1, DEADLINE))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_next_mail_says_that_a_bot_plays(table: Table, language: str) -> None:
    """Whatever it is about, until the player is back; the others' mails don't say it."""
    words = MAIL[language].absence
    table.abandon(0)
    version = table.games.handle(GAME, PostMessage(seat=1, text="Where are you?")).loaded.game.version
    for snapshot, is_told in ((seen(table), True), (seen(table, 1), False)):
        to = envelope(language)
        for mail in (compose_messages(snapshot, to, version, version), compose_scoring(snapshot, to, version)):
            assert (words["abandoned"] in text_of(mail)) is is_told
    table.games.handle(GAME, ReclaimSeat(seat=0))
    assert words["abandoned"] not in text_of(compose_scoring(seen(table), envelope(language), version))
