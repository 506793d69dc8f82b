"""Games that go on lawfully from a table that was changed unseen: forgeries in which all that follows fits."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from random import Random
from typing import Any, Final

from tests.domain.audit.forgery_kinds import CARDS, Log, Source
from tests.oracle.answers import replay
from tests.oracle.play import Writer, choose
from tests.oracle.position import Row
from tests.oracle.table import Table


def cheats(source: Source, log: Log, chance: Random) -> Log:
    """The table is changed unseen, and the second engine plays some turns from there, with all that follows."""
    version = chance.choice([end for end in source.waits if end <= len(log)])
    writer = Writer(chance)
    writer.table, writer.events = replay(log, version), log[:version]
    writer.now = datetime.fromisoformat(log[version - 1]["at"])
    with suppress(AssertionError, LookupError, AttributeError, ValueError):  # as far as the table holds
        chance.choice(CHEATS)(writer.table, chance)
        for _ in range(chance.randint(1, 8)):
            writer.tick()
            writer.settle()
            writer.act(choose(chance, writer.table.possible(), 0.5))
    return writer.events


def _card(chance: Random) -> str:
    return chance.choice(CARDS[:-1])


def _swap_pile(table: Table, chance: Random) -> None:
    pile = table.pile or []
    place = chance.randrange(1, len(pile))
    pile[0], pile[place] = pile[place], pile[0]


def _replace_in_hand(table: Table, chance: Random) -> None:
    hand = chance.choice(table.seats).hand
    hand[chance.randrange(len(hand))] = _card(chance)


def _reopen_row(table: Table, chance: Random) -> None:
    row = chance.choice([row for seat in table.seats for row in seat.rows if row.closed])
    row.cards.remove("risk")


def _turn_variant(table: Table, chance: Random) -> None:
    flags = table.created["variants"]
    name = chance.choice(sorted(flags))
    table.created = table.created | {"variants": flags | {name: not flags[name]}}


def _change(name: str, *steps: int) -> Callable[[Table, Random], None]:
    def change(table: Table, chance: Random) -> None:
        setattr(table, name, getattr(table, name) + chance.choice(steps))

    return change


def _pay(table: Table, chance: Random) -> None:
    chance.choice(table.seats).total += chance.choice([-1, 1])


CHEATS: Final[Sequence[Callable[[Table, Random], Any]]] = (
    _swap_pile,
    _replace_in_hand,
    _reopen_row,
    _turn_variant,
    _pay,
    _change("points", -1, 1, 2),
    _change("revealed", -1, 1),
    _change("turn", -1, 1),
    lambda table, _: setattr(table, "actor", (table.actor + 1) % len(table.seats)),
    lambda table, chance: chance.choice(table.seats).hand.append(_card(chance)),
    lambda table, chance: chance.choice(table.seats).hand.pop(),
    lambda table, _: table.pile.pop(0) if table.pile else None,
    lambda table, chance: table.display.__setitem__(chance.randrange(3), _card(chance)),
    lambda table, chance: chance.choice(table.seats).rows.append(Row(_card(chance))),
)
"""What may be changed unseen."""
