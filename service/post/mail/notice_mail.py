"""The mail for a notice, composed when it is sent."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from email.message import EmailMessage
from typing import Final

import orjson

from domain.clock.deadline import bank_from, deadline, player_of
from domain.fairness.canonical import JsonObject
from service.gamelog.notes import load_note
from service.gamelog.store.analyses import Analyses
from service.post import notices
from service.post.attempt import Attempt, MailSettings
from service.post.mail import composer
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.contents import tell_invitation
from service.post.mail.headers import mark_mail
from service.post.mail.rendering import Envelope
from service.post.snapshot import SeatSnapshot, take_snapshot


def write_mail(attempt: Attempt, settings: MailSettings) -> EmailMessage:
    """The mail for a notice. Raises StoreUnavailable, CorruptLog and NoSuchGame."""
    return _COMPOSERS[attempt.notice.type](attempt, settings)


def _envelope(attempt: Attempt, settings: MailSettings) -> Envelope:
    """Sender and receiver. Whether the receiver of a confirmation plays isn't known yet."""
    notice, subscription = attempt.notice, attempt.subscription
    assert subscription.email is not None, "a mail needs an address"
    seat = notice.game, notice.seat, subscription.nonce
    is_player = notice.type not in {notices.CONFIRMATION, notices.TOKEN}

    def reply_to(kind: str, version: int, shown: int) -> str | None:
        return settings.reply_to(*seat, mark_mail(kind, version, shown, subscription.generation))

    return Envelope(
        sender=settings.sender,
        recipient=subscription.email,
        language=subscription.language,
        public_url=settings.public_url,
        sent_at=attempt.created,
        reply_to=reply_to if is_player and settings.reply_to(*seat, b"") else None,
        unsubscribe_url=f"{settings.public_url}/unsubscribe/{settings.links.unsubscribe(*seat)}" if is_player else None,
        zone=subscription.zone,
        token=settings.issue_token(notice.game, notice.seat, subscription.generation) if is_player else None,
    )


def _parts(attempt: Attempt, settings: MailSettings) -> tuple[SeatSnapshot, Envelope, int]:
    """What each mail with the table is composed of: those of a turn also of the seat's note.

    The game is as the seat saw it when the notice was judged: a turn that has ended since isn't described by half.
    """
    notice, game = attempt.notice, attempt.loaded.game
    _, events = attempt.games.load_events(notice.game, 0, game.version)
    snapshot = take_snapshot(game, events, notice.seat, attempt.orders)
    if notice.type in notices.OF_A_TURN:
        snapshot = replace(snapshot, note=load_note(attempt.games.store, notice.game, notice.seat))
    return snapshot, _envelope(attempt, settings), notice.version


def _turn_end(attempt: Attempt) -> composer.TurnEnd | None:
    """Of the seat's own turn, where its person plays it and it has a deadline."""
    game = attempt.loaded.game
    ends = deadline(game) if game.turn_seat == attempt.notice.seat and player_of(game) is None else None
    return None if ends is None else composer.TurnEnd(ends, bank_from(game))


def _find_costliest(attempt: Attempt) -> JsonObject | None:
    """The seat's costliest turn as it is judged, where the game's analysis is ready and names one. One read."""
    game, seat = attempt.notice.game, attempt.notice.seat
    analysis = Analyses(attempt.games.store).find(game) if attempt.loaded.game.winners else None
    if analysis is None or not analysis.packed:
        return None
    done = orjson.loads(analysis.answer)
    judged = {turn["turn"]: turn for turn in done["turns"]}
    return next((judged[turn] for turn in done["seats"][seat]["worst"]), None)


def _confirmation(attempt: Attempt, settings: MailSettings) -> EmailMessage:
    notice = attempt.notice
    envelope, kind = _envelope(attempt, settings), "invitation" if attempt.subscription.is_invited else "confirmation"
    digest = settings.quotas.digest(envelope.recipient)
    until = attempt.created + 7 * 86_400_000  # a seat waits no longer
    path = settings.links.confirm(notice.game, notice.seat, notice.detail, digest, until)
    guests = {seat for seat, kept in attempt.subscriptions.items() if kept.is_invited}
    is_guest = attempt.subscription.is_invited
    facts = tell_invitation(attempt.loaded.game, envelope.language, guests) if is_guest else ()
    url = f"{settings.public_url}/confirm/{path}"
    return composer.compose_link(kind, notice.game, notice.seat, envelope, url, facts=facts)


def _token(attempt: Attempt, settings: MailSettings) -> EmailMessage:
    notice = attempt.notice
    nonce, generation, until = notice.detail.split()
    path = settings.links.token(notice.game, notice.seat, nonce, int(generation), int(until))
    url = f"{settings.public_url}/token/{path}"
    return composer.compose_link(notices.TOKEN, notice.game, notice.seat, _envelope(attempt, settings), url)


def _answer(attempt: Attempt, settings: MailSettings) -> EmailMessage:
    return composer.compose_answer(*_parts(attempt, settings)[:2], AnswerMail.from_json(attempt.notice.detail))


def _receiver(attempt: Attempt, settings: MailSettings) -> EmailMessage:
    notice, envelope = attempt.notice, _envelope(attempt, settings)
    url = f"{envelope.public_url}/g/{notice.game}#seat={notice.seat}&token={envelope.token}"
    return composer.compose_link(notice.type, notice.game, notice.seat, envelope, url, notice.detail)


_COMPOSERS: Final[Mapping[str, Callable[[Attempt, MailSettings], EmailMessage]]] = {
    notices.TURN: lambda attempt, by: composer.compose_turn(*_parts(attempt, by), _turn_end(attempt)),
    notices.REMINDER: lambda attempt, by: composer.compose_reminder(*_parts(attempt, by), _turn_end(attempt)),
    notices.SCORING: lambda attempt, by: composer.compose_scoring(*_parts(attempt, by)),
    notices.OVER: lambda attempt, by: composer.compose_over(*_parts(attempt, by), _find_costliest(attempt)),
    notices.MESSAGE: lambda attempt, by: composer.compose_messages(*_parts(attempt, by), attempt.notice.until),
    notices.PEOPLE: lambda attempt, by: composer.compose_people(
        *_parts(attempt, by), max(attempt.notice.version, attempt.notice.until), _turn_end(attempt)
    ),
    notices.CONFIRMATION: _confirmation,
    notices.TOKEN: _token,
    notices.ANSWER: _answer,
    notices.RECEIVER: _receiver,
    notices.DEVICE: _receiver,
    notices.ENDED: _receiver,
    notices.UNUSED: _receiver,
}
"""By a notice's type."""
