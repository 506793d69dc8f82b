"""Answers to mails: what they say of the mail, and the headers by which no program answers them."""

from dataclasses import replace

import pytest

from domain.words import LANGUAGES
from domain.words.refusals import word_refusal
from domain.words.refusals.sentences import Sentence, word_for_table
from service.post.mail.answer import Answer
from service.post.mail.composer import compose_answer
from service.post.mail.headers import read_message_id
from tests.post.mails import answers, envelope, parse, text_of, within_turn

ANSWERS = dict(answers())


@pytest.mark.parametrize("kind", ANSWERS)
def test_an_answer_is_stored_and_read_again(kind: str) -> None:
    """As JSON, the refusal in no language."""
    assert Answer.from_json(ANSWERS[kind].to_json()) == ANSWERS[kind]


def test_headers_of_an_answer() -> None:
    """It goes to the address of the seat, in the thread of the player's mail, and says that a program wrote it."""
    answer = ANSWERS["answer"]
    mail = parse(compose_answer(within_turn(), envelope(), answer))
    assert mail["To"].addresses[0].addr_spec == "anna@example.com"
    assert mail["Auto-Submitted"] == "auto-replied"
    assert mail["X-Loop"] == "reibach@example.org"
    assert mail["In-Reply-To"] == "<CAF+1=x@mail.example.com>"
    assert mail["References"] == "<game.0.game-mail@example.org> <CAF+1=x@mail.example.com>"
    assert mail["Reply-To"] == "reply+abc@in.example.org"
    told = read_message_id(mail["Message-ID"], "example.org")
    assert told == ("game-mail", 0, answer.until)
    other = parse(compose_answer(within_turn(), envelope(), replace(answer, id="1234", mail=None)))
    assert other["Message-ID"] != mail["Message-ID"]
    assert other["In-Reply-To"] == "<game.0.game-mail@example.org>"


@pytest.mark.parametrize("language", LANGUAGES)
def test_an_answer_says_what_was_done_and_what_is_left(language: str) -> None:
    """Sentences of the events of the mail alone; of a refusal the action, too."""
    said = {kind: text_of(compose_answer(within_turn(), envelope(language), one)) for kind, one in ANSWERS.items()}
    assert "append gold 9" in said["answer-part"]
    assert len({text.splitlines()[0] for text in said.values()}) == 3
    assert said["answer"].count("\n  - ") == said["answer-part"].count("\n  - ") == 1
    assert "\n  - " not in said["answer-none"]
    assert "#seat=0" in said["answer-none"]


def test_rows_are_counted_from_one() -> None:
    """All values of a refusal that are rows, and no others."""
    counted = word_for_table(Sentence("no-such-row.several", {"row": 4, "first": 0, "last": 2}), [])
    assert counted.values == {"row": 5, "first": 1, "last": 3}
    other = Sentence("too-many-businessmakers", {"rows": 6})
    assert word_for_table(other, []) == other


@pytest.mark.parametrize(("names", "said"), [(["Anna", "Bert"], "Bert"), (["Bert", "Bert"], "Bert (2)")])
def test_seats_have_names_and_no_numbers(names: list[str], said: str) -> None:
    """Equal names are numbered from 1, as in the table that the same mail shows."""
    worded = word_for_table(Sentence("not-your-turn", {"seat": 1, "name": "Bert"}), names)
    assert word_refusal(worded, "en") == f"It is {said}'s turn."
    ended = Sentence("not-your-turn.timed-out")
    assert word_for_table(ended, names) == ended


@pytest.mark.parametrize(
    "text", ["", "<a@example.org>", "<game.0.abc@example.org>", "<turn.1.0.abc@example.com>", "<..@>"]
)
def test_other_ids_are_not_own(text: str) -> None:
    """Of other domains, of other forms."""
    assert read_message_id(text, "example.org") is None
