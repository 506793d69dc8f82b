"""The fork of a running game: what its seat knows is kept, all else is dealt again, and hidden cards stay hidden."""

from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from domain.decide import decide
from domain.events import Event, payload_of
from domain.forks.position import hide_unseen
from domain.legality import legal_actions
from domain.state import Game
from domain.view import redact_event, scores_of, view_of
from tests.domain import invariants
from tests.domain.positions import positions
from tests.domain.worlds import another_world, shuffle_hidden
from tests.oracle.fairness import fill
from tests.support.forks import fork_command, fork_decisions, position_for
from tests.support.play import fold, numbered
from tests.support.profiles import examples

POSITIONS = positions()
SEED = bytes(range(32))
OF_THE_PARENT = frozenset({"id", "version", "fairness", "receipt", "listed"})
"""What a fork has of its own in a view."""


def as_known(game: Game, seat: int | None) -> dict[str, Any]:
    """What a viewer knows of the cards and the money on the table, without the players' names."""
    view = view_of(game, seat, "")
    people = [{name: one[name] for name in one.keys() - {"name", "bot"}} for one in view["seats"]]
    scores = scores_of(game)
    rounds = [{"round": done["round"], "seats": done["seats"]} for done in scores["rounds"]]
    return {name: view[name] for name in view.keys() - OF_THE_PARENT} | {
        "seats": people,
        "scores": {**scores, "rounds": rounds},
    }


def playing(position: tuple[Game, list[Event]], data: st.DataObject) -> tuple[Game, int]:
    game, _ = position
    assume(game.status == "playing")
    return game, data.draw(st.integers(0, len(game.seats) - 1), label="seat")


@given(POSITIONS, st.data())
def test_a_fork_keeps_what_its_seat_knows(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """View, score sheet and legal actions equal the parent's; the cards are a full deck; no hidden card is seen."""
    parent, seat = playing(position, data)
    game = decide(fork_command(parent, seat, "known"), Game()).game
    invariants.check(game)
    assert as_known(game, seat) == as_known(parent, seat)
    assert as_known(game, None) == as_known(parent, None)
    assert list(legal_actions(game, seat)) == list(legal_actions(parent, seat))
    assert not game.open_information
    assert "reibach" not in [card for place in game.seats for card in place.hand]
    assert "reibach" not in [row.businessmaker for place in game.seats for row in place.rows]


@given(POSITIONS, st.data())
def test_anyone_can_recompute_the_position_from_the_seed(
    position: tuple[Game, list[Event]], data: st.DataObject
) -> None:
    """The second engine, from seed and seen part alone, comes to the same; another seed to another position."""
    parent, seat = playing(position, data)
    position = payload_of(position_for(parent, seat, SEED))
    assert fill(SEED.hex(), [""] * len(parent.seats), hide_unseen(position)) == position
    if parent.cards_in_pile > 20:  # a few cards may be the same by chance
        assert payload_of(position_for(parent, seat, bytes(32)))["draw_pile"] != position["draw_pile"]


@given(POSITIONS, st.data())
def test_two_worlds_give_one_position(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """Parents that the seat can't distinguish have the same fork, card by card."""
    parent, seat = playing(position, data)
    swapped = data.draw(st.integers(0, 9), label="swap")
    other = fold(another_world(position[1], seat, parent, Random(swapped)))
    assume(other != parent)
    assert position_for(other, seat, SEED) == position_for(parent, seat, SEED)


@given(POSITIONS, st.data())
def test_a_fork_ignores_what_was_seen_earlier(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """Cards that the seat no longer sees, its own businessmakers too, don't matter; nor does the order of hands."""
    parent, seat = playing(position, data)
    chance = Random(data.draw(st.integers(0, 9), label="swap"))
    other = shuffle_hidden(parent, seat, chance)
    chance.shuffle(other.seats[seat].hand)
    other.server_seed = b"another"
    assert position_for(other, seat, SEED) == position_for(parent, seat, SEED)


@examples(0.6)
@given(POSITIONS, st.data())
def test_a_position_is_redacted_for_each_viewer(position: tuple[Game, list[Event]], data: st.DataObject) -> None:
    """Each seat sees its hand, no viewer the pile, all viewers fresh businessmakers, and all cards at the end."""
    parent, seat = playing(position, data)
    steps = fork_decisions(parent, seat, "shown")
    step = steps[data.draw(st.integers(0, len(steps) - 1), label="step")]
    event = numbered(steps[0].events)[-1]
    whole = event["data"]
    for viewer in (None, *range(len(parent.seats))):
        seen = redact_event(event, viewer, step.game)["data"]
        if step.game.over:
            assert seen == whole
            continue
        assert seen["draw_pile"] is None
        assert seen["hands"] == [hand if index == viewer else None for index, hand in enumerate(whole["hands"])]
        for index, rows in enumerate(seen["rows"]):
            for number, row in enumerate(rows):
                shown = step.game.seats[index].rows[number].shown
                assert row["businessmaker"] == (whole["rows"][index][number]["businessmaker"] if shown else None)
        rest = seen.keys() - {"hands", "draw_pile", "rows"}
        assert {name: seen[name] for name in rest} == {name: whole[name] for name in rest}
        assert seen.keys() == whole.keys()
