"""The game object itself."""

from dataclasses import fields

from domain.rules import rules_of
from domain.state import Game, Seat


def test_a_copy_has_each_field_in_its_place() -> None:
    """`copy` lists the fields by position for speed: two of them swapped would pass the type checker."""
    game = Game()
    for number, field in enumerate(fields(Game)):
        # Every field gets a value of its own; what is copied deeply must have the right type.
        value = {
            "rules": rules_of("standard@1", frozenset({"staggered_start"})),
            "seats": [Seat(f"player {number}")],
            "display": [f"card {number}"],
            "rounds": [number],
        }.get(field.name, number)
        setattr(game, field.name, value)
    copy = game.copy()
    for field in fields(Game):
        assert getattr(copy, field.name) == getattr(game, field.name), field.name
    for name in ("seats", "display", "rounds"):
        assert getattr(copy, name) is not getattr(game, name), name


def test_a_copy_of_a_seat_has_each_field_in_its_place() -> None:
    """As for the game."""
    seat = Seat(*(field.name for field in fields(Seat)))
    copy = seat.copy()
    for field in fields(Seat):
        assert getattr(copy, field.name) == field.name
