"""A refusal as data, until it is known in which language it is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from domain.refusals import Reason, Refused
from domain.words.wording import Named, label_seats

_ROWS: Final = frozenset({"row", "first", "last"})
_WITHOUT_SEAT: Final = "named"
"""The case of a sentence that names a player and not the seat's number."""
Value: TypeAlias = int | str | Sequence[int | str]
"""A number; a text, by its name in the sentence a card or a player; a list."""


@dataclass(frozen=True, slots=True)
class Sentence:
    """One sentence or two: the name of a template in each language, and the values that fill it."""

    name: str
    values: Mapping[str, Value] = field(default_factory=dict)


def sentence_of(refused: Refused) -> Sentence:
    """What a player reads about a refusal by the rules or the game's state."""
    values = dict(refused.parameters)
    case = values.pop("case", None)
    return Sentence(f"{refused.reason}.{case}" if case else str(refused.reason), values)


def phrase_for_table(sentence: Sentence, seats: Sequence[Named]) -> Sentence:
    """The sentence as mails and pages say it. `seats`: the table's.

    Requests count rows and seats from 0. Players count rows from 1, and know seats by their names: equal ones are
    numbered, as everywhere at the table.
    """
    seat = sentence.values.get("seat")
    if sentence.name == Reason.NOT_YOUR_TURN and isinstance(seat, int):
        return Sentence(f"{sentence.name}.{_WITHOUT_SEAT}", {"name": label_seats(seats)[seat]})
    if "row" not in sentence.values:
        return sentence
    rows = {name: value + 1 for name, value in sentence.values.items() if name in _ROWS and isinstance(value, int)}
    return Sentence(sentence.name, {**sentence.values, **rows})
