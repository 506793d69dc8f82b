"""Mails that converse, over SMTP: words in four languages, messages, and what a number means."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from domain.commands import (
    Append,
    AppendTo,
    Draw,
    GiveConsent,
    LayBusinessmaker,
    PostMessage,
    Take,
    TakeCard,
    TakeVacation,
    WithdrawConsent,
)
from domain.state import Game
from domain.words.catalogue import LANGUAGES, read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence
from domain.words.reply import Reply, read_message, read_reply
from domain.words.reply.clause import AppendToRow, MailWish
from domain.words.reply.nearest import find_nearest
from domain.words.reply.vocabulary import fold
from domain.words.wording import words_of
from service.gamelog.notes import load_note
from service.post.inbox.commands import ask_back, command_of
from service.post.inbox.html_text import text_of_html
from service.post.inbox.receiver import Verdict
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.composer import compose_answer
from service.post.mail.contents import label_action
from service.post.mail.headers import SHOWN, message_id, read_message_id
from service.post.snapshot import take_snapshot
from service.signing.tokens import Tokens
from tests.post.inbox import GAME, Table, letter, send, serving
from tests.post.mails import all_mails, at_turn, envelope, text_of


def write(table: Table, text: str, to: str | None = None, **letter_of: Any) -> Any:
    """Send a mail of Anna's; its AnswerMail, if there is one.

    `to`: an address, if not that of the turn's mail, or without a mark where `answers` tell what it answers.
    """
    before, to = len(table.outbox.answers), to or table.address(0, kind="" if "answers" in letter_of else "turn")
    with serving(table.receiver()) as server:
        assert send(server, letter(text, **letter_of).replace(b"\n", b"\r\n"), to) == {}
    if len(table.outbox.answers) == before:
        return None
    answer = AnswerMail.from_json(table.outbox.answers[-1].to_json())
    for language in LANGUAGES if answer.refusal else ():
        assert phrase_refusal(answer.refusal, language)
    return answer


def _id(kind: str, version: int, shown: int | None = None) -> str:
    """What an answer names: the mail, and by its references the version whose table that showed."""
    of = version, 0, GAME, "example.org"
    return " ".join([*([message_id(SHOWN, *of, shown)] if shown else []), message_id(kind, *of)])


def agree(table: Table, *agreements: str, seat: int = 1) -> None:
    for to in agreements:
        table.games.handle(GAME, GiveConsent(seat=seat, to=to))


WORDS: dict[str, tuple[Callable[[Table], object], str, list[str]]] = {
    "help": (lambda _: None, "help", []),
    "status": (lambda _: None, "status", []),
    "resign": (lambda _: None, "resign", []),
    "pause": (lambda _: None, "done", ["ConsentGiven"]),
    "cancel": (lambda _: None, "done", ["ConsentGiven"]),
    "agree": (lambda table: agree(table, "pause"), "done", ["ConsentGiven", "GamePaused"]),
    "withdraw": (lambda table: agree(table, "cancel", seat=0), "done", ["ConsentWithdrawn"]),
    "resume": (lambda table: [agree(table, "pause", seat=seat) for seat in (0, 1)], "done", ["GameResumed"]),
    "vacation": (lambda _: None, "done", ["VacationTaken"]),
    "reclaim": (lambda table: table.abandon(0), "done", ["SeatReclaimed"]),
    "say": (lambda _: None, "said", ["MessagePosted"]),
    "note": (lambda _: None, "noted", []),
}


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("language", LANGUAGES)
def test_each_word_in_each_language(table: Table, language: str, word: str) -> None:
    """It does what a request would do, and its answer says so; a copy of the mail does nothing more."""
    prepare, kind, types = WORDS[word]
    prepare(table)
    before, words = table.version, read(language, "reply")
    table.now[0] = table.games.load(GAME).game.at
    day = datetime.fromtimestamp(table.now[0] / 1000, UTC) + timedelta(days=3)
    behind = {
        "vacation": f"{words.vacations[0]} {day.day}.{day.month}.",
        "say": f"{words.says[0]} \u00d6l!\n\n\U0001f600",
        "note": f"{words.words['note'][0].capitalize()}: \u00d6l!\n\nTake 2.",
    }
    for _ in range(2):
        write(table, behind.get(word, words.words[word][0]), answers=_id("people", before))
        (answer,) = table.outbox.answers
        assert (answer.kind, table.types_after(before), answer.is_done) == (kind, types, bool(types))
        assert load_note(table.games.store, GAME, 0) == ("\u00d6l!\n\nTake 2." if word == "note" else "")


def test_a_note_has_something_to_keep_and_a_mail_of_its_own(table: Table) -> None:
    """Below an action `Note: ...` is what a company writes below each mail."""
    assert write(table, "note").refusal.name == "reply.note"
    assert write(table, "note " + "x" * 2001, name="2").refusal.name == "reply.note-long"
    assert write(table, "draw\n\nNote: This is confidential.", name="3").is_done
    assert load_note(table.games.store, GAME, 0) == ""


@pytest.mark.parametrize("language", LANGUAGES)
def test_stop_ends_the_mails(table: Table, language: str) -> None:
    assert write(table, read(language, "reply").words["stop"][0]) is None
    assert table.subscriptions.load_seat(GAME, 0) is None


def test_resigning_is_asked_back(table: Table) -> None:
    """By a mail whose answer `yes` does it; to no other mail."""
    before = table.version
    asked = write(table, "I resign")
    assert (asked.kind, asked.refusal.name) == ("resign", "reply.resign")
    told = read_message_id(compose_answer(at_turn(), envelope(), asked)["Message-ID"], "example.org")
    assert (told.kind, told.version) == ("resign", asked.until)
    assert write(table, "yes", name="2").refusal.name == "reply.no-yes"
    forged = [_id(kind, before) for kind in ("answer.00", "resign.00", "cancel.00")]  # anybody can write these
    forged += [f"<people.{version}-{before}.0.{GAME}@example.org>" for version in (0, before + 9)]
    for number, answers in enumerate(forged):
        assert write(table, "yes", name=f"forged{number}", answers=answers).refusal.name == "reply.no-yes"
    asking = table.address(0, kind="resign")
    assert write(table, "No, thanks!", asking, name="no").kind == "no"
    assert write(table, "Yes, please!", asking, name="4", answers="<0100@eu-west-1.amazonses.com>").kind == "done"
    assert table.types_after(before) == ["PlayerResigned"]


@pytest.mark.parametrize(
    ("kind", "text", "does", "says"),
    [("people", "Gern!", "ConsentGiven", "agree to pause"), ("resign", "Jawoll!", "PlayerResigned", "resign")],
)
def test_a_refused_answer_leaves_its_question_open(table: Table, kind: str, text: str, does: str, says: str) -> None:
    """The mail that refuses it asks again, and `yes` to that counts, also where refusals get no answer any more.

    Nothing is asked beside the offer of something else.
    """
    agree(table, "pause")
    before, asking = table.version, table.address(0, kind=kind)
    refused = write(table, text, asking)
    own = take_snapshot(table.games.load(GAME).game, table.games.load_events(GAME, 0)[1], 0)
    to = envelope(reply_to=lambda *mark: table.address(0, "nonce", *mark))
    mail = compose_answer(own, to, refused)
    assert "yes" in text_of(mail).partition("\n\n")[2]
    assert write(table, "nim 2", asking, name="offer").question is None
    for number in range(20):
        write(table, "frobnicate", name=f"{number}")
    done = write(table, "Yes! eve\nsales", str(mail["Reply-To"]), name="yes")
    assert table.types_after(before)[0] == does
    own = take_snapshot(table.games.load(GAME).game, table.games.load_events(GAME, 0)[1], 0)
    assert text_of(compose_answer(own, to, done)).startswith(f"By your email: You {says}")


def test_two_things_to_agree_to_are_asked_back(table: Table) -> None:
    """With the lines that say to which; nothing is agreed to where nothing is asked for."""
    assert write(table, "agree").refusal.name == "reply.nothing-asked"
    agree(table, "cancel", "pause")
    asked = write(table, "einverstanden", name="2")
    assert (asked.kind, list(asked.refusal.values["values"])) == ("asked", ["agree cancel", "agree pause"])
    before, game = table.version, table.games.load(GAME).game.copy()
    assert write(table, "agree to pause", name="3").kind == "done"
    assert table.types_after(before) == ["ConsentGiven", "GamePaused"]
    game.consents, own = frozenset({(1, "pause"), (1, "release")}), game.turn_seat  # nobody releases the own seat
    assert command_of(Reply(word="release"), game, own, "en", "UTC", 0) == Sentence("reply.own-turn")
    assert command_of(Reply(word="agree"), game, own, "en", "UTC", 0) == GiveConsent(seat=own, to="pause")


def test_yes_agrees_to_the_request_that_it_answers(table: Table) -> None:
    """While that stands; a mail about anything else has no request."""
    agree(table, "pause")
    to = _id("people", table.version)
    table.games.handle(GAME, WithdrawConsent(seat=1, to="pause"))
    assert write(table, "yes", answers=to).refusal.name == "reply.no-yes"
    agree(table, "pause")
    before = table.version
    assert write(table, "oui", name="2", answers=_id("people", before - 1)).refusal.name == "reply.no-yes"
    assert write(table, "yes", name="any", answers="<0100@eu-west-1.amazonses.com>").refusal.name == "reply.no-yes"
    assert write(table, "Ja, von mir aus!", name="3", answers=to).kind == "done"
    assert table.types_after(before) == ["ConsentGiven", "GamePaused"]


def test_who_is_back_ends_a_vacation(table: Table) -> None:
    table.now[0] = table.games.load(GAME).game.at
    table.games.handle(GAME, TakeVacation(seat=0, until=table.now[0] + 3 * 86_400_000))
    before = table.version
    assert write(table, "Urlaub beenden").kind == "done"
    assert table.types_after(before) == ["VacationEnded"]


def test_an_answer_to_a_message_is_one(table: Table) -> None:
    """But for one that could be meant for the game: that is asked back."""
    said = table.games.handle(GAME, PostMessage(seat=1, text="At eight?")).events[-1]["version"]
    to = _id("message", said)
    assert write(table, "Ja, om acht uur, a@b.example!\n> At eight?", answers=to).kind == "said"
    assert write(table, "yes", name="2", answers=to).kind == "said"
    assert write(table, "say take 2", name="3", answers=_id("messages", said, 2)).kind == "said"
    assert [write(table, text, name=text, answers=to).kind for text in ("help", "status")] == ["help", "status"]
    for number, text in enumerate(("take 2\ndraw", "pause", "stop")):
        asked = write(table, text, name=f"q{number}", answers=to)
        assert (asked.kind, asked.is_done, asked.refusal.name) == ("asked", False, "reply.message")
    assert write(table, "x\n" * 1001, name="long", answers=to).refusal.name == "reply.message-long"
    texts = [event["data"]["text"] for event in table.games.load_events(GAME, said)[1]]
    assert texts == ["Ja, om acht uur, a@b.example!", "yes", "take 2"]


def test_agreeing_means_what_the_answered_mail_told(table: Table) -> None:
    """What is asked for by now is asked back, with the line that agrees to it; so is the end of the game."""
    agree(table, "pause")
    paused = _id("people", table.version)
    table.games.handle(GAME, WithdrawConsent(seat=1, to="pause"))
    agree(table, "cancel")
    before, told = table.version, _id("people", table.version)
    for name, answers in (("other", paused), ("none", None)):
        asked = write(table, "agree", name=name, answers=answers)
        assert (asked.refusal.name, list(asked.refusal.values["values"])) == ("reply.which", ["agree cancel"])
    for text in ("agree", "agree cancel", "cancel"):
        asked = write(table, text, name=text.replace(" ", "."), answers=told)
        assert (asked.kind, asked.refusal.name, table.version) == ("cancel", "reply.cancel", before)
    own = compose_answer(at_turn(), envelope(), asked)["Message-ID"]
    for text in ("yes", "agree"):
        answer = write(table, text, name=f"forged.{text}", answers=_id(own[1:].split(".")[0] + ".00", before))
        assert (answer.is_done, table.version) == (False, before)
    assert write(table, "yes", table.address(0, kind="cancel"), name="yes").is_done
    assert table.types_after(before) == ["ConsentGiven", "GameCancelled"]


def test_who_is_released_is_whom_the_answered_mail_named(table: Table) -> None:
    told = table.games.load(GAME).game.copy()
    told.consents, consent = frozenset({(1, "release")}), GiveConsent(seat=0, to="release", about=told.turn_seat)
    (later := told.copy()).turn_version += 1
    for is_named in (True, False):
        assert ask_back(consent, told, told, "en", 0, False, is_named) is None
        for then in (told, Game()):
            assert ask_back(consent, later, then, "de", 0, False, is_named).name == "reply.which"


def test_absence_responders_at_one_table_change_nothing(table: Table) -> None:
    """For a week two of them answer each mail about a message: nothing is posted or taken, and nobody is answered."""
    said = table.games.handle(GAME, PostMessage(seat=1, text="At eight?")).events[-1]["version"]
    subjects = "Subject: Abwesenheitsnotiz: Anna und Bert (Reibach)", "Subject: Out of office: Anna and Bert (Reibach)"
    for number in range(7 * 24):
        table.now[0] += 3600_000
        for seat, subject in enumerate(subjects):
            notice = letter("Ich bin im Urlaub bis 5.12.", f"{seat}.{number}", _id("message", said), [subject])
            assert table.take(notice, seat) is Verdict.TAKEN
    assert (table.version, table.outbox.answers) == (said, [])


@pytest.mark.parametrize("form", Path(__file__).with_name("quotes.txt").read_text("utf-8").split("\n\n"))
def test_no_quotation_is_published(table: Table, form: str) -> None:
    """In whatever language a mail program introduces it, or doesn't: it is cut off, or nothing of the mail is done."""
    before, secret = table.version, Tokens(["secret"]).issue(GAME, 0)
    told = form.format(link=f"https://reibach.example/g/{GAME}#token={secret}", address=table.address(0))
    for text, answers in (("take 1\nsay hello", None), ("fine, thanks", _id("message", before))):
        answer = write(table, f"{text}\n\n{told}", name=text[:4], answers=answers)
        said = [event["data"]["text"] for event in table.games.load_events(GAME, before)[1]]
        assert said == [text.rpartition("say ")[2]] or (said, answer.is_done) == ([], False)
        before = table.version


@pytest.mark.parametrize("language", LANGUAGES)
def test_own_words_end_where_a_mail_of_the_service_begins(language: str) -> None:
    """With or without an introduction or marks of quotation: such as of an HTML mail, whose links show no address."""
    for mail in (mail for kind, mail in all_mails(language) if kind in {"turn", "reminder", "message", "answer"}):
        for told in (text_of(mail), text_of_html(text_of(mail, "html"))):
            assert read_message(f"fine, thanks\n\n{told}").text == "fine, thanks", told


def test_a_message_follows_actions(table: Table) -> None:
    """Whatever becomes of them; the answer says that it wasn't sent where the mail isn't understood."""
    before = table.version
    assert write(table, "take 1\nsay Thanks, Bob").is_done
    assert table.types_after(before) == ["CardTaken", *table.types_after(before)[1:-1], "MessagePosted"]
    for text in ("take 3\nadd gold to my art row\nsay Hm", "add gold to my art row\nsay Hm"):
        before = table.version
        answer = write(table, text, name=text[:4])
        assert (answer.wish, answer.has_unsent) == ("add Gold to Art", False)
        assert table.types_after(before)[-1] == "MessagePosted"
    unread = write(table, "frobnicate\nsay Hm", name="2")
    assert (unread.is_done, unread.has_unsent) == (False, True)
    assert read("en", "mail").unsent in text_of(compose_answer(at_turn(), envelope(), unread))


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_number_means_what_the_mail_showed(table: Table, is_marked: bool) -> None:
    """Sent twice under two ids, or after orders took the slot: nothing is played, and both cards are named.

    By the address that was answered, whatever a relay has made of the ids; or by these, at an older address.
    """
    version, renamed = table.version, "<0100@eu-west-1.amazonses.com>"

    def answer(text: str, name: str, shown: int | None = None) -> Any:
        if is_marked:
            to = table.address(0, kind="turn", version=version, shown=shown or 0)
            return write(table, text, to, name=name, answers=renamed)
        return write(table, text, name=name, answers=_id("turn", version, shown))

    before = table.games.load(GAME).game.display[1]
    assert answer("take 2", "1").is_done
    now = table.games.load(GAME).game.display[1]
    again = answer("draw\ntake 2", "2")
    assert (again.is_done, again.wish) == (False, None)
    assert again.refusal.values == {"place": 2, "before": before, "card": now}
    later = table.version
    assert answer(f"take {words_of('en').cards[now]}", "3").is_done  # a name is safe
    wrong, card = (words_of("en").cards[each] for each in ("art", table.games.load(GAME).game.display[0]))
    assert answer(f"take 1 ({wrong})", "4", later).refusal.name == "reply.moved"
    assert answer(f"take 1 ({card})", "5", later).is_done


def test_places_and_rows_that_no_mail_showed(table: Table) -> None:
    """A place from which the mail takes before, a row that wasn't there; one that the mail itself opens is right."""
    told, card = _id("turn", table.version), words_of("en").cards[table.games.load(GAME).game.seats[0].hand[0]]
    answer = write(table, "take 1\ntake 1", answers=told)
    assert (answer.is_done, answer.refusal.name) == (False, "reply.taken")
    answer = write(table, f"draw\nadd {card} to row 1", name="2", answers=told)
    assert (answer.is_done, answer.refusal.name) == (False, "reply.no-row")  # nor is there one now
    answer = write(table, f"lay {card}\nadd oil to row 1", name="3", answers=told)
    assert answer.is_done
    assert write(table, f"add {card} to row 1", name="5", answers=told).refusal.name == "reply.new-row"
    assert answer.refusal is None or answer.refusal.name != "reply.new-row"
    answer = write(table, "add oil to my oil row", name="4")
    assert answer.refusal.name in {"no-row-of-business", "card-not-in-hand"}


def test_what_is_not_understood_is_offered(table: Table) -> None:
    """If it is possible now, and never played; neither leaving the game nor what somebody doesn't want."""
    before, display = table.version, table.games.load(GAME).game.display
    table.subscribe(0, language="de")
    shown, hidden = (
        next(words_of("de").cards[card] for card in ("shares", "gold", "oil", "art") if (card in display) is is_shown)
        for is_shown in (True, False)
    )
    offers = {"nim 2": "nimm 2", f"nim {shown}": f"nimm {shown}", "2": "nimm 2", "hlep": "hilfe", "Pause?": "pause"}
    offers |= {"K\u00f6nnen wir eine Pause machen?": "pause", "Wie geht das hier?": "hilfe", "Dann halt: zieh": "zieh"}
    offers |= {"Ich werde wohl aufgeben": "aufgeben"}
    offers |= dict.fromkeys(("weiterspieln", "zur\u00fcckk", "aufgebn", "bitte nicht 2", f"nim {hidden}"), "")
    for text, offer in offers.items():
        assert write(table, text, name=fold(text)).offers == tuple(filter(None, [offer])), text
    assert find_nearest("leg luxusguter darauf") == (AppendTo(card="luxury", business="luxury"),)
    assert write(table, "nimm 2 und 3", name="two").offers == ("nimm 2", "nimm 3")
    assert write(table, f"2 {shown}", name="count").offers == (f"nimm {shown}", "nimm 2")
    assert write(table, "Reihe 1: nur Gesch\u00e4ftemacher (\u00d6l)", name="label").refusal.name == "reply.row"
    assert table.version == before


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_labels_of_mails_are_answers(language: str) -> None:
    """What stands beside an action means that action."""
    snapshot = at_turn()
    assert {type(action) for action, _ in snapshot.actions} == {Draw, Take, LayBusinessmaker, Append}
    for action, _ in snapshot.actions:
        found = read_reply(label_action(snapshot, action, words_of(language))).wishes
        meant: MailWish = action
        if isinstance(action, Take):
            meant = TakeCard(card=snapshot.table.display[action.slot] or "")
        elif isinstance(action, Append) and (business := snapshot.table.seats[0].rows[action.row].business):
            meant = AppendToRow(card=action.card, row=action.row, business=business)
        assert found == (meant,), language
