"""What a webhook gets: the contract's body, or a chat service's message."""

import json

from domain.clock.deadline import deadline
from domain.clock.timestamps import timestamp
from domain.view import view_of
from domain.words.wording import label_seats
from service.gamelog.cache import LoadedGame
from service.gamelog.reader import GameReader
from service.post.channels.chat import CHAT_FORMS, ChatNotice
from service.post.channels.webhook import Message
from service.post.notices import MESSAGE, OF_A_TURN, Notice
from service.post.outbox import notice_id
from service.post.subscriptions import WebhookTarget


def write_webhook(  # noqa: PLR0913 - what the body is made of
    notice: Notice,
    created: int,
    loaded: LoadedGame,
    target: WebhookTarget,
    games: GameReader,
    language: str,
    public_url: str,
) -> Message:
    """The message for a notice that was added at `created` (ms since 1970): the seat's view is that of `loaded`.

    Raises StoreUnavailable, CorruptLog and NoSuchGame.
    """
    if target.format == "standard":
        return Message(
            id=notice_id(notice), url=target.url, body=_standard_body(notice, created, loaded), secret=target.secret
        )
    game, author, text = loaded.game, "", ""
    names = label_seats([seat.name for seat in game.seats], "")
    if notice.type == MESSAGE:
        _, (event,) = games.load_events(notice.game, notice.version - 1, 1)
        author, text = names[event["data"]["seat"]], event["data"]["text"]
    chat = ChatNotice(
        type=notice.type,
        language=language,
        link=f"{public_url}/g/{notice.game}",
        players=names,
        seat=notice.seat,
        deadline=deadline(game) if notice.type in OF_A_TURN else None,
        author=author,
        text=text,
    )
    return Message(id=notice_id(notice), url=target.url, body=CHAT_FORMS[target.format](chat), secret=None)


def _standard_body(notice: Notice, created: int, loaded: LoadedGame) -> bytes:
    view = view_of(loaded.game, notice.seat, loaded.hash.hex())
    data = {"game": notice.game, "seat": notice.seat, "version": notice.version, "view": view}
    body = {"type": notice.type, "timestamp": timestamp(created), "data": data}
    return json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
