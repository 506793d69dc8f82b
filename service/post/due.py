"""Which notices are due to whom: pure functions of a game's state and its players' subscriptions.

Rule: a turn's notice follows from the present state alone, so whatever was lost or read twice, it is sent while the
turn is on, and never when it is over. All else follows from the versions that a reader of the feed has come past.
"""

from collections.abc import Mapping
from hashlib import sha256

from domain.clock.deadline import deadline, player_of, reminder_at
from domain.state import Game
from service.post.channel_table import CHANNELS
from service.post.notices import CONFIRMATION, MESSAGE, OF_A_TURN, OVER, REMINDER, SCORING, TURN, WORDS_OF_TYPES, Notice
from service.post.subscriptions import Subscription


def due_notices(game: Game, subscriptions: Mapping[int, Subscription]) -> list[Notice]:
    """The running turn's, where a subscribed person plays it: what a new subscription gets at once."""
    if not has_turn(game) or player_of(game) is not None:
        return []
    return _notices(game, subscriptions, game.turn_seat, TURN, game.turn_version)


def due_reminders(game: Game, subscriptions: Mapping[int, Subscription]) -> list[Notice]:
    """Those of the running turn, if it has a reminder; `reminder_at` says when they are due."""
    if reminder_at(game) is None:
        return []
    return _notices(game, subscriptions, game.turn_seat, REMINDER, game.turn_version)


def news(
    game: Game, subscriptions: Mapping[int, Subscription], after: int, until: int, authors: Mapping[int, int]
) -> list[Notice]:
    """What happened after version `after`, up to `until`, but for turns.

    `authors`: of each message among those versions, the seat that wrote it, which gets no notice of it.
    """
    events = [(SCORING, done.version, -1) for done in game.rounds]
    if game.end is not None:
        events.append((OVER, game.end, -1))
    events += [(MESSAGE, version, author) for version, author in authors.items()]
    return [
        notice
        for kind, version, author in events
        if after < version <= until
        for seat in sorted(subscriptions)
        if seat != author
        for notice in _notices(game, subscriptions, seat, kind, version)
    ]


def is_reminder_time(game: Game, now: int) -> bool:
    """Whether the running turn's player is to be reminded by `now` (ms since 1970), and has time left."""
    at, until = reminder_at(game), deadline(game)
    return at is not None and until is not None and at <= now < until


def has_turn(game: Game) -> bool:
    """Whether a turn is on; a scoring round may interrupt it."""
    return game.turn > 0 and not game.over


def is_still_due(notice: Notice, game: Game, subscription: Subscription, now: int) -> bool:
    """Whether the notice may be sent at `now` (ms since 1970): judged right before each attempt."""
    if notice.type == CONFIRMATION:
        return subscription.email is not None and not subscription.is_confirmed and subscription.nonce == notice.detail
    if not CHANNELS[notice.channel].receivers(subscription):
        return False
    is_of_token = notice.generation == subscription.generation
    match notice.type:
        case "token":
            return notice.detail.split()[:2] == [subscription.nonce, str(subscription.generation)]
        case "answer" | "receiver":
            return is_of_token
    is_wanted = is_of_token and WORDS_OF_TYPES[notice.type] in subscription.on
    if not is_wanted or notice.type not in OF_A_TURN:
        return is_wanted
    is_on = has_turn(game) and (game.turn_version, game.turn_seat) == (notice.version, notice.seat)
    return is_on and player_of(game) is None and (notice.type == TURN or is_reminder_time(game, now))


def _notices(game: Game, subscriptions: Mapping[int, Subscription], seat: int, kind: str, version: int) -> list[Notice]:
    """One for each channel of the seat, if it has subscribed to this type."""
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
            target=_digest(receiver),
            generation=subscription.generation,
        )
        for name, channel in CHANNELS.items()
        if not (channel.joins_end and is_told_at_end)
        for receiver in channel.receivers(subscription)
    ]


def _digest(receiver: str) -> str:
    return sha256(receiver.encode()).hexdigest()[:16]
