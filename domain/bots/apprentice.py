"""The bot `apprentice`: an opponent for the first games, which errs as people do.

It wants what `greedy` wants, but overlooks some of the others' rows, and some of its own actions. How many is measured:
it beats `random` in 95 games of 100 for two, and loses 70 to 80 of 100 to `greedy`.
"""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain.bots.greedy import best_move, read_moves
from domain.bots.knowledge import Recall
from domain.commands import Action
from domain.rules import Rules

ROWS, ACTIONS = 0.25, 0.25
"""Shares of the others' rows, and of the legal actions, that it overlooks each time it chooses."""


def choose(view: dict[str, Any], rules: Rules, legal: Sequence[Action], chance: Random, _recall: Recall) -> Action:
    """The action with the highest gain of those that it sees, by the rows that it sees."""
    table, moves = read_moves(view, rules, legal)
    table.rows = [
        tuple([0 if seat != table.seat and chance.random() < ROWS else length for seat, length in enumerate(row)])
        for row in table.rows
    ]
    seen = [move for move in moves if chance.random() >= ACTIONS]
    return legal[moves.index(best_move(table, seen or moves))]
