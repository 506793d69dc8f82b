"""The bot `shark`: a search over whole turns in sampled worlds.

First every turn that the known cards allow is judged by the outlook alone. Then the best of them are played in worlds
that its seat can't distinguish from the game, each followed by one turn of every other seat, and judged again. The
numbers of turns and worlds are fixed, for the domain has no clock.
"""

from collections.abc import Sequence
from random import Random
from typing import Any, Final, NamedTuple

from domain.bots.greedy import play_turn
from domain.bots.knowledge import Holding, Recall, SeatKnowledge
from domain.bots.shark.outlook import Horizon, Standing, horizon, outlook, standings_of, worth_of_hand, worth_of_rows
from domain.bots.table import DRAW, KIND_OF, REIBACH_KIND, Table, action_of, read_table
from domain.cards import Card
from domain.commands import Action
from domain.rules import Rules

PLANS: Final = 8
"""Turns that are tried out in worlds."""
WORLDS: Final = 12
BREADTH: Final = 10
"""First actions, and second ones after each, that a turn may begin with."""
BEHIND: Final = 3.0
"""A turn that is so many millions worse than the best, by the outlook alone, is not tried out."""
DRAWN: Final = 1.0
"""Value of a card drawn unseen, for each scoring round to come."""


def choose(view: dict[str, Any], rules: Rules, legal: Sequence[Action], chance: Random, recall: Recall) -> Action:
    """The first action of the turn that does best on average over the worlds."""
    if len(legal) == 1:
        return legal[0]
    seen, seat = read_table(view, rules), view["you"]["seat"]
    plans = Planner(seen, view["draw_pile"]).best_plans()
    move = plans[0].moves[0]
    if any(plan.moves[0] != move for plan in plans):
        known = recall()
        sums = [0.0] * len(plans)
        for _ in range(WORLDS):
            world = sample_world(seen, seat, known, chance)
            for index, plan in enumerate(plans):
                sums[index] += _try_out(world.copy(), plan.moves, seat)
        move = plans[sums.index(max(sums))].moves[0]
    return action_of(move, [row["business"] for row in view["seats"][seat]["rows"]])


class Plan(NamedTuple):
    worth: float
    moves: tuple[int, ...]


class Planner:
    """Judges turns by what is known: the cards that takes and draws turn up are not."""

    def __init__(self, table: Table, pile: int) -> None:
        self._table, self._seat = table, table.seat
        self._ahead: Horizon = horizon(table.rules, len(table.hands), table.revealed, pile)
        self._standings: Sequence[Standing] = standings_of(table)[table.seat]
        self._plans: list[Plan] = []

    def best_plans(self) -> list[Plan]:
        self._extend(self._table, (), 0.0, ordered=True)
        if not self._plans:  # the best first actions are last in the order, and leave no second one
            self._extend(self._table, (), 0.0, ordered=False)
        plans = sorted(self._plans, key=lambda plan: -plan.worth)[:PLANS]
        return [plan for plan in plans if plan.worth > plans[0].worth - BEHIND]

    def _extend(self, table: Table, moves: tuple[int, ...], worth: float, *, ordered: bool) -> None:
        """Continue a turn by every move; `ordered`: only by rising numbers, since other orders lead to the same."""
        last = moves[-1] if moves and ordered else -1
        legal = table.moves() if table.points else []
        display = table.display
        onward = [move for move in legal if move >= last and (move >= DRAW or display[move] not in display[:move])]
        if not onward:
            if not legal:
                self._plans.append(Plan(worth, moves))
            return
        steps: list[tuple[float, int, Table]] = []
        for move in onward:
            after = table.copy()
            after.make(move)
            steps.append((self._judge(after, drawn=DRAW in (*moves, move)), move, after))
        if len(steps) > BREADTH:
            steps.sort(key=lambda step: -step[0])
        for value, move, after in steps[:BREADTH]:
            self._extend(after, (*moves, move), value, ordered=ordered)

    def _judge(self, table: Table, *, drawn: bool) -> float:
        seat, ahead, standings = self._seat, self._ahead, self._standings
        worth = ahead.rounds[0] * worth_of_rows(table, seat, standings)
        worth += worth_of_hand(table, seat, standings, ahead, 1)
        return worth + DRAWN * ahead.rounds[1] if drawn else worth


def _try_out(world: Table, moves: tuple[int, ...], seat: int) -> float:
    """The outlook after the turn and one turn of every other seat; the world is changed."""
    for move in moves:
        world.play(move)
        if world.over:
            return outlook(world, seat)
    while world.seat != seat and not world.over:
        play_turn(world)
    return outlook(world, seat)


def sample_world(seen: Table, seat: int, known: SeatKnowledge, chance: Random) -> Table:
    """A whole table that agrees with all that `seat` has seen; `seen` is its `read_table`."""
    world = seen.copy()
    pool = list(known.unseen.elements())
    chance.shuffle(pool)
    for owner, holdings in enumerate(known.holdings):
        if owner == seat:  # its hand is in the view; what else it held lies face down
            held: list[Holding] = []
            del pool[: sum(holding.card is None for holding in holdings)]
        else:
            held = _hide_businessmakers(holdings, known.hidden[owner], pool, chance)
        for holding in held:
            world.hands[owner][KIND_OF[pool.pop() if holding.card is None else holding.card]] += 1
    pile = [KIND_OF[card] for card in pool]
    pile += [REIBACH_KIND] * (seen.rules.scoring_at[-1] - seen.revealed)
    chance.shuffle(pile)
    world.pile = pile
    return world


def _hide_businessmakers(holdings: list[Holding], hidden: int, pool: list[Card], chance: Random) -> list[Holding]:
    """What is left in the hand after each hidden businessmaker was any card that its owner held then."""
    held = holdings[:]
    for number in range(hidden):
        early = [place for place, holding in enumerate(held) if holding.arrived <= number]
        if held.pop(chance.choice(early)).card is None:
            pool.pop()
    return held
