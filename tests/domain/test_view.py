"""Who may see what, and when."""

import json
from pathlib import Path
from typing import Any

import pytest

from domain.commands import CreateGame, SeatPlan
from domain.decide import decide
from domain.events import Event, payload_of, type_of
from domain.rules import NEWEST
from domain.state import Game
from domain.view import redact_event, view_of
from tests.support.cases import cases
from tests.support.play import play_game, play_until
from tests.support.positions_as_text import given, when, when_scored

VIEWERS = [None, 0, 1]


def _businessmakers(
    game: Game, viewer: int | None, *, head: Game | None = None, as_then: bool = False
) -> list[list[str | None]]:
    view = view_of(game, viewer, "", head=head, as_then=as_then)
    return [[row["businessmaker"] for row in seat["rows"]] for seat in view["seats"]]


def _seen(event: Event, viewer: int | None, head: Game) -> dict[str, Any]:
    whole = {"version": 1, "type": type_of(event), "at": "", "data": payload_of(event), "hash": ""}
    seen = redact_event(whole, viewer, head)
    assert seen | {"data": None} == whole | {"data": None}
    return seen["data"]


def test_view_in_full() -> None:
    """Every field of the contract's view, with its value, and no other."""
    game = given(
        ["oil gold risk multitalent art", "gold*2"],
        ["art!/gold multitalent risk", "oil/"],
        display="gold risk oil",
        pile="art*7",
        revealed=5,
        points=2,
        variants=["staggered_start"],
    )
    expected = json.loads((Path(__file__).parent / "view_in_full.json").read_text("utf-8")) | {"rules": NEWEST.name}
    assert json.loads(json.dumps(view_of(game, 0, "abc"))) == expected


def test_open_table() -> None:
    """Before the start there is no display, no pile, no turn; an open seat has neither name nor entropy."""
    seats = (SeatPlan(name="Anna", entropy="tulip"), SeatPlan())
    view = view_of(decide(CreateGame(game="g", server_seed=bytes(32), seats=seats), Game()).game, 0, "")
    assert (view["status"], view["display"], view["draw_pile"], view["turn"]) == ("open", [None] * 3, None, None)
    assert [seat["name"] for seat in view["seats"]] == ["Anna", None]
    assert view["fairness"]["entropy"] == ["tulip", None]
    assert view["you"] == {"seat": 0, "hand": []}


@pytest.mark.parametrize("viewer", VIEWERS)
def test_businessmaker_is_seen_until_its_owners_next_turn(viewer: int | None) -> None:
    """Ruling 7, for every viewer alike: from laid, over the others' turns, to the owner's next turn."""
    game = given(["gold art oil*9", "gold oil*9"], ["risk/"], pile="art*20")
    laid = when(game, 0, "lay gold")
    assert _businessmakers(laid.game, viewer) == [[None, "gold"], []]
    others_turn = when(laid.game, 0, "draw").game
    assert _businessmakers(others_turn, viewer) == [[None, "gold"], []]
    others_laid = when(others_turn, 1, "lay gold").game
    assert _businessmakers(others_laid, viewer) == [[None, "gold"], ["gold"]]
    own_turn = when(others_laid, 1, "draw").game
    assert (own_turn.turn_seat, _businessmakers(own_turn, viewer)) == (0, [[None, None], ["gold"]])
    assert _seen(laid.events[0], viewer, others_laid)["card"] == "gold"
    assert _seen(laid.events[0], viewer, own_turn)["card"] is None


@pytest.mark.parametrize("viewer", VIEWERS)
def test_appending_does_not_hide_or_show_a_businessmaker(viewer: int | None) -> None:
    """What is laid on a businessmaker changes nothing about who sees it."""
    game = given(["gold oil*2", ""], ["art!/, risk/"])
    assert _businessmakers(when(game, 0, "append gold 0", "append oil 1").game, viewer) == [["art", None], []]


@pytest.mark.parametrize("viewer", VIEWERS)
def test_businessmakers_are_seen_by_all_when_the_game_is_over(viewer: int | None) -> None:
    """Not before the end: a scoring round doesn't turn them over."""
    game = given(["", ""], ["art/gold, oil!/", "risk/"], revealed=9, pile="reibach art")
    scoring = when(game, 0, "draw").game
    assert _businessmakers(scoring, viewer) == [[None, "oil"], [None]]
    assert _businessmakers(when_scored(scoring).game, viewer) == [["art", "oil"], ["risk"]]


def test_earlier_state_is_seen_with_the_eyes_of_the_head() -> None:
    """With `head`, businessmakers and seed follow the game's present version."""
    then = given(["gold", "oil"], ["art!/"])
    playing = when(when(then, 0, "take 0", "draw").game, 1, "take 0", "draw").game
    assert _businessmakers(then, 1) == [["art"], []]
    assert _businessmakers(then, 1, head=playing) == [[None], []]
    over = playing.copy()
    over.winners = [0]
    assert _businessmakers(then, 1, head=over) == [["art"], []]
    assert view_of(then, 1, "", head=over)["fairness"]["server_seed"] == "00" * 32
    assert view_of(then, 1, "", head=over)["status"] == "playing"


def test_repeated_answer_shows_nothing_that_was_hidden_then() -> None:
    """With `as_then`, neither what was hidden at that version nor what has been hidden since is shown."""
    then = given(["gold", "oil"], ["art!/, oil/"])
    playing = when(when(then, 0, "take 0", "draw").game, 1, "take 0", "draw").game
    over = playing.copy()
    over.winners = [0]
    assert _businessmakers(then, 0, head=playing, as_then=True) == [[None, None], []]
    assert _businessmakers(then, 0, head=over, as_then=True) == [["art", None], []]
    assert view_of(then, 0, "", head=over, as_then=True)["fairness"]["server_seed"] is None
    assert view_of(over, 0, "", as_then=True)["fairness"]["server_seed"] == "00" * 32


HIDDEN = cases(__file__, "hidden")


def _field(data: Any, path: str) -> Any:
    for step in path.split("."):
        data = data[int(step)] if step.isdigit() else data[step]
    return data


@pytest.mark.parametrize("line", HIDDEN.splitlines()[1:], ids=str.split)
def test_hidden_fields(line: str) -> None:
    """The contract's marks: hidden from all but the seat, or from all, and visible to all when the game is over."""
    event_type, path, *columns = [cell.strip() for cell in line.split("|")]
    name, _, seat = event_type.partition(".")
    head, events = play_until(2, "hidden", 60)
    event = next(
        event for event in events if type_of(event) == name and (not seat or payload_of(event)["seat"] == int(seat))
    )
    over = head.copy()
    over.winners = [0]
    for viewer, seen in zip(VIEWERS, columns, strict=True):
        truth = _field(payload_of(event), path)
        assert truth is not None
        assert _field(_seen(event, viewer, head), path) == (truth if seen == "yes" else None)
        assert _field(_seen(event, viewer, over), path) == truth


@pytest.mark.parametrize("viewer", VIEWERS)
def test_everything_else_is_open(viewer: int | None) -> None:
    """No other field is hidden or dropped, and a finished game's log is complete for every viewer."""
    card = {"card": None}
    hidden = {"GameCreated": {"server_seed": None}, "GameStarted": {"hands": None, "draw_pile": None}}
    hidden |= {"CardDrawn": card, "BusinessmakerLaid": card}
    head, events = play_until(2, "hidden", 60)
    for event in events:
        null = hidden.get(type_of(event), {})
        assert _seen(event, viewer, head) | null == payload_of(event) | null
    over, batches = play_game(2, "hidden")
    assert all(_seen(event, viewer, over) == payload_of(event) for batch in batches for event in batch)
