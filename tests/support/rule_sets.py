"""A rule set besides those that there are: what no game was played with."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from random import Random
from typing import Final

import pytest

from domain.bots import choose_actions
from domain.commands import Act, Command, CompleteScoring
from domain.decide import decide
from domain.decision import Decision
from domain.rules import NEWEST, RULES, Rules, rules_of
from domain.state import Game
from tests.support.logs import log_of
from tests.support.play import create

DEAR: Final = replace(
    NEWEST, name="dear@1", variants={**NEWEST.variants, "expensive_specials": {"cost_take_special": 3}}
)
"""Its variant of the same name prices an action otherwise."""


@contextmanager
def known(rules: Rules) -> Iterator[Rules]:
    """Let games be played by this rule set; others stay with theirs."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(RULES, rules.name, rules)
        rules_of.cache_clear()
        yield rules
    rules_of.cache_clear()


def play_by(
    rules: Rules, variants: tuple[str, ...], bots: Sequence[str] = ("random", "greedy", "shark")
) -> list[Decision]:
    """A whole game of three bots."""
    decision = decide(replace(create(3, "by another rule set", variants), rules=rules.name), Game())
    chance = Random(0)
    played = [decision]
    while not (game := decision.game).over:
        command: Command
        if game.scoring is not None:
            command = CompleteScoring(round=game.scoring)
        else:
            actions = choose_actions(bots[game.turn_seat], game, chance, lambda: log_of(played))
            command = Act(seat=game.turn_seat, actions=actions)
        decision = decide(command, game)
        played.append(decision)
    return played
