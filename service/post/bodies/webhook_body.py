"""What a webhook gets: the contract's body, or a chat service's message."""

import json
from collections.abc import Set as AbstractSet
from typing import Final

from domain.clock.deadline import deadline
from domain.clock.timestamps import milliseconds, timestamp
from domain.erasure import ERASED
from domain.fairness.canonical import JsonObject
from domain.projections.recap import BY_ACTION, last_own_action, played_for, recap
from domain.state import Game
from domain.view import redact_event, view_of
from domain.words.catalogue import read
from domain.words.wording import label_seats
from service.post.attempt import Attempt, Transports
from service.post.channels.chat import CHAT_FORMS, ChatNotice
from service.post.channels.webhook import Message
from service.post.notices import MESSAGE, OF_A_TURN, OVER, PEOPLE, POSTED, WORDS_OF_TYPES
from service.post.subscriptions import FORMATS, WebhookTarget

_MOST_SENTENCES: Final = 50
"""Of a recap: the newest. A player who has never acted has missed a whole game."""


def write_webhook(attempt: Attempt, transports: Transports) -> Message:
    """The message for a notice. Raises StoreUnavailable, CorruptLog and NoSuchGame."""
    notice, target = attempt.notice, attempt.subscription.webhook
    assert target is not None, "judged before"
    if target.format == FORMATS[0]:
        body, secret, gone = _standard_body(attempt), target.secret, frozenset({410})
    else:
        told = chat_notice(attempt, target, transports.settings.public_base)
        body, secret, gone = CHAT_FORMS[target.format].write(told), None, frozenset({404, 410})
    text = json.dumps(body, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    return Message(id=notice.id, url=target.url, body=text, secret=secret, gone=gone)


def chat_notice(attempt: Attempt, target: WebhookTarget, public_url: str) -> ChatNotice:
    """In the language of the lowest seat that names the channel, also if it is about another one."""
    notice, game, kind, sharers = attempt.notice, attempt.loaded.game, attempt.notice.type, attempt.sharers
    names = label_seats(game.seats)
    language = next(iter(sharers.values())).language
    readers = {seat for seat, subscription in sharers.items() if WORDS_OF_TYPES[MESSAGE] in subscription.on}
    messages = [(names[message["seat"]], message["text"] or ERASED) for message in told_messages(attempt, readers)]
    until, ends = deadline(game) if kind in OF_A_TURN else None, "until"
    if kind == PEOPLE:
        _, events = attempt.games.load_events(notice.game, 0, notice.version)
        seen, last = [redact_event(event, None, game) for event in events], events[-1]
        messages = [("", item["text"]) for item in recap(seen, notice.version - 1, language, by=BY_ACTION).items]
        until = deadline(game) if last["type"] == "GameResumed" else None
        if last["type"] == "VacationTaken":
            away = read(language, "chat")["away"].format(player=names[last["data"]["seat"]])
            messages, until, ends = [("", away)], milliseconds(last["data"]["until"]), "back"
    elif kind == OVER and not game.winners:
        kind = "game.cancelled"
    scored, points = _points(game, notice.version)
    return ChatNotice(
        type=kind,
        sentences=read(language, "chat"),
        link=f"{public_url}/g/{notice.game}",
        players=names,
        table=game.name,
        seat=notice.seat,
        mention=target.mention if kind in OF_A_TURN else None,
        round=scored,
        points=points,
        winners=game.winners or (),
        deadline=until,
        ends=ends,
        messages=messages,
    )


def told_messages(attempt: Attempt, readers: AbstractSet[int]) -> list[JsonObject]:
    """What the messages of a notice say that some of these seats haven't written; of other notices none."""
    notice = attempt.notice
    if notice.type != MESSAGE:
        return []
    _, events = attempt.games.load_events(notice.game, notice.version - 1, notice.until - notice.version + 1)
    said = [event["data"] for event in events if event["type"] == POSTED]
    return [message for message in said if readers - {message["seat"]}] or said


def _points(game: Game, version: int) -> tuple[int, list[tuple[int, int]]]:
    """The last scoring round up to a version, and of each seat its income then, and its total; 0 if there was none."""
    done = [scored for scored in game.rounds if scored.version <= version]
    if not done:
        return 0, []
    later = game.rounds[len(done) :]
    return len(done), [
        (done[-1].seats[seat]["income"], place.total - sum(scored.seats[seat]["income"] for scored in later))
        for seat, place in enumerate(game.seats)
    ]


def _standard_body(attempt: Attempt) -> JsonObject:
    notice, loaded = attempt.notice, attempt.loaded
    _, events = attempt.games.load_events(notice.game, 0, loaded.game.version)
    seen = [redact_event(event, notice.seat, loaded.game) for event in events]
    players = played_for(seen, notice.seat, attempt.orders.done)
    since, language = last_own_action(seen, notice.seat, players), attempt.subscription.language
    told = recap(seen, since, language, players=players, reader=notice.seat).items
    data = {
        "game": notice.game,
        "seat": notice.seat,
        "version": max(notice.version, notice.until),
        "view": view_of(loaded.game, notice.seat, loaded.hash.hex()),
        "recap": [item["text"] for item in told[-_MOST_SENTENCES:]],
    }
    if notice.type == PEOPLE:
        data["event"] = seen[notice.version - 1]
    data |= {"email": "refused"} if attempt.subscription.is_refused else {}
    return {"type": notice.type, "timestamp": timestamp(attempt.created), "data": data}
