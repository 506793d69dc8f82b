"""A table of plain numbers, for playing on quickly: the rules of `decide` without events, names and refusals.

Cards are numbers, in the order of HAND_CARDS, then the Reibach card. All cards are known here: a table is
made of a sampled world, never of a game. A test plays games on it and by `decide`, and compares them.

Moves are numbers, too: a display slot (take it), DRAW, LAY + card, APPEND + 16 * card + business of the row. Empty
businessmakers are alike, so a row is named by its business; the first card on an empty one names its own.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache, reduce
from operator import add
from typing import Any, Final, assert_never

from domain.cards import HAND_CARDS, REIBACH, Business
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.rules import Rules
from domain.scoring import award

KINDS: Final = len(HAND_CARDS)
BUSINESS_KINDS: Final = KINDS - 2
MULTITALENT_KIND: Final = KINDS - 2
RISK_KIND: Final = KINDS - 1
REIBACH_KIND: Final = KINDS
KIND_OF: Final = {card: kind for kind, card in enumerate((*HAND_CARDS, REIBACH))}
NO_CARD: Final = -1
DRAW: Final = 8
LAY: Final = 16
APPEND: Final = 32


class Table:
    """What lies where; one list or number for each seat. Only `play` and `make` change it."""

    __slots__ = (
        "closed", "display", "empty", "hands", "laid", "lengths", "over", "pile", "points", "revealed", "rows",
        "rules", "seat", "totals",
    )  # fmt: skip

    rules: Rules
    hands: list[list[int]]
    """Number of cards of each kind."""
    lengths: list[list[int]]
    """Length of the row of each business, 0 for none."""
    closed: list[list[int]]
    """1 where that row is closed by a risk card."""
    rows: list[tuple[int, ...]]
    """For each business the same of all seats, by which caches know it: lengths, negative where closed."""
    empty: list[int]
    """Businessmakers without a card."""
    laid: list[int]
    """Businessmakers in all."""
    display: list[int]
    pile: list[int]
    """Top card last."""
    revealed: int
    totals: list[int]
    seat: int
    points: int
    over: bool

    def copy(self) -> "Table":
        other = Table()
        other.rules = self.rules
        other.hands = [hand[:] for hand in self.hands]
        other.lengths = [lengths[:] for lengths in self.lengths]
        other.closed = [closed[:] for closed in self.closed]
        other.rows = self.rows[:]
        other.empty = self.empty[:]
        other.laid = self.laid[:]
        other.display = self.display[:]
        other.pile = self.pile[:]
        other.revealed = self.revealed
        other.totals = self.totals[:]
        other.seat = self.seat
        other.points = self.points
        other.over = self.over
        return other

    def moves(self) -> list[int]:
        """Every legal move of the seat whose turn it is, once each."""
        rules, points, seat = self.rules, self.points, self.seat
        moves: list[int] = []
        for slot, card in enumerate(self.display):
            special = card >= MULTITALENT_KIND
            if card != NO_CARD and points >= (rules.cost_take_special if special else rules.cost_take):
                moves.append(slot)
        if points >= rules.cost_draw:
            moves.append(DRAW)
        hand, lengths, closed = self.hands[seat], self.lengths[seat], self.closed[seat]
        can_lay = points >= rules.cost_lay and self.laid[seat] < rules.max_businessmakers
        can_append = points >= rules.cost_append
        for card in range(KINDS):
            if not hand[card]:
                continue
            if can_lay:
                moves.append(LAY + card)
            if not can_append:
                continue
            if card < BUSINESS_KINDS:
                if not closed[card] and (lengths[card] or self.empty[seat]):
                    moves.append(APPEND + 16 * card + card)
            else:
                moves += [
                    APPEND + 16 * card + business
                    for business in range(BUSINESS_KINDS)
                    if lengths[business] and not closed[business]
                ]
        return moves

    def make(self, move: int) -> None:
        """Change what a legal move changes at once; a taken card's slot stays empty, and a draw brings no card."""
        rules, seat = self.rules, self.seat
        hand = self.hands[seat]
        if move >= APPEND:
            card, business = divmod(move - APPEND, 16)
            self.points -= rules.cost_append
            hand[card] -= 1
            lengths, row = self.lengths[seat], list(self.rows[business])
            if card == RISK_KIND:
                self.closed[seat][business] = 1
                row[seat] = -lengths[business]
            else:
                self.empty[seat] -= not lengths[business]
                lengths[business] += 1
                row[seat] = lengths[business]
            self.rows[business] = tuple(row)
        elif move >= LAY:
            self.points -= rules.cost_lay
            hand[move - LAY] -= 1
            self.empty[seat] += 1
            self.laid[seat] += 1
        elif move == DRAW:
            self.points -= rules.cost_draw
        else:
            card = self.display[move]
            self.points -= rules.cost_take_special if card >= MULTITALENT_KIND else rules.cost_take
            hand[card] += 1
            self.display[move] = NO_CARD

    def play(self, move: int) -> list[int]:
        """Make a legal move and all that follows from it, scoring rounds and the end of the turn included.

        The legal moves with which the turn goes on; none where it is over.
        """
        self.make(move)
        if move <= DRAW:
            self._turn_up(move)
            if self.over:
                return []
        if self.points and (moves := self.moves()):
            return moves
        self.seat = (self.seat + 1) % len(self.hands)
        self.points = self.rules.action_points
        return []

    def _turn_up(self, move: int) -> None:
        while (card := self.pile.pop()) == REIBACH_KIND:
            self.revealed += 1
            scoring_at = self.rules.scoring_at
            if self.revealed in scoring_at:
                self._score(final=self.revealed == scoring_at[-1])
                if self.over:
                    return
        if move == DRAW:
            self.hands[self.seat][card] += 1
        else:
            self.display[move] = card

    def _score(self, *, final: bool) -> None:
        rules, totals = self.rules, self.totals
        for row in self.rows:
            incomes = incomes_of(rules, tuple(map(abs, row)))
            for seat, income in enumerate(incomes):
                totals[seat] += income * (2 if row[seat] < 0 else 1)
        if final:
            self.over = True
            for seat, hand in enumerate(self.hands):
                totals[seat] += rules.penalty_empty_businessmaker * self.empty[seat]
                totals[seat] += rules.penalty_hand_card * sum(hand)


def read_table(view: dict[str, Any], rules: Rules) -> Table:
    """The table as the view shows it: other hands and the draw pile are empty."""
    table, seats = Table(), view["seats"]
    table.rules = rules
    table.hands = [[0] * KINDS for _ in seats]
    table.lengths = [[0] * BUSINESS_KINDS for _ in seats]
    table.closed = [[0] * BUSINESS_KINDS for _ in seats]
    table.empty = [sum(row["business"] is None for row in seat["rows"]) for seat in seats]
    table.laid = [len(seat["rows"]) for seat in seats]
    for index, seat in enumerate(seats):
        for row in seat["rows"]:
            if row["business"] is not None:
                business = KIND_OF[row["business"]]
                table.lengths[index][business] = row["length"]
                table.closed[index][business] = int(row["closed"])
    table.rows = [
        tuple(
            [
                -lengths[kind] if closed[kind] else lengths[kind]
                for lengths, closed in zip(table.lengths, table.closed, strict=True)
            ]
        )
        for kind in range(BUSINESS_KINDS)
    ]
    table.display = [NO_CARD if card is None else KIND_OF[card] for card in view["display"]]
    table.pile = []
    table.revealed = view["reibach"]["revealed"]
    table.totals = [seat["total"] for seat in seats]
    table.seat, table.points = view["turn"]["seat"], view["turn"]["action_points"]
    table.over = False
    for card in view["you"]["hand"]:
        table.hands[view["you"]["seat"]][KIND_OF[card]] += 1
    return table


def action_of(move: int, rows: Sequence[Business | None]) -> Action:
    """The action of a move, in the seat's rows, of which the businesses are given."""
    if move >= APPEND:
        card, business = divmod(move - APPEND, 16)
        name = HAND_CARDS[business]
        return Append(card=HAND_CARDS[card], row=rows.index(name if name in rows else None))
    if move >= LAY:
        return LayBusinessmaker(card=HAND_CARDS[move - LAY])
    return Draw() if move == DRAW else Take(slot=move)


def move_of(action: Action, rows: Sequence[Business | None]) -> int:
    match action:
        case Take(slot=slot):
            return slot
        case LayBusinessmaker(card=card):
            return LAY + KIND_OF[card]
        case Append(card=card, row=row):
            return APPEND + 16 * KIND_OF[card] + KIND_OF[rows[row] or card]
        case Draw():
            return DRAW
        case _ as never:
            assert_never(never)


@lru_cache(maxsize=4096)
def incomes_of(rules: Rules, lengths: tuple[int, ...]) -> tuple[int, ...]:
    """Each seat's income from one business in one scoring round, before doubling; 0 where it has no row."""
    rows = {seat: length for seat, length in enumerate(lengths) if length}
    awards = award(rules, rows) if rows else {}
    return tuple([awards[seat][0] if seat in awards else 0 for seat in range(len(lengths))])


def rivals_of(row: tuple[int, ...], seat: int) -> tuple[int, ...]:
    """Of a business the rows of all other seats, sorted: they are alike."""
    return tuple(sorted(row[:seat] + row[seat + 1 :]))


def total(values: Iterable[float]) -> float:
    """Their sum from left to right. `sum` rounds it otherwise from Python 3.12 on, and equal moves change places."""
    return reduce(add, values, 0.0)
