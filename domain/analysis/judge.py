"""One turn judged: what was played beside the best turn found, in worlds that the seat couldn't tell from the game.

Rule 1: nothing comes in but what the seat sees when its turn starts, and the turn that it played.
Rule 2: the best turn is chosen in some worlds, and both are judged in others, where luck hasn't chosen it.
"""

from collections.abc import Generator, Iterator, Sequence
from hashlib import sha256
from math import sqrt
from random import Random
from typing import Any, Final

from domain.analysis.forecast import cards_to_come, chances_of, lead_of, money_of
from domain.analysis.reasons import reason_of
from domain.analysis.turns import PlayedTurn, summary
from domain.audit.evidence import evidence_of, fold
from domain.bots.greedy import play_turn
from domain.bots.knowledge import knowledge_of
from domain.bots.shark.search import Planner, sample_world
from domain.bots.table import DRAW, NO_CARD, Table, action_of, move_of, read_table, total
from domain.cards import Business
from domain.commands import Action, Append, LayBusinessmaker, Take
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from domain.orders.wishes import json_of
from domain.view import redact_event, view_of

ENGINE: Final = "shark@3"
"""The name of these answers: a new one wherever any of them changes."""
_CHANCE_OF: Final = "shark@1"
"""The engine whose chance this is: the figures of both are the same, and only this one gives reasons."""
CHOOSING, JUDGING = 10, 56
"""Worlds in which the best turn is chosen, and in which it is judged."""
NOISE: Final = 0.3
"""A turn that is better by no more is not called better."""
TURNS: Final = 12
"""Turns that are played in a world, this one among them, before it is judged; and the rest of a round."""


def answer_of(turns: Sequence[dict[str, Any]], seats: int) -> dict[str, Any]:
    """The contract's answer once every turn is judged. `seats`: their number."""
    return {"status": "done", "progress": 1.0, "engine": ENGINE, "turns": turns, "seats": summary(turns, seats)}


def judge_turn(events: Sequence[EventRecord], played: PlayedTurn) -> dict[str, Any]:
    """An element of the contract's `turns`, from the log up to `played.version`. AssertionError if that can't be."""
    return next(filter(None, judge_steps(events, played)))


def judge_steps(events: Sequence[EventRecord], played: PlayedTurn) -> Iterator[dict[str, Any] | None]:
    """The same in steps of a few milliseconds: None after each, in the end the element."""
    sight = _Sight(events[: played.version], played.seat)
    actual = sight.moves_of(played.actions)
    plans = [_known(plan.moves) for plan in Planner(sight.table, sight.pile).best_plans()]
    turns = [actual, *(plan for plan in plans if sorted(plan) != sorted(actual))]  # another order makes no other turn
    tried = yield from sight.try_out(turns, CHOOSING)
    leads = [lead_of(_average(outcomes), played.seat, sight.cards) for outcomes in tried]
    best = turns[leads.index(max(leads))]
    judged = yield from sight.try_out([actual] if best == actual else [actual, best], JUDGING)
    money = [_average(outcomes) for outcomes in judged]
    gains = [lead_of(outcome, played.seat, sight.cards) for outcome in money]
    if gains[-1] <= gains[0] + NOISE:
        best, judged, money, gains = actual, judged[:1], money[:1], gains[:1]
    loss, spread = round(gains[-1] - gains[0], 2), sight.spread_of(*judged) if len(judged) > 1 else 0.0
    reason = {"code": "close"} if loss < spread else reason_of(sight.table, actual, best) if loss else None
    yield {"turn": played.turn, "seat": played.seat, "version": played.version} | {
        "played": [json_of(action) for action in played.actions],
        "best": [json_of(action) for action in (played.actions if best == actual else sight.actions_of(best))],
        "gain": {"played": gains[0], "best": gains[-1]},
        "loss": loss,
        "spread": spread,
        "reason": reason,
        "chances": chances_of(money[-1], sight.cards),
    }


def _average(outcomes: list[list[float]]) -> list[float]:
    return [total(amount / len(outcomes) for amount in of_seat) for of_seat in zip(*outcomes, strict=True)]


class _Sight:
    """What a seat knows when its turn starts, and the chance that follows from it."""

    def __init__(self, before: Sequence[EventRecord], seat: int) -> None:
        game = fold(evidence_of(before), len(before))
        assert game.version == len(before), "the log holds an event that can't have happened"
        view, rules = view_of(game, seat, ""), game.rules
        history = [redact_event(event, seat, game) for event in before]
        self.seat, self.pile = seat, view["draw_pile"]
        self.rows: list[Business | None] = [row["business"] for row in view["seats"][seat]["rows"]]
        self.table = read_table(view, rules)
        self.known = knowledge_of(len(game.seats), rules, history)
        self.cards = cards_to_come(rules, game.revealed, self.pile)
        lies = [getattr(self.table, name) for name in Table.__slots__ if name not in {"rows", "rules"}]
        knows = [sorted(self.known.unseen.items()), self.known.holdings, self.known.hidden]
        seen = canonical_json([_CHANCE_OF, rules.name, game.variants, self.rows, self.pile, lies, knows])
        self._chance = Random(sha256(seen).digest())  # noqa: S311 - it must repeat, and hides nothing

    def try_out(self, turns: Sequence[tuple[int, ...]], worlds: int) -> Generator[None, None, list[list[list[float]]]]:
        """Of each turn every seat's money, by worlds that are the same for all; each turn is a step."""
        tried: list[list[list[float]]] = [[] for _ in turns]
        for _ in range(worlds):
            world = sample_world(self.table, self.seat, self.known, self._chance)
            for moves, outcomes in zip(turns, tried, strict=True):
                outcomes.append(_play_on(world.copy(), moves))
                yield
        return tried

    def spread_of(self, played: list[list[float]], best: list[list[float]]) -> float:
        """How far the loss may be off by the luck of the worlds: two standard errors, in hundredths."""
        leads = [[lead_of(money, self.seat, self.cards) for money in outcomes] for outcomes in (played, best)]
        losses = [better - actual for actual, better in zip(*leads, strict=True)]
        mean, freedom = total(losses) / len(losses), len(losses) * (len(losses) - 1)
        return round(2 * sqrt(total((loss - mean) ** 2 for loss in losses) / freedom), 2)

    def moves_of(self, actions: Sequence[Action]) -> tuple[int, ...]:
        """A played turn as far as it was known at its start: up to its draw, or to the first card that turned up."""
        table, rows, shown, moves = self.table.copy(), self.rows[:], self.table.display[:], list[int]()
        for action in actions:
            move = _move_of(action, table, rows, shown)
            if move not in table.moves():
                break
            table.make(move)
            moves.append(move)
        return _known(tuple(moves))

    def actions_of(self, moves: Sequence[int]) -> list[Action]:
        rows, actions = self.rows[:], list[Action]()
        for move in moves:
            actions.append(action_of(move, rows))
            _move_of(actions[-1], self.table, rows, self.table.display[:])
        return actions


def _known(moves: tuple[int, ...]) -> tuple[int, ...]:
    """A turn up to its draw: what follows depends on the card."""
    return moves[: moves.index(DRAW) + 1] if DRAW in moves else moves


def _move_of(action: Action, table: Table, rows: list[Business | None], shown: list[int]) -> int:
    """The move of an action, which also changes the businesses of the seat's rows, and the display as it was shown."""
    if isinstance(action, Take):  # of equal cards the first that is left; no move where another card has turned up
        card, shown[action.slot] = shown[action.slot], NO_CARD
        return table.display.index(card)
    move = move_of(action, rows)
    if isinstance(action, LayBusinessmaker):
        rows.append(None)
    elif isinstance(action, Append):
        rows[action.row] = rows[action.row] or action.card
    return move


def _play_on(world: Table, moves: Sequence[int]) -> list[float]:
    """Each seat's money in the end, expected after the turn, planned on where it is cut, and some more turns."""
    seat, seats, left = world.seat, len(world.hands), list(moves)
    while world.seat == seat and not world.over:
        left = left or list(_known(Planner(world, len(world.pile)).best_plans()[0].moves))
        world.play(left.pop(0))
    for _ in range(-(-TURNS // seats) * seats - 1):
        play_turn(world)
    return money_of(world)
