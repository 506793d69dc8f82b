"""A refusal as data, until it is known in which language it is read."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from domain.refusals import Refused

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
