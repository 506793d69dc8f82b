"""The bots: legal, repeatable and quick choices, and how often they win."""

import copy
from dataclasses import replace
from functools import partial
from random import Random

import pytest
from hypothesis import given

from domain.bots import BOTS, choose_action, choose_actions
from domain.bots.table import incomes_of
from domain.commands import Act, Action, Append, CompleteScoring, CreateGame, Draw, LayBusinessmaker, SeatPlan, Take
from domain.decide import decide
from domain.events import Event
from domain.legality import legal_actions
from domain.rules import NEWEST
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


@pytest.mark.parametrize("seats", [2, 5])
@pytest.mark.parametrize("bot", ["apprentice", "greedy"])
def test_a_list_of_actions_is_what_the_bot_would_do_one_by_one(bot: str, seats: int) -> None:
    """Over whole games: the same events, and a list ends with the turn, with a draw, or with a scoring round."""
    plans = tuple(SeatPlan(bot=bot) for _ in range(seats))
    create = CreateGame(game="g", server_seed=bytes(range(32)), seats=plans)
    games, lists = [decide(create, Game()), decide(create, Game())], 0
    chances = [Random(5), Random(5)]
    while not (game := games[0].game).over:
        if game.scoring is not None:
            games = [decide(CompleteScoring(round=game.scoring), one.game) for one in games]
            continue
        before = copy.deepcopy(game)
        actions = choose_actions(bot, game, chances[0])
        assert game == before
        assert not any(isinstance(action, Draw) for action in actions[:-1])
        lists += 1
        done = decide(Act(seat=game.turn_seat, actions=actions, by_bot=True), game)
        assert (done.applied, done.refusal) == (len(actions), None)
        assert done.game.turn > game.turn or done.game.scoring is not None or isinstance(actions[-1], Draw)
        one, events = games[1].game, []
        for _ in actions:
            step = decide(Act(seat=one.turn_seat, actions=(choose_action(bot, one, chances[1]),), by_bot=True), one)
            one, events = step.game, events + step.events
        assert numbered(events) == numbered(done.events)
        games = [done, step]
    assert games[0].game == games[1].game
    assert lists < 1.5 * games[0].game.turn


def test_a_bot_that_remembers_chooses_one_action_at_a_time() -> None:
    """What it has seen comes from the log alone."""
    plans = (SeatPlan(bot="shark"), SeatPlan(name="Anna"))
    created = decide(CreateGame(game="g", server_seed=bytes(32), seats=plans), Game())
    assert len(choose_actions("shark", created.game, Random(1), partial(numbered, created.events))) == 1
    with pytest.raises(ValueError, match="remembers"):  # it refuses to play without, rather than badly
        choose_action("shark", created.game, Random(1))


@pytest.mark.parametrize("times", [1, pytest.param(20, marks=pytest.mark.nightly)])
@pytest.mark.parametrize(
    ("bots", "games", "shares"),
    [
        (["greedy", "random"], 20, (0.9, 1)),
        (["greedy", *["random"] * 2], 15, (2 / 3, 1)),
        (["greedy", *["random"] * 4], 15, (2 / 3, 1)),
        (["apprentice", "random"], 20, (0.9, 1)),
        (["apprentice", "greedy"], 20, (0.05, 0.35)),
    ],
)
def test_bots_have_their_strength(bots: list[str], games: int, shares: tuple[float, float], times: int) -> None:
    summary = simulate(games * times, len(bots), bots, "test")
    assert shares[0] < summary.seats[0].wins / summary.games <= shares[1]


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
    assert choose_action("greedy", game, Random(1)) == action


def test_incomes_of_rule_sets_are_kept_apart() -> None:
    """A rule set's incomes are remembered, for equal ones too, and not for those of another one of the same name."""
    other = replace(NEWEST, income_monopoly=NEWEST.income_monopoly + 1)
    assert incomes_of(other, (3, 0)) == (NEWEST.income_monopoly + 1, 0)
    assert incomes_of(replace(NEWEST), (3, 0)) is incomes_of(NEWEST, (3, 0))
    assert incomes_of(NEWEST, (0, 3)) == (0, NEWEST.income_monopoly)


def test_random_chooses_all_of_them() -> None:
    legal, chance = [Draw(), Take(slot=0), Take(slot=1)], Random(1)
    recall = partial(pytest.fail, "the bot asks what it has seen")
    assert {BOTS["random"].choose({}, NEWEST, legal, chance, recall) for _ in range(50)} == set(legal)


def test_every_bot_says_what_it_is() -> None:
    assert {"random", "apprentice", "greedy", "shark"} <= BOTS.keys()
    assert all(bot.about.endswith(".") and bot.about.count(".") == 1 for bot in BOTS.values())
