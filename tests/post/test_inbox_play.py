"""Playing by answering the mail: what is done, and why not."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.commands import AppendTo, PostMessage
from domain.words.refusals.sentences import Sentence
from domain.words.reply import write_wish
from domain.words.wording import words_of
from service.gamelog.log import GameLog
from service.gamelog.store.errors import NoSuchGame
from service.post.inbox import receiver
from service.post.inbox.receiver import Verdict
from service.post.inbox.seat_mails import MOST_MAILS, MOST_REFUSALS, SeatMails
from service.post.mail.headers import message_id
from tests.gamelog.ledger import check_log, open_games
from tests.gamelog.processes import Crash
from tests.post.inbox import GAME, Table, letter
from tests.support.profiles import examples


def test_a_remark_below_an_action_is_said_to_go_nowhere(table: Table) -> None:
    """Also to who hears of no other mail that was played in full; a farewell is none."""
    table.subscriptions.save(GAME, 0, replace(table.subscriptions.load_seat(GAME, 0), receipts=False))
    assert table.take(letter("draw\n\nSorry, I had to think about that one.\n\nCheers\nEve")) is Verdict.TAKEN
    (answer,) = table.outbox.answers
    assert (answer.is_done, answer.refusal, answer.has_unsent) == (True, None, True)
    assert table.take(letter("take 1\n\nThanks, and see you!\nEve", name="2")) is Verdict.TAKEN
    assert len(table.outbox.answers) == 1


def test_receipts_can_be_left_out(table: Table) -> None:
    """Of mails that were played wholly; all others are answered, as those that ask for something."""
    kept = table.subscriptions.load_seat(GAME, 0)
    assert kept is not None
    table.subscriptions.save(GAME, 0, replace(kept, receipts=False))
    assert table.take(letter("take 1", name="1")) is Verdict.TAKEN
    assert table.outbox.answers == []
    for name, text in (("2", "take 1\nadd gold to my art row"), ("3", "nonsense")):
        assert table.take(letter(text, name=name)) is Verdict.TAKEN
    assert [answer.is_done for answer in table.outbox.answers] == [True, False]


def test_actions_are_one_list(table: Table) -> None:
    """The first refused action stops the rest, and is named in the language of the seat."""
    table.subscribe(0, language="de")
    before = table.version
    hand = table.games.load(GAME).game.seats[0].hand
    card = hand[0]
    assert table.take(letter(f"take 1\nadd {words_of('en').cards[card]} to my art row\ndraw")) is Verdict.TAKEN
    (answer,) = table.outbox.answers
    assert answer.is_done
    assert answer.refusal.name == "no-row-of-business"
    assert answer.wish == write_wish(AppendTo(card=card, business="art"), "de")
    assert "PileDrawn" not in table.types_after(before)


@pytest.mark.parametrize("headers", [(), ("Subject: draw",)])
def test_a_mail_without_text_is_answered(table: Table, headers: tuple[str, ...]) -> None:
    """Once for each mail, and with what to do, as that it may hide a word; an automatic one isn't."""
    before = table.version
    for number in range(2):
        assert table.take(letter("", name=str(number), headers=headers)) is Verdict.TAKEN
        assert table.take(letter("", name=str(number), headers=headers)) is Verdict.TAKEN
    table.take(letter("", name="away", headers=(*headers, "Auto-Submitted: auto-replied")))
    page = letter('draw<p style="height:0">resign</p>', name="2").replace(b"text/plain", b"text/html")
    assert table.take(page) is Verdict.TAKEN
    assert table.version == before
    refusals = [Sentence(f"reply.{name}") for name in ("no-text", "no-text", "hidden")]
    assert [answer.refusal for answer in table.outbox.answers] == refusals
    assert [answer.mail for answer in table.outbox.answers] == [f"<{number}@mail.example>" for number in range(3)]


def test_a_card_is_taken_once(table: Table) -> None:
    """A second wish for the same card is not one for whatever lies in its slot by then."""
    card = table.games.load(GAME).game.display[0]
    assert card is not None
    count = table.games.load(GAME).game.display.count(card)
    lines = "\n".join([f"take {words_of('en').cards[card]}"] * (count + 1))
    assert table.take(letter(lines)) is Verdict.TAKEN
    (answer,) = table.outbox.answers
    assert answer.refusal.name == "not-on-display"
    assert table.types_after(answer.since).count("CardTaken") == count


def test_refusals_say_why(table: Table) -> None:
    """Another's turn, an earlier turn, no action at all: nothing is done."""
    before = table.version
    told = message_id("turn", before, 0, GAME, "example.org")
    assert table.take(letter("draw"), seat=1) is Verdict.TAKEN
    assert table.take(letter("please")) is Verdict.TAKEN
    assert table.version == before
    assert table.end_turn() == 1
    table.take(letter("draw", name="late", answers=told))
    assert table.end_turn() == 0
    after = table.version
    table.take(letter("draw", name="later", answers=told))
    assert table.version == after
    names = [answer.refusal.name for answer in table.outbox.answers if answer.refusal]
    assert names == ["not-your-turn.named", "reply.empty", "not-your-turn.named", "reply.earlier-turn"]
    for seat, version in ((1, before), (0, 99_999)):  # another seat's mail, and a version of the future: both forged
        answers = message_id("turn", version, seat, GAME, "example.org")
        assert table.take(letter("draw", name=str(version), answers=answers)) is Verdict.TAKEN
        assert table.version > after
        assert [table.end_turn(), table.end_turn()] == [1, 0]
        after = table.version


def test_a_message_in_between_does_not_stop_a_mail(table: Table) -> None:
    """The version that was judged is no more: the mail is judged again."""
    said = []

    def say(at: str) -> None:
        if at == "decided, not appended" and not said:
            said.append(at)
            open_games(table.client).handle(GAME, PostMessage(seat=1, text="hurry"))

    before = table.version
    card = next(card for card in table.games.load(GAME).game.display if card is not None)
    receiver = table.receiver(open_games(table.client, between=say))
    assert table.take(letter(f"take {words_of('en').cards[card]}"), receiver=receiver) is Verdict.TAKEN
    assert table.types_after(before)[:2] == ["MessagePosted", "CardTaken"]


def test_a_deleted_game_has_no_addresses(table: Table) -> None:
    """Also where its subscription is still there."""

    class Gone(GameLog):
        def load(self, game: str) -> Any:
            raise NoSuchGame(game)

    games = Gone(table.games.store, table.games.reactions)
    assert table.take(letter(), receiver=table.receiver(games)) is Verdict.UNKNOWN


def test_no_bytes_break_the_receiver(table: Table) -> None:
    """Whatever a mail says and asks for: it is taken, and the log stays whole."""
    lines = st.sampled_from(
        ["take 1", "draw", "lay oil", "nimm Gold", "> draw", "", "x" * 300, "pose Pétrole", "take 9"]
    )

    @examples(0.3)
    @given(st.one_of(st.binary(max_size=200), st.lists(lines, max_size=4).map(lambda all_: letter("\n".join(all_)))))
    def check(content: bytes) -> None:
        table.now[0] += 3600_000  # so that no limit of an hour counts
        assert table.take(content, seat=len(content) % 2) is Verdict.TAKEN

    check()
    check_log(table.games.store, GAME)


def test_a_mail_brings_its_person_back(table: Table) -> None:
    """The seat was abandoned, and it is another one's turn: it is reclaimed, and a copy of the mail says so again."""
    table.abandon(0)
    assert table.games.load(GAME).game.turn_seat != 0
    for _ in range(2):
        assert table.take(letter("draw", name="back")) is Verdict.TAKEN
    assert table.games.load(GAME).game.seats[0].away is None
    answer = table.outbox.answers[-1]
    assert answer.is_done
    assert (answer.kind, answer.refusal.name, answer.wish) == ("back", "reply.back", None)
    assert table.types_after(answer.since) == ["SeatReclaimed"]


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
    assert second.refusal.name == "not-your-turn.named"


def test_two_copies_at_once_have_one_answer(table: Table) -> None:
    """The second to decide hands over what the first has decided, or nothing if that is handed over."""
    box = SeatMails(table.games.store)
    assert box.decide(GAME, 0, b"m", 1, "one") == "one"
    assert box.decide(GAME, 0, b"m", 2, "two") == "one"
    box.settle(GAME, 0, b"m")
    assert box.decide(GAME, 0, b"m", 3, "three") == ""
    assert box.find(GAME, 0, b"m")[0]
    assert not box.find(GAME, 1, b"m")[0]


def test_a_seat_has_only_so_many_mails_an_hour(table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """Refused mails get no answer after some of them, and all are put off unread after more, for an hour."""
    for number, text in enumerate(["help"] * 5 + ["hello?"] * (MOST_MAILS - 8) + ["help", "status", "resign"]):
        assert table.take(letter(text, name=str(number))) is Verdict.TAKEN
    assert [answer.kind for answer in table.outbox.answers[5 + MOST_REFUSALS :]] == ["help", "status", "resign"]
    before = table.version
    with monkeypatch.context() as patch:
        patch.delattr(receiver, "read_message")
        assert table.take(letter(name="more")) is Verdict.LATER
    assert table.take(letter(name="other"), seat=1) is Verdict.TAKEN
    assert table.version == before
    table.now[0] += 3600_000 + 1
    assert table.take(letter(name="more")) is Verdict.TAKEN
    assert table.version > before
