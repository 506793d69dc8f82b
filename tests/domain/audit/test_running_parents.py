"""A running parent counts as its spectators see it."""

import json
from random import Random
from typing import Any

import pytest

from domain.audit.checks import audit
from domain.audit.parent import as_spectators_see
from domain.clock.timestamps import timestamp
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from tests.domain.audit.test_parents import LOG
from tests.domain.worlds import another_world
from tests.oracle.answers import events_as_seen
from tests.oracle.play import rechain
from tests.support.forks import fork_decisions
from tests.support.logs import BEGAN, log_of
from tests.support.play import fold, numbered, play_until
from tests.support.samples import with_slow


def log_of_events(events: list[Any]) -> list[EventRecord]:
    """A log in which these events happened, all at one time."""
    at = timestamp(BEGAN)
    return rechain(json.loads(canonical_json([event | {"at": at} for event in numbered(events)])))


@pytest.mark.parametrize(("seats", "seed", "commands"), with_slow([(2, "a", 14), (3, "d", 47), (5, "f", 71)], 3))
def test_a_running_parents_hidden_cards_play_no_part(seats: int, seed: str, commands: int) -> None:
    """Two parents that a spectator can't distinguish give every fork the same audit, honest or forged."""
    game, events = play_until(seats, seed, commands, starting_seat=1)
    others = another_world(events, None, game, Random(seed))
    assert fold(others) != game
    parents = [log_of_events(world) for world in (events, others)]
    seen = [as_spectators_see(parent) for parent in parents]
    assert [event | {"hash": ""} for event in seen[0]] == [event | {"hash": ""} for event in seen[1]]
    for origin in (game, fold(others)):
        for seat in range(seats):
            steps_of_fork = fork_decisions(origin, seat, "guess")
            for log in (log_of(steps_of_fork), log_of(steps_of_fork[:1])):
                one, other = (audit(log, parent=parent).to_json() for parent in seen)
                assert one == other
                assert one["ok"] is True
                # With the cards in sight one of the two is refused, where the seat's own hand differs.
    forks = [log_of(fork_decisions(game, seat, "guess")) for seat in range(seats)]
    assert all(audit(fork, parent=parents[0]).ok for fork in forks)
    assert not all(audit(fork, parent=parents[1]).ok for fork in forks)


def test_what_spectators_see() -> None:
    """Of a finished game all, of a running one what it redacts; a log that can't happen is none."""
    assert as_spectators_see(LOG) == LOG
    end = next(event["version"] for event in LOG[40:] if event["type"] == "TurnStarted")
    assert as_spectators_see(LOG[:end]) == events_as_seen(LOG, None, end)
    assert as_spectators_see([LOG[0], LOG[0]]) is None
