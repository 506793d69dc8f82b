"""Actions and wishes as JSON: as requests and answers have them, and as standing orders are stored."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from domain.cards import HAND_CARDS
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take, TakeCard, Wish

_TYPES: Final[Mapping[type[Wish], str]] = {
    Take: "take",
    TakeCard: "take",
    Draw: "draw",
    LayBusinessmaker: "lay_businessmaker",
    Append: "append",
}
_IS_VALID: Final[Mapping[str, Callable[[Any], bool]]] = {
    "slot": lambda value: type(value) is int and 0 <= value <= 2,
    "row": lambda value: type(value) is int and 0 <= value <= 9,
    "card": lambda value: value in HAND_CARDS,
}


def json_of(wish: Wish) -> dict[str, Any]:
    """The action or wish as it stands in a request."""
    return {"type": _TYPES[type(wish)], **{name: getattr(wish, name) for name in wish.__dataclass_fields__}}


def wish_of(data: Any) -> Wish:
    """The wish that the JSON means. Raises ValueError where it is none, also one with a member too many."""
    if isinstance(data, dict):
        members = {name: value for name, value in data.items() if name != "type"}
        for kind, word in _TYPES.items():
            if data.get("type") == word and members.keys() == kind.__dataclass_fields__.keys():
                if all(_IS_VALID[name](value) for name, value in members.items()):
                    return kind(**members)
                break
    raise ValueError(f"{data!r} is no action")


def action_of(data: Any) -> Action:
    """The action that the JSON means. Raises ValueError where it is none, also a `take` that names a card."""
    match wish_of(data):
        case TakeCard():
            raise ValueError("an action takes from a slot")
        case action:
            return action
