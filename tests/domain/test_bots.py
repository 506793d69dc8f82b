"""The bots: legal, repeatable and quick choices, and greedy wins more often than random."""

import copy
from functools import partial
from random import Random

import pytest
from hypothesis import given

from domain.bots import BOTS, choose_action, random
from domain.bots.knowledge import SeatKnowledge
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.events import Event
from domain.legality import legal_actions
from domain.rules.standard import STANDARD
from domain.state import Game
from service.commands.simulate import simulate
from tests.domain.positions import positions
from tests.support import positions_as_text as table
from tests.support.play import numbered
from tests.support.profiles import examples


@pytest.mark.parametrize("bot", BOTS)
@examples(0.6)
@given(positions())
def test_bots_choose_a_legal_action(bot: str, position: tuple[Game, list[Event]]) -> None:
    """Anywhere in any game; the same game and chance give the same choice, and the game stays as it is."""
    game, events = position
    legal = list(legal_actions(game, game.turn_seat)) if game.started else []
    if not legal:
        return
    before = copy.deepcopy(game)
    chosen = choose_action(bot, game, Random(1), partial(numbered, events))
    assert chosen in legal
    assert chosen == choose_action(bot, game, Random(1), partial(numbered, events))
    assert game == before


@pytest.mark.parametrize("games", [50, pytest.param(1000, marks=pytest.mark.nightly)])
def test_greedy_beats_random(games: int) -> None:
    """Far over 80 % of the games of two."""
    summary = simulate(games, 2, ["greedy", "random"], "test", lambda: None)
    assert summary.seats[0].wins > 0.9 * games


@pytest.mark.parametrize("games", [15, pytest.param(300, marks=pytest.mark.nightly)])
@pytest.mark.parametrize("players", [3, 4, 5])
def test_greedy_beats_random_at_larger_tables(players: int, games: int) -> None:
    """One greedy bot among random ones wins most of the games."""
    bots = ["greedy", *["random"] * (players - 1)]
    assert simulate(games, players, bots, "test", lambda: None).seats[0].wins > games * 2 / 3


CHOICES = {
    "opens a row where it holds cards": (table.given(["gold*3 risk", ""], points=2), LayBusinessmaker(card="gold")),
    "fixes an empty row": (table.given(["gold", ""], ["art/"]), Append(card="gold", row=0)),
    "doubles the row that earns more": (
        table.given(["risk", ""], ["art/gold, art/oil", "art/gold*3"], points=1),
        Append(card="risk", row=1),
    ),
    "takes what makes its row longest": (
        table.given(["", ""], ["art/gold*2", "art/gold*2, art/oil*3"], display="oil gold oil", points=1),
        Take(slot=1),
    ),
    "lays a useless card down last": (
        table.given(["oil gold", ""], ["art/oil", "art/oil*2"], display="oil*3", revealed=9, pile="art*9", points=1),
        Append(card="oil", row=0),
    ),
}


@pytest.mark.parametrize(("game", "action"), CHOICES.values(), ids=CHOICES)
def test_greedy_choices(game: Game, action: Action) -> None:
    """Choices that a beginner would make too."""
    assert choose_action("greedy", game, Random(1)) == action


def test_random_chooses_all_of_them() -> None:
    """Every legal action has its turn."""

    def recall_nothing() -> SeatKnowledge:
        raise AssertionError("the bot asks what it has seen")

    legal: list[Action] = [Draw(), Take(slot=0), Take(slot=1)]
    chance = Random(1)
    assert {random.choose({}, STANDARD, legal, chance, recall_nothing) for _ in range(50)} == set(legal)


def test_every_bot_says_what_it_is() -> None:
    """`about` is one sentence."""
    assert {"random", "greedy", "shark"} <= BOTS.keys()
    assert all(bot.about.endswith(".") and bot.about.count(".") == 1 for bot in BOTS.values())
