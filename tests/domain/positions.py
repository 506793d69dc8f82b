"""Strategies of hypothesis for games at any version."""

from hypothesis import strategies as st

from domain.events import Event
from domain.rules import NEWEST
from domain.state import Game
from tests.support.play import play_until


@st.composite
def positions(draw: st.DrawFn) -> tuple[Game, list[Event]]:
    """A game of random players after some commands, or at its end, and its events."""
    return play_until(
        draw(st.integers(2, 5), label="players"),
        str(draw(st.integers(0, 9999), label="seed")),
        draw(st.integers(1, 220), label="commands"),
        draw(st.sets(st.sampled_from(sorted(NEWEST.variants))), label="variants"),
        starting_seat=draw(st.integers(0, 1), label="starting seat"),
        talk=draw(st.sampled_from((0, 0.1)), label="talk"),
    )
