"""One turn judged: what was played beside the best that `shark` finds, in worlds that agree with what the seat knew.

Rule 1: nothing comes in but what the seat sees when its turn starts, and the turn that it played.
Rule 2: the best turn is chosen in some worlds, and both are judged in others: chosen by luck it gains nothing there.
"""

from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any, Final

from domain.analysis.forecast import chances, in_hundredths, lead
from domain.analysis.turns import PlayedTurn
from domain.audit.evidence import evidence_of, fold
from domain.bots.knowledge import SeatKnowledge, knowledge_of
from domain.bots.shark.outlook import horizon, standings_of, worth_of_hand, worth_of_rows
from domain.bots.shark.replies import reply
from domain.bots.shark.search import Planner, action_of
from domain.bots.shark.table import APPEND, DRAW, KIND_OF, LAY, NO_CARD, Table
from domain.bots.shark.worlds import read_table, sample_world
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from domain.orders.wishes import json_of
from domain.state import Game
from domain.view import redact_event, view_of

ENGINE: Final = "shark@1"
"""The name of these answers: it changes when any of them does."""
CHOICE_WORLDS: Final = 16
JUDGED_WORLDS: Final = 32


def judge_turn(events: Sequence[EventRecord], played: PlayedTurn) -> dict[str, Any]:
    """A turn as the contract's `turns` has it; of the log nothing behind `played.version` is read."""
    before = events[: played.version]
    game = fold(evidence_of(before), played.version)
    assert game.version == played.version
    judge = _Judge(game, before, played.seat)
    return judge.judge(played)


class _Judge:
    def __init__(self, game: Game, before: Sequence[EventRecord], seat: int) -> None:
        view = view_of(game, seat, "")
        self.seat, self.rows = seat, [row["business"] for row in view["seats"][seat]["rows"]]
        self.seen = read_table(view, game.rules)
        self.pile = view["draw_pile"]
        history = [redact_event(event, seat, game) for event in before]
        self.known = knowledge_of(seat, len(game.seats), game.rules, history)
        self.chance = Random(_digest(self.seen, game, self.known, self.pile))  # noqa: S311 - it must repeat
        rounds = horizon(game.rules, len(game.seats), game.revealed, self.pile).rounds[0]
        self.spread = 2 + 4 * rounds

    def judge(self, played: PlayedTurn) -> dict[str, Any]:
        own = self.moves_of(played.actions)
        plans = [cut(plan.moves) for plan in Planner(self.seen, self.pile).best_plans()]
        if not any(self.alike(plan, own) for plan in plans):
            plans.append(own)
        found = self.try_out(plans, CHOICE_WORLDS)
        leads = [lead(money, self.seat, self.spread) for money in found]
        best = plans[leads.index(max(leads))]
        money, other = self.try_out([own, best], JUDGED_WORLDS)
        gain, best_gain = (round(lead(one, self.seat, self.spread), 2) for one in (money, other))
        if self.alike(best, own) or best_gain <= gain:
            best_gain, other = gain, money
            actions = list(played.actions)
        else:
            actions = self.actions_of(best)
        return {
            "turn": played.turn,
            "seat": played.seat,
            "version": played.version,
            "played": [json_of(action) for action in played.actions],
            "best": [json_of(action) for action in actions],
            "gain": {"played": gain, "best": best_gain},
            "loss": round(best_gain - gain, 2),
            "chances": in_hundredths(chances(other, self.spread)),
        }

    def try_out(self, plans: Sequence[tuple[int, ...]], worlds: int) -> list[list[float]]:
        """For each plan, the money that each seat is expected to have in the end, on average over worlds."""
        sums = [[0.0] * len(self.seen.hands) for _ in plans]
        for _ in range(worlds):
            world = sample_world(self.seen, self.seat, self.known, self.chance)
            for plan, money in zip(plans, sums, strict=True):
                for place, one in enumerate(_play_on(world.copy(), plan, self.seat)):
                    money[place] += one / worlds
        return sums

    def alike(self, one: Sequence[int], other: Sequence[int]) -> bool:
        """Whether two turns differ in nothing but the order of their actions."""
        return sorted(one) == sorted(other)

    def moves_of(self, actions: Sequence[Action]) -> tuple[int, ...]:
        """The moves of a played turn, up to the first that rests on a card that turned up within it."""
        hand, display, rows = self.seen.hands[self.seat][:], self.seen.display[:], self.rows[:]
        moves: list[int] = []
        for action in actions:
            match action:
                case Draw():
                    return (*moves, DRAW)
                case Take(slot=slot):
                    card = display[slot]
                    if card == NO_CARD:
                        return tuple(moves)
                    moves.append(display.index(card))
                    display[slot] = NO_CARD
                    hand[card] += 1
                case LayBusinessmaker(card=name):
                    card = KIND_OF[name]
                    if not hand[card]:
                        return tuple(moves)
                    hand[card] -= 1
                    rows.append(None)
                    moves.append(LAY + card)
                case Append(card=name, row=row):
                    card = KIND_OF[name]
                    if not hand[card]:
                        return tuple(moves)
                    hand[card] -= 1
                    rows[row] = rows[row] or name
                    moves.append(APPEND + 16 * card + KIND_OF[rows[row]])
        return tuple(moves)

    def actions_of(self, moves: Sequence[int]) -> list[Action]:
        rows = [{"business": business} for business in self.rows]
        actions = []
        for move in moves:
            action = action_of(move, rows)
            if isinstance(action, LayBusinessmaker):
                rows.append({"business": None})
            elif isinstance(action, Append) and rows[action.row]["business"] is None:
                rows[action.row] = {"business": action.card}
            actions.append(action)
        return actions


def cut(moves: tuple[int, ...]) -> tuple[int, ...]:
    """A turn up to its draw: what follows depends on the card."""
    return moves[: moves.index(DRAW) + 1] if DRAW in moves else moves


def _play_on(world: Table, moves: Sequence[int], seat: int) -> list[float]:
    for move in moves:
        world.play(move)
        if world.over:
            return [float(total) for total in world.totals]
    while world.seat == seat and not world.over and world.points < world.rules.action_points:
        for move in cut(Planner(world, len(world.pile)).best_plans()[0].moves):
            world.play(move)
            if world.over:
                break
    while world.seat != seat and not world.over:
        world.play(reply(world))
    return _expect(world)


def _expect(table: Table) -> list[float]:
    """What each seat is expected to have in the end."""
    if table.over:
        return [float(total) for total in table.totals]
    ahead = horizon(table.rules, len(table.hands), table.revealed, len(table.pile))
    worth = []
    for seat, total in enumerate(table.totals):
        standings = standings_of(table, seat)
        rows = ahead.rounds[0] * worth_of_rows(table, seat, standings) * (len(table.hands) - 1) / len(table.hands)
        worth.append(total + rows + worth_of_hand(table, seat, standings, ahead, int(table.seat != seat)))
    return worth


def _digest(seen: Table, game: Game, known: SeatKnowledge, pile: int) -> bytes:
    seen_now = [getattr(seen, name) for name in Table.__slots__ if name != "rules"]
    knows = [sorted(known.unseen.items()), known.holdings, known.hidden]
    return sha256(canonical_json([ENGINE, game.rules.name, game.variants, pile, seen_now, knows])).digest()
