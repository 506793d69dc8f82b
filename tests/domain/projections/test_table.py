"""The table read from a log equals the game, as far as the log shows it."""

from dataclasses import asdict
from typing import Any

import pytest

from domain.cards import in_canonical_order
from domain.events import EVENT_TABLE, OF_PEOPLE
from domain.evolve import evolve
from domain.projections.recap import _ABSENCE
from domain.projections.table import CHANGES, GameTable, table_at
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from tests.support.play import numbered, play_until

VARIANTS = ("expensive_specials", "staggered_start")


def _as_view(shown: GameTable) -> dict[str, Any]:
    seats = []
    for index, seat in enumerate(shown.seats):
        rows = [
            asdict(row) | {"row": number, "length": row.length, "cards": tuple(row.cards)}
            for number, row in enumerate(seat.rows)
        ]
        seats.append(asdict(seat) | {"seat": index, "rows": rows, "hand_size": len(seat.hand)})
        del seats[-1]["hand"]
    playing = shown.turn > 0 and shown.winners is None
    turn = {"number": shown.turn, "seat": shown.turn_seat, "action_points": shown.action_points}
    names = ("version", "status", "display", "draw_pile", "winners")
    return {name: getattr(shown, name) for name in names} | {"seats": seats, "turn": turn if playing else None}


def _check(shown: GameTable, game: Game, viewer: int | None, head: Game) -> None:
    expected = view_of(game, viewer, "", head=head)
    said = _as_view(shown)
    assert said == {name: expected[name] for name in said}
    assert shown.revealed == game.revealed
    assert shown.scores == scores_of(game)


@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_a_finished_log_shows_every_state(seats: int) -> None:
    """At each version it is the view, and the hands are those of the fold."""
    head, events = play_until(seats, f"shown {seats}", 10_000, VARIANTS[: seats - 2])
    shown, game = GameTable(), Game()
    for event, entry in zip(events, numbered(events), strict=True):
        shown.apply(redact_event(entry, None, head))
        game = evolve(game, [event])
        _check(shown, game, None, head)
        for seat, place in zip(shown.seats, game.seats, strict=True):
            assert in_canonical_order([card for card in seat.hand if card]) == in_canonical_order(place.hand)


@pytest.mark.parametrize("viewer", [None, 0, 2])
@pytest.mark.parametrize("commands", range(1, 160, 13))
def test_a_redacted_log_shows_what_its_reader_may_see(viewer: int | None, commands: int) -> None:
    """At its end it is the view; a card shown in a hand is in it."""
    head, events = play_until(3, "redacted", commands, VARIANTS, starting_seat=1)
    seen = [redact_event(entry, viewer, head) for entry in numbered(events)]
    shown = table_at(seen, len(seen))
    _check(shown, head, viewer, head)
    for seat, place in zip(shown.seats, head.seats, strict=True):
        known = [card for card in seat.hand if card]
        assert all(known.count(card) <= place.hand.count(card) for card in known)


def test_every_event_of_the_cards_changes_the_table() -> None:
    """Those about people only where they leave, come or come back; a table on which something is missing differs."""
    assert CHANGES.keys() - EVENT_TABLE.keys() == set()
    still = EVENT_TABLE.keys() - CHANGES.keys()
    assert still <= OF_PEOPLE | {"MessagePosted"}
    assert CHANGES.keys() >= _ABSENCE.keys()
