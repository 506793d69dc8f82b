"""What a webhook gets: the contract's body, or a chat service's message."""

import json

from domain.clock.deadline import deadline
from domain.clock.timestamps import timestamp
from domain.erasure import ERASED
from domain.view import view_of
from domain.words.catalogue import read
from domain.words.wording import label_seats
from service.post.attempt import Attempt
from service.post.channels.chat import CHAT_FORMS, ChatNotice
from service.post.channels.webhook import Message
from service.post.notices import MESSAGE, OF_A_TURN, POSTED
from service.post.subscriptions import FORMATS, WebhookTarget


def write_webhook(attempt: Attempt, target: WebhookTarget, public_url: str) -> Message:
    """The message for a notice. Raises StoreUnavailable, CorruptLog and NoSuchGame."""
    notice = attempt.notice
    if target.format == FORMATS[0]:
        return Message(id=notice.id, url=target.url, body=_standard_body(attempt), secret=target.secret)
    body = CHAT_FORMS[target.format](chat_notice(attempt, public_url))
    return Message(id=notice.id, url=target.url, body=body, secret=None)


def chat_notice(attempt: Attempt, public_url: str) -> ChatNotice:
    notice, game, messages = attempt.notice, attempt.loaded.game, []
    names = label_seats([seat.name for seat in game.seats])
    if notice.type == MESSAGE:
        _, events = attempt.games.load_events(notice.game, notice.version - 1, notice.until - notice.version + 1)
        said = [event["data"] for event in events if event["type"] == POSTED and event["data"]["seat"] != notice.seat]
        messages = [(names[one["seat"]], one["text"] or ERASED) for one in said]
    return ChatNotice(
        type=notice.type,
        sentences=read(attempt.subscription.language, "chat"),
        link=f"{public_url}/g/{notice.game}",
        players=names,
        table=game.name,
        seat=notice.seat,
        deadline=deadline(game) if notice.type in OF_A_TURN else None,
        messages=messages,
    )


def _standard_body(attempt: Attempt) -> bytes:
    notice, loaded = attempt.notice, attempt.loaded
    view = view_of(loaded.game, notice.seat, loaded.hash.hex())
    data = {"game": notice.game, "seat": notice.seat, "version": max(notice.version, notice.until), "view": view}
    body = {"type": notice.type, "timestamp": timestamp(attempt.created), "data": data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
