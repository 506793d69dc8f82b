"""What has become of notices and deadlines, judged by the logs and by what has arrived."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Any, Final, NamedTuple

from domain.commands import ACTIONS
from domain.events import ENDS
from service.gamelog.log import GameLog
from service.post.notices import OVER, PEOPLE, SCORING, TURN
from tests.faults.hearing import Heard
from tests.faults.parts import Outage

AIM_MS: Final = 2000
"""A deadline's time-out comes so long after it, or after the recovery, at most."""


class Turn(NamedTuple):
    """A turn in a log; times in ms since 1970."""

    seat: int
    version: int
    began: int
    ended: int | None
    """None: it is on."""
    end: int | None
    """The version that ended it."""
    timed_out: int | None
    """When its deadline was found to have passed."""
    rounds: int = 0
    """Scoring rounds within it."""
    goes_on: bool = False
    """Whether such a round has left action points: orders rest then, and the player is told."""


def read_events(games: GameLog, game: str) -> list[dict[str, Any]]:
    return [dict(event) for event in games.load_events(game, 0)[1]]


def find_turns(events: Iterable[dict[str, Any]]) -> list[Turn]:
    turns: list[Turn] = []
    for event in events:
        at = _milliseconds(event["at"])
        if turns and turns[-1].ended is None and (event["type"] == "TurnStarted" or event["type"] in ENDS):
            turns[-1] = turns[-1]._replace(ended=at, end=event["version"])
        if event["type"] == "TurnStarted":
            turns.append(Turn(event["data"]["seat"], event["version"], at, None, None, None))
        if event["type"] == "TurnTimedOut":
            turns[-1] = turns[-1]._replace(timed_out=at)
        if event["type"] == "RoundScored":
            turns[-1] = turns[-1]._replace(rounds=turns[-1].rounds + 1)
        if event["type"] in ACTIONS and turns[-1].rounds:
            turns[-1] = turns[-1]._replace(goes_on=True)
    return [turn._replace(goes_on=turn.goes_on or (turn.rounds > 0 and turn.ended is None)) for turn in turns]


def _milliseconds(at: str) -> int:
    return round(1000 * datetime.fromisoformat(at).timestamp())


def find_missing(
    games: GameLog,
    game: str,
    people: Iterable[int],
    heard: set[tuple[str, int, str, int]],
    hasty: set[tuple[str, int]],
    ordered: Iterable[int] = (),
) -> list[tuple[str, int, str, int]]:
    """What people (seats) of a game should have been told and weren't: turns but hasty ones, rounds, consents, the end.

    While a bot or orders play, or a round is scored, it isn't where it will stop: then what comes next is missing.
    `ordered`: seats whose standing orders end each turn that no scoring round interrupts. Of these nothing is told.
    """
    events, seats = read_events(games, game), set(people)
    now, turns, orders = games.load(game).game, find_turns(events), set(ordered)
    is_ending = now.turn_seat not in seats or now.scoring or (now.turn_seat in orders and not turns[-1].goes_on)
    if not now.over and is_ending:
        return [(game, now.turn_seat, "the end of this turn", now.turn_version)]
    for turn in turns:
        is_told = (game, turn.seat, TURN, turn.version) in heard
        assert not is_told or turn.seat not in orders or turn.goes_on, "told of a turn that orders have ended"
    turns = [turn for turn in turns if turn.seat in seats and (game, turn.version) not in hasty]
    turns = [turn for turn in turns if turn.goes_on or turn.seat not in orders]
    due = [(game, turn.seat, TURN, turn.version) for turn in turns]
    for event in events:
        if event["type"] == "RoundScored" and event["data"]["round"] < 3:  # a mail about the end tells the last one
            due += [(game, seat, SCORING, event["version"]) for seat in seats]
        if event["type"] == "ConsentGiven":
            due += [(game, seat, PEOPLE, event["version"]) for seat in seats - {event["data"]["seat"]}]
        if event["type"] in ENDS:
            due += [(game, seat, OVER, event["version"]) for seat in seats]
    return [one for one in due if one not in heard]


def find_doubled(heard: Sequence[Heard]) -> list[tuple[str, ...]]:
    """Ids of notices that came under more than one id, and ids that stand for more than one notice."""
    ids, notices = defaultdict(set), defaultdict(set)
    for one in heard:
        what = one.game, one.seat, one.type, one.version, one.channel
        ids[what].add(one.id)
        notices[one.id].add(what)
    doubled = [tuple(sorted(found)) for found in ids.values() if len(found) > 1]
    return doubled + [(one,) for one, found in notices.items() if len(found) > 1]


def find_late(turns: dict[tuple[str, int], Turn], heard: Iterable[Heard]) -> list[int]:
    """Of notices of turns that were over when they arrived: by how many ms.

    That is the most by which they can have left too late: an event has its time before it is stored and anyone can know
    of it, and a notice arrives after it has left. A webhook tells what it was judged by: in its view the turn must be
    on, whatever the times are.
    """
    late = []
    for one in heard:
        if not one.type.startswith("turn."):
            continue
        turn = turns[one.game, one.version]
        assert turn.seat == one.seat
        if one.view is not None:
            assert one.version <= one.view["version"] < (turn.end or one.view["version"] + 1), "judged by another turn"
            assert one.view["turn"]["seat"] == one.seat
        if turn.ended is not None and one.arrived > turn.ended:
            late.append(one.arrived - turn.ended)
    return late


def lateness(deadline: int, timed_out: int, outages: Iterable[Outage]) -> int:
    """Milliseconds from a deadline, or the end of the outage that kept it from being kept, to its time-out; or 0."""
    due = deadline
    for outage in sorted(outages, key=lambda one: one.began):
        if outage.began <= due + AIM_MS and outage.ended > due:
            due = outage.ended
    return max(0, timed_out - due)


def count_repeats(heard: Iterable[Heard]) -> int:
    return sum(count - 1 for count in Counter(one.id for one in heard).values())
