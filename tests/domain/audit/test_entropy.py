"""Whose entropy binds the server."""

import pytest

from domain.audit.checks import audit
from tests.domain.audit.test_checks import outcomes
from tests.oracle.play import rechain
from tests.support.logs import log_of
from tests.support.play import steps


@pytest.mark.parametrize(
    ("moments", "seats", "words"),
    [
        (
            (0, 0, 0),
            (0, 1, 2),
            "All seats were taken when the game was created, so no player's entropy binds the server.",
        ),
        ((0, 1, 2), (0, 1, 2), "after the seed was drawn: seat 1, seat 2. Their players' entropy binds the server."),
        ((0, 0, 1), (0, 2, 1), "after the seed was drawn: seat 1. "),
        ((0, 0, 0), (1, 2, 0), "after the seed was drawn: seat 0. "),
        ((1, 2, 3), (0, 1, 2), "after the seed was drawn: seat 0, seat 1, seat 2. "),
    ],
)
def test_seats_whose_entropy_binds_the_server(moments: tuple[int, ...], seats: tuple[int, ...], words: str) -> None:
    """Seats of the creation come with it, in seat order; a seat that joins later is named, even at the same time."""
    log = log_of(decision for _, decision in steps(3, "binding"))
    joined = {event["data"]["seat"]: event for event in log[1:4]}
    log[1:4] = [joined[seat] | {"version": place + 2} for place, seat in enumerate(seats)]
    for event, moment in zip(log[1:4], moments, strict=True):
        event["at"] = event["at"][:-2] + f"{moment}Z"
    for event in log[4:6]:
        event["at"] = log[3]["at"]
    found = audit(rechain(log))
    assert set(outcomes(found).values()) == {True}
    assert words in found.checks[1].detail


def test_a_seat_without_entropy_binds_nothing() -> None:
    """A seat that joined later and gave no entropy is named as such."""
    log = log_of(decision for _, decision in steps(3, "binding"))
    for version, at in enumerate(("1", "2"), 3):
        log[version - 1]["at"] = log[0]["at"][:-2] + f"{at}Z"
    for event in log[4:6]:
        event["at"] = log[3]["at"]
    for silent, words in (((3,), "except for seat 1: none was given there."), ((3, 4), "so nothing binds the server.")):
        for version in silent:
            log[version - 1]["data"]["entropy"] = ""
        assert words in audit(rechain(log)).checks[1].detail
