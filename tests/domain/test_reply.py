"""Answer mails: what they ask for, or what is said about them."""

from pathlib import Path
from random import Random
from time import process_time
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.commands import Append, Draw, LayBusinessmaker, TakeCard
from domain.words.catalogue import LANGUAGES, read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence
from domain.words.reply import MOST_ACTIONS, Reply, read_message, read_reply, write_wish
from domain.words.reply.clause import EXPECTED, MailWish, Word
from domain.words.reply.quoting import LONGEST_LINE, MOST_CHARACTERS, MOST_LINES
from domain.words.reply.vocabulary import _VALUED, Role, fold, tokens_of
from tests.support.actions import imaginable
from tests.support.profiles import examples
from tests.support.replies import show

REPLIES = Path(__file__).with_name("replies")
TABLES = [read(language, "reply") for language in LANGUAGES]
WORDS_OF_ALL = sorted(
    {
        word
        for table in TABLES
        for part in (table.roles, table.words, table.numbers)
        for words in part.values()
        for word in words
    }
    | {word for table in TABLES for names in table.cards.values() for word in names}
    | {word for table in TABLES for word in (*table.greetings, *table.farewells)}
    | {*",;?.:>-&\n", "\n\n", "0", "1", "2", "3", "10", "2x", "wrote:", "On "}
)
ANY_TEXT = st.one_of(
    st.text(st.characters(exclude_categories=()), max_size=300),
    st.lists(st.sampled_from(WORDS_OF_ALL), max_size=60).map(" ".join),
)
WISHES: list[MailWish | Word] = [*imaginable(*get_args(MailWish))]


def _lines(name: str) -> list[str]:
    text = (REPLIES / f"{name}.txt").read_text("utf-8")
    return [line for line in text.splitlines() if "=" in line and not line.startswith("#")]


@pytest.mark.parametrize("line", _lines("mails"), ids=lambda line: " ".join(line.split()))
def test_mails_of_the_table(line: str) -> None:
    """Each mail asks for what is written after it."""
    body, _, expected = line.rpartition("= ")
    reply = read_reply("\r\n".join(part.strip() for part in body.split(" /")), "Anna Gold")
    assert show(reply) == expected
    assert bool(reply.wishes or reply.word) is (reply.error is None)


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_people_write_is_read(language: str) -> None:
    """Of each language's natural lines nearly all are understood, and none wrongly; what may not be read never is."""
    lines = [(body.strip(), expected) for body, _, expected in (line.rpartition("= ") for line in _lines(language))]
    shown = [(body, expected, show(read_reply(body.replace(" / ", "\n"), "Anna"))) for body, expected in lines]
    natural = [(body, expected, found) for body, expected, found in shown if expected != "no"]
    missed = [each for each in natural if ": reply." in each[2]]
    assert [each for each in natural if each[1] != each[2] and each not in missed] == []
    assert [each for each in shown if each[1] == "no" and ": reply." not in each[2]] == []
    assert len(natural) >= 60
    assert len(missed) <= len(natural) * 0.1, missed


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_action_is_read_as_it_is_written(language: str) -> None:
    for wish in WISHES:
        text = write_wish(wish, language)
        assert read_reply(text) == read_reply(text.upper()) == Reply((wish,)), text
    chance = Random(1)
    for mark in ("\n", "; ", ", ", "\n\n"):
        three = tuple(chance.sample(WISHES, 3))
        assert read_reply(mark.join(write_wish(wish, language) for wish in three)) == Reply(three)


@given(ANY_TEXT)
def test_any_text_is_read(body: str) -> None:
    """Nothing raises; there are a few actions or a word, or an error, and the error has words in each language."""
    reply = read_reply(body)
    assert len(reply.wishes) <= MOST_ACTIONS
    assert bool(reply.wishes or reply.word) is (reply.error is None)
    if reply.error:
        for language in LANGUAGES:
            phrase_refusal(reply.error, language).encode()


@examples(0.6)
@given(ANY_TEXT, ANY_TEXT)
def test_what_is_quoted_adds_nothing(body: str, quoted: str) -> None:
    """Below a line that begins a quotation any text may stand, if something stands above; or the mail is refused."""
    reply = read_reply(f"hi\n{body}\n> {quoted}\n{quoted}")
    assert reply.error or reply == read_reply(f"hi\n{body}")


def test_an_error_names_the_line_and_what_was_expected() -> None:
    """The line by number and text, which is never a template, with an example in the player's language."""
    error = read_reply("Hallo,\n\nnimm {card} \u202e\x1b" + "x" * 99).error
    assert error is not None
    assert phrase_refusal(error, "de") == (
        "Zeile 3 („nimm {card}  " + "x" * 46 + "…“): Nenne eine offene Karte mit ihrem Platz, von 1 an gezählt, "
        "oder mit Namen, zum Beispiel: nimm 2."
    )
    assert phrase_refusal(Sentence("reply.too-many", {"line": 4, "most": 3}), "en") == (
        "Line 4 is one action too many: an email may have 3."
    )


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_examples_of_errors_are_understood(language: str) -> None:
    """What an error shows as an example can be sent as it is."""
    for name in ("empty", "no-text", "unknown", "say", "vacation", "row", *(role.name.lower() for role in EXPECTED)):
        text = phrase_refusal(Sentence(f"reply.{name}", {"line": 1, "text": "?", "most": 3}), language)
        example = text.rstrip(".").rpartition(": ")[2]
        for action in example.split(", "):
            assert read_reply(action).error is None, text


def test_a_word_has_one_role() -> None:
    """In each language, and each role is one of the reader's; so are names, numbers, and what else can be asked."""
    for table in TABLES:
        valued = {Role.ROW_OF, Role.NAMELY, *_VALUED.values()}
        assert {role.upper() for role in table.roles} == {role.name for role in Role if role not in valued}
        parts = [(part, name, words) for part in ("roles", *_VALUED) for name, words in table[part].items()]
        roles = {(tokens_of(fold(word)), part, name) for part, name, words in parts for word in words}
        words = [word for word, *_ in roles]
        assert len(words) == len(set(words)), sorted(word for word in words if words.count(word) > 1)


def test_work_is_bounded() -> None:
    """Large texts of any kind take no more time than many small ones, and what stands far below isn't read."""
    start = process_time()
    for _ in range(40):
        read_reply("hi anna\n" * (MOST_LINES - 1) + "draw")
    usual = process_time() - start
    units = ["hi\n", "on \n", "a ", "1.", "\n", "- ", "take 1 ", "\u017f", "\ufdfa", "hi,", "hi "]
    for unit in (*units, "hi " + "a," * 98 + "\n", "le " + "\ufdfa" * 196 + "\n"):
        start = process_time()
        read_reply("draw\n\n" + unit * (65536 // len(unit)))
        assert process_time() - start < usual * 3, unit
    assert read_reply("\n" * MOST_LINES + "draw").wishes == ()
    head = "draw\n\n".ljust(MOST_CHARACTERS - len("append gold 1") - 1, ".") + "\n"
    assert read_reply(head + "append gold 10").wishes == ()  # not row 1, and not the first action alone
    assert read_reply(head + "append gold 1").wishes == (Draw(), Append(card="gold", row=0))


@pytest.mark.parametrize("length", [LONGEST_LINE, MOST_CHARACTERS, 5 * MOST_CHARACTERS])
def test_a_line_that_is_too_long_is_named(length: int) -> None:
    """Also where the end of what is read stands within it; it is never taken for its beginning."""
    for before, number in (("", 1), ("draw\n", 2)):
        error = read_reply(f"{before}take {'1' * length}").error
        assert (error.name, error.values["line"]) == ("reply.long", number)
        assert phrase_refusal(error, "en").endswith("is too long: a line may have 200 characters.")


@pytest.mark.parametrize("text", ["\0\x07", "\u2800", "\u200b \u00ad"], ids=ascii)
def test_a_message_that_nobody_sees_is_none(text: str) -> None:
    assert read_reply(f"say {text}").error == Sentence("reply.say", {"line": 1})
    assert read_message(text).error == Sentence("reply.empty")


@pytest.mark.parametrize("rule", ["_" * 32, "-----", "*****"])
def test_an_action_below_a_rule_is_not_lost(rule: str) -> None:
    """A rule may stand above a quotation without marks, a list's footer, or more of the answer."""
    error = read_reply(f"take 2\n{rule}\ndraw\n").error
    assert error is not None
    assert error.values == {"line": 3, "text": "draw"}
    assert read_reply(f"take 2\n{rule}\nThe club's list\nhttps://club.example/leave\n").wishes


def test_a_doubt_below_a_long_quotation_is_heard() -> None:
    quotation = "On 29 Nov 2026 Reibach & Co. <reibach@example.org> wrote:\n" + "> Your hand: Shares\n" * 900
    assert read_reply(f"take 1\n\n{quotation}\nThanks!").wishes
    assert read_reply(f"take 1\n\n{quotation}\nWait, not yet!").error


@pytest.mark.parametrize("body", ["How do I win?", "Hi, I am new to this. When does the money count?"])
def test_a_question_is_offered_help(body: str) -> None:
    assert read_reply(body).offers == (Word("help"),)


def test_first_is_an_adverb_before_an_action() -> None:
    assert read_reply("First I take the risk card. Then I lay property.").wishes == (
        TakeCard(card="risk"),
        LayBusinessmaker(card="property"),
    )


def test_a_greeting_may_say_more() -> None:
    assert read_reply("Hello everybody, nice to play with you!\ntake 1").wishes
    assert read_reply("Hello everybody, wait, not yet\ntake 1").error


def test_what_points_at_a_row_is_no_misspelt_number() -> None:
    assert read_reply("put the risk card there too").offers == ()
