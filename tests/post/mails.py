"""Mails for tests: positions that repeat, envelopes, and the files that the texts are kept in.

`python -m tests.post.mails` writes the kept texts again.
"""

from collections.abc import Iterator
from email import message_from_bytes
from email.headerregistry import Address
from email.message import EmailMessage
from email.policy import default
from functools import cache
from pathlib import Path
from typing import Any, Final

from domain.clock.deadline import SILENT_MS
from domain.clock.pace import Pace
from domain.commands import CompleteScoring, GiveConsent, PostMessage
from domain.decide import decide
from domain.events import Event
from domain.state import Game
from domain.words.catalogue import LANGUAGES
from domain.words.refusals.sentences import Sentence
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.composer import (
    TurnEnd,
    compose_answer,
    compose_link,
    compose_messages,
    compose_over,
    compose_people,
    compose_reminder,
    compose_scoring,
    compose_turn,
)
from service.post.mail.contents import tell_invitation
from service.post.mail.rendering import Envelope
from service.post.snapshot import SeatSnapshot, take_snapshot
from tests.support.play import numbered, play_game, play_until, steps

KEPT: Final = Path(__file__).with_name("kept")
"""The plain text of each type of mail in each language."""
SENT_AT: Final = 1_800_000_000_123
DEADLINE: Final = 1_800_200_000_000
COSTLIEST = {"turn": 14, "loss": 1.52, "reason": {"code": "leader", "business": "oil", "seat": 1}}
END: Final = TurnEnd(DEADLINE)
SENDER: Final = Address("Reibach & Co.", addr_spec="reibach@example.org")


def envelope(language: str = "en", **changes: Any) -> Envelope:
    """An envelope to Anna, with all that is optional but a token."""
    return Envelope(
        **{
            "sender": SENDER,
            "recipient": "anna@example.com",
            "language": language,
            "public_url": "https://play.example.org",
            "sent_at": SENT_AT,
            "reply_to": lambda *_: "reply+abc@in.example.org",
            "unsubscribe_url": "https://play.example.org/unsubscribe/abc",
            **changes,
        }
    )


def snapshot(game: Game, events: list[Event], seat: int | None = None) -> SeatSnapshot:
    """The position as a seat sees it; None: the one whose turn it is."""
    return take_snapshot(game, numbered(events), game.turn_seat if seat is None else seat)


@cache
def at_turn(commands: int = 60, players: int = 3) -> SeatSnapshot:
    return snapshot(*play_until(players, "mail", commands))


@cache
def after_scoring() -> SeatSnapshot:
    events: list[Event] = []
    for command, decision in steps(3, "mail"):
        events += decision.events
        if isinstance(command, CompleteScoring):
            return snapshot(decision.game, events, 1)
    raise AssertionError("a game has three scoring rounds")


@cache
def at_end(seat: int = 1) -> SeatSnapshot:
    """Seat 1 has won."""
    game, commands = play_game(3, "mail")
    return snapshot(game, [event for events in commands for event in events], seat)


@cache
def with_messages(*said: tuple[int, str]) -> SeatSnapshot:
    """A game whose last events are these messages, of seat and text; the reader is seat 1."""
    game, events = play_until(3, "mail", 30)
    for seat, text in said:
        posted = decide(PostMessage(seat=seat, text=text, salt="0f" * 16), game)
        game, events = posted.game, events + posted.events
    return snapshot(game, events, 1)


def with_consent(to: str) -> SeatSnapshot:
    """A game in which a player has agreed to pause it, or to release the reader."""
    game, events = play_until(3, "mail", 30)
    reader = game.turn_seat
    about = reader if to == "release" else None
    agreed = decide(GiveConsent(seat=(reader + 1) % 3, to=to, about=about), game, game.at + SILENT_MS)
    return snapshot(agreed.game, events + agreed.events)


def within_turn() -> SeatSnapshot:
    """The turn of `at_turn` after its first action."""
    return at_turn(61)


def answers() -> Iterator[tuple[str, AnswerMail]]:
    """What may become of a mail about the game `within_turn`."""
    turn = within_turn()
    start = next(event["version"] for event in reversed(turn.events) if event["type"] == "TurnStarted")
    both = {"id": "00ff" * 4, "mail": "<CAF+1=x@mail.example.com>"}
    refused = Sentence("no-such-row.several", {"row": 9, "first": 1, "last": 2})
    unread = Sentence("reply.unknown", {"line": 1, "text": "take <b>it</b> & \u05d0"})
    yield "answer", AnswerMail(since=start, until=turn.version, **both)
    yield (
        "answer-part",
        AnswerMail(since=start, until=turn.version, refusal=refused, wish="append gold 9", has_unsent=True, **both),
    )
    yield "answer-none", AnswerMail(since=turn.version, until=turn.version, refusal=unread, **both)


def all_mails(language: str) -> Iterator[tuple[str, EmailMessage]]:
    to, local = envelope(language), envelope(language, zone="Europe/Berlin")
    turn, message = at_turn(), with_messages((0, "Well played!\n-- \ndraw\n> take 0"))
    yield "turn", compose_turn(turn, local, turn.version, TurnEnd(DEADLINE, DEADLINE - 2 * 86_400_000))
    yield "reminder", compose_reminder(turn, to, turn.version, END)
    yield "scoring", compose_scoring(scored := after_scoring(), to, scored.version)
    yield "over", compose_over(over := at_end(), to, over.version)
    yield "over-lost", compose_over(at_end(0), to, over.version, costliest=COSTLIEST)
    yield "message", compose_messages(message, to, message.version, message.version)
    several = with_messages((0, "Well played!"), (1, "Thanks!"), (2, "Hm.\nNext time …"), (0, "And now?"))
    yield "messages", compose_messages(several, to, several.version - 3, several.version)
    yield "people", compose_people(asked := with_consent("pause"), to, at := asked.version, at, END)
    for kind, answer in answers():
        yield kind, compose_answer(within_turn(), to, answer)
    game = play_until(3, "mail", 30)[0].copy()
    game.name, game.pace = "Club \u2116 4", Pace(turn_seconds=3 * 86_400)
    for kind, facts in (("confirmation", ()), ("invitation", tell_invitation(game, language, {1}))):
        yield kind, compose_link(kind, "abc", 1, to, "https://play.example.org/confirm/xyz", facts=facts)


def parse(mail: EmailMessage | bytes) -> EmailMessage:
    content = mail if isinstance(mail, bytes) else mail.as_bytes()
    parsed = message_from_bytes(content, policy=default)
    assert isinstance(parsed, EmailMessage)
    assert not [part.defects for part in parsed.walk() if part.defects]
    return parsed


def text_of(mail: EmailMessage, kind: str = "plain") -> str:
    body = parse(mail).get_body((kind,))
    assert body is not None
    content: str = body.get_content()
    return content.replace("\r\n", "\n")


def kept_text(mail: EmailMessage) -> str:
    """What is kept of a mail: its subject and its plain text."""
    return f"Subject: {parse(mail)['Subject']}\n\n{text_of(mail)}"


if __name__ == "__main__":
    for language in LANGUAGES:
        for kind, mail in all_mails(language):
            (KEPT / f"{kind}.{language}.txt").write_text(kept_text(mail), "utf-8")
