"""Which notices are due to whom: pure functions of a game's state and its players' subscriptions.

Rule: a turn's notice follows from the present state alone, so whatever was lost or read twice, it is sent while the
turn is on, and never when it is over. All else follows from the versions that a reader of the feed has come past.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain

from domain.clock.deadline import deadline, player_of, reminder_times
from domain.events import EventRecord
from domain.state import Game
from service.post.channel_table import CHANNELS
from service.post.notices import (
    BANK,
    CONFIRMATION,
    CONSENT,
    CONSENTS,
    MESSAGE,
    OF_A_TURN,
    OVER,
    PEOPLE,
    POSTED,
    REMINDER,
    SCORING,
    TURN,
    UNUSED,
    WORDS_OF_TYPES,
    Notice,
)
from service.post.subscriptions import Subscription


def due_notices(game: Game, subscriptions: Mapping[int, Subscription]) -> list[Notice]:
    """The running turn's, where a subscribed person plays it: what a new subscription gets at once."""
    if not has_turn(game) or player_of(game) is not None:
        return []
    return _notices(game, subscriptions, game.turn_seat, TURN, game.turn_version)


def due_reminders(game: Game, subscriptions: Mapping[int, Subscription], now: int) -> list[Notice]:
    """Those of the running turn, if it has one that is due at `now` (ms since 1970)."""
    detail = present_reminder(game, now)
    version = game.turn_version
    return [] if detail is None else _notices(game, subscriptions, game.turn_seat, REMINDER, version, detail)


def news(
    game: Game, subscriptions: Mapping[int, Subscription], after: int, until: int, told: Sequence[EventRecord]
) -> list[Notice]:
    """What happened after version `after`, up to `until`, but for turns.

    `told`: the messages among those versions, and the PEOPLE_EVENTS.
    """
    events = [(SCORING, done.version) for done in game.rounds]
    if game.end is not None:
        events.append((OVER, game.end))
    new = [event for event in events if after < event[1] <= until]
    of_game = (_notices(game, subscriptions, seat, *event) for event in new for seat in sorted(subscriptions))
    return [*chain.from_iterable(of_game), *_news_of_people(game, subscriptions, told)]


def _news_of_people(
    game: Game, subscriptions: Mapping[int, Subscription], told: Sequence[EventRecord]
) -> Iterator[Notice]:
    """Each event by itself, to all seats but the one that did it; a person isn't told what the next notice tells."""
    doer, outcomes = None, {"SeatAbandoned", "GamePaused", "GameCancelled"}
    causes = {event["version"] - 1 for event in told if event["type"] in outcomes}
    for event in told:
        kind, version = event["type"], event["version"]
        if kind not in outcomes:  # these follow what a seat did, or that it was late
            doer = None if kind == "TurnTimedOut" else event["data"]["seat"]
        name, detail = MESSAGE if kind == POSTED else PEOPLE, CONSENT if kind in CONSENTS else ""
        is_cause = kind in {"ConsentGiven", "TurnTimedOut"} and version in causes
        for seat in sorted(subscriptions.keys() - {doer}):
            is_told = is_cause or (kind == "GameCancelled" and WORDS_OF_TYPES[OVER] in subscriptions[seat].on)
            for notice in _notices(game, subscriptions, seat, name, version, detail):
                if not is_told or CHANNELS[notice.channel].is_program(subscriptions[seat]):
                    yield replace(notice, doer=doer)


def present_reminder(game: Game, now: int) -> str | None:
    """The last reminder that is due by `now` (ms since 1970), as a Notice's detail; None: none, or it is too late."""
    until = deadline(game)
    due = [detail for detail, at in zip(("", BANK), reminder_times(game), strict=False) if at <= now]
    return due[-1] if due and until is not None and now < until else None


def has_turn(game: Game) -> bool:
    """Whether a turn is on; a scoring round may interrupt it."""
    return game.turn > 0 and not game.over


def is_still_due(notice: Notice, game: Game, subscription: Subscription, now: int) -> bool:
    """Whether the notice may be sent at `now` (ms since 1970): judged right before each attempt."""
    if notice.type == CONFIRMATION:
        return subscription.email is not None and not subscription.is_confirmed and subscription.nonce == notice.detail
    if not notice.is_shared and notice.place not in CHANNELS[notice.channel].receivers(subscription):
        return False
    is_of_token = notice.is_shared or notice.generation == subscription.generation
    match notice.type:
        case "token":
            return notice.detail.split()[:2] == [subscription.nonce, str(subscription.generation)]
        case "answer" | "receiver" | "device" | "ended" | "unused":
            is_used = notice.type == UNUSED and (game.version > notice.version or now >= int(notice.detail))
            return is_of_token and not is_used
    is_wanted = is_of_token and WORDS_OF_TYPES[notice.type] in subscription.on
    if not is_wanted or notice.type not in OF_A_TURN:
        return is_wanted
    is_on = has_turn(game) and (game.turn_version, game.turn_seat) == (notice.version, notice.seat)
    return is_on and player_of(game) is None and (notice.type == TURN or present_reminder(game, now) == notice.detail)


def seats_of(notice: Notice, subscriptions: Mapping[int, Subscription]) -> list[int]:
    """The seats that get the notice, the lowest first; a shared one all that name its receiver now, and want its type.

    So a subscription that changes before it is sent neither loses nor doubles it for the others.
    """
    if not notice.is_shared:
        return [notice.seat] if notice.seat in subscriptions else []
    return [
        seat
        for seat, subscription in sorted(subscriptions.items())
        if WORDS_OF_TYPES[notice.type] in subscription.on
        and notice.target in map(subscription.digest, CHANNELS[notice.channel].receivers(subscription).values())
    ]


def _notices(  # noqa: PLR0913 - what a notice is made of
    game: Game, subscriptions: Mapping[int, Subscription], seat: int, kind: str, version: int, detail: str = ""
) -> list[Notice]:
    """One for each receiver of the seat, if it has subscribed to this type."""
    subscription = subscriptions.get(seat)
    if subscription is None or WORDS_OF_TYPES[kind] not in subscription.on:
        return []
    last = [done.version for done in game.rounds[len(game.rules.scoring_at) - 1 :]]
    is_told_at_end = version in last and WORDS_OF_TYPES[OVER] in subscription.on
    return [
        Notice(
            game=game.id,
            seat=seat,
            type=kind,
            version=version,
            channel=name,
            detail=detail,
            target=subscription.digest(receiver),
            generation=0 if is_shared else subscription.generation,
            place=subscription.digest(receiver) if is_shared else place,
            is_shared=is_shared,
        )
        for name, channel in CHANNELS.items()
        if WORDS_OF_TYPES[kind] in channel.words and not (channel.joins_end and is_told_at_end)
        for is_shared in [kind not in OF_A_TURN and channel.is_shared(subscription)]
        for place, receiver in channel.receivers(subscription).items()
    ]
