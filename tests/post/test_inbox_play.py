"""Playing by answering the mail: what is done, and why not."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.commands import Draw, PostMessage, Take
from domain.words import WORDS
from domain.words.refusals.sentences import Sentence
from domain.words.reply import write_wish
from service.gamelog.errors import NoSuchGame
from service.gamelog.log import GameLog
from service.post.inbox.receiver import Verdict
from service.post.mail.headers import message_id
from tests.gamelog.ledger import check_log, open_games
from tests.post.inbox import GAME, Table, letter
from tests.support.profiles import examples


@pytest.mark.parametrize("language", ["en", "de", "nl", "fr"])
def test_four_languages(table: Table, language: str) -> None:
    """Each language's own words; the refused action is named in the language of the seat."""
    table.subscribe(0, language=language)
    game = table.games.load(GAME).game
    card = next(card for card in game.display if card is not None)
    absent = next(card for card in WORDS[language].cards if card not in game.display and card != "reibach")
    lines = f"{write_wish(Draw(), language)}\n{WORDS[language].cards[card]}"
    assert table.take(letter(lines)) is Verdict.TAKEN
    assert table.outbox.answers[-1].refusal is not None  # a card's name alone is no action
    take = write_wish(Take(slot=0), language).replace("1", WORDS[language].cards[absent])
    assert table.take(letter(take, name="2")) is Verdict.TAKEN
    last = table.outbox.answers[-1]
    assert last.refusal is not None
    assert (last.refusal.name, last.wish) == ("not-on-display", take)
    assert table.take(letter(write_wish(Draw(), language), name="3")) is Verdict.TAKEN
    assert table.outbox.answers[-1].is_done


def test_actions_are_one_list(table: Table) -> None:
    """The first refused action stops the rest, is named, and rows count from 1."""
    before = table.version
    hand = table.games.load(GAME).game.seats[0].hand
    card = hand[0]
    assert table.take(letter(f"take 1\nappend {WORDS['en'].cards[card]} 3\ndraw")) is Verdict.TAKEN
    (answer,) = table.outbox.answers
    assert answer.is_done
    assert answer.refusal is not None
    assert answer.refusal.name == "no-such-row.none"
    assert answer.wish == f"append {WORDS['en'].cards[card]} 3"
    assert "PileDrawn" not in table.types_after(before)


@pytest.mark.parametrize("headers", [(), ("Subject: draw",)])
def test_a_mail_without_text_is_answered(table: Table, headers: tuple[str, ...]) -> None:
    """Once for each mail, and with what to do; an automatic one isn't."""
    before = table.version
    for number in range(2):
        assert table.take(letter("", name=str(number), headers=headers)) is Verdict.TAKEN
        assert table.take(letter("", name=str(number), headers=headers)) is Verdict.TAKEN
    table.take(letter("", name="away", headers=(*headers, "Auto-Submitted: auto-replied")))
    assert table.version == before
    assert [answer.refusal for answer in table.outbox.answers] == [Sentence("reply.no-text")] * 2
    assert [answer.mail for answer in table.outbox.answers] == ["<0@mail.example>", "<1@mail.example>"]


def test_a_card_is_taken_once(table: Table) -> None:
    """A second wish for the same card is not one for whatever lies in its slot by then."""
    card = table.games.load(GAME).game.display[0]
    assert card is not None
    count = table.games.load(GAME).game.display.count(card)
    lines = "\n".join([f"take {WORDS['en'].cards[card]}"] * (count + 1))
    assert table.take(letter(lines)) is Verdict.TAKEN
    (answer,) = table.outbox.answers
    assert answer.refusal is not None
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
    foreign = message_id("turn", before, 1, GAME, "example.org")  # another seat's mail, and a version of the future
    assert table.take(letter("draw", name="f", answers=foreign)) is Verdict.TAKEN
    assert table.version > after


def test_a_version_that_does_not_exist_means_nothing(table: Table) -> None:
    """In-Reply-To can be forged: it makes the service more careful, never less, and breaks nothing."""
    before = table.version
    assert table.take(letter(answers=message_id("turn", 99999, 0, GAME, "example.org"))) is Verdict.TAKEN
    assert table.version > before


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
    assert table.take(letter(f"take {WORDS['en'].cards[card]}"), receiver=receiver) is Verdict.TAKEN
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
    assert answer.refusal is not None
    assert (answer.refusal.name, answer.wish) == ("reply.back", None)
    assert table.types_after(answer.since) == ["SeatReclaimed"]
