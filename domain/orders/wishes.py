"""Actions and wishes as JSON: as requests and answers have them, and as standing orders are stored."""

from collections.abc import Callable, Mapping
from typing import Any, Final, get_args

from domain.cards import BUSINESSES, HAND_CARDS
from domain.commands import ACTION_TABLE, Action, Alternative, AppendTo, Skip, TakeCard
from domain.events import require_all
from domain.orders.planner import Step

TYPES: Final[Mapping[type[Alternative], str]] = {
    **{kind: entry.word for kind, entry in ACTION_TABLE.items()},
    TakeCard: "take",
    AppendTo: "append",
    Skip: "skip",
}
require_all("TYPES of wishes", TYPES, get_args(Alternative))
_IS_VALID: Final[Mapping[str, Callable[[Any], bool]]] = {
    "slot": lambda value: type(value) is int and 0 <= value <= 2,
    "row": lambda value: type(value) is int and 0 <= value <= 9,
    "card": lambda value: value in HAND_CARDS,
    "business": lambda value: value in BUSINESSES,
}
require_all("_IS_VALID of wishes", _IS_VALID, (name for kind in TYPES for name in kind.__dataclass_fields__))


def json_of(wish: Alternative) -> dict[str, Any]:
    """The action or wish, in the form of a request."""
    return {"type": TYPES[type(wish)], **{name: getattr(wish, name) for name in wish.__dataclass_fields__}}


def wish_of(data: Any) -> Alternative:
    """The wish that the JSON means. Raises ValueError where it is none, also one with a member too many."""
    if isinstance(data, dict):
        members = {name: value for name, value in data.items() if name != "type"}
        for kind, word in TYPES.items():
            is_meant = data.get("type") == word and members.keys() == kind.__dataclass_fields__.keys()
            if is_meant and all(_IS_VALID[name](value) for name, value in members.items()):
                return kind(**members)
    raise ValueError("it is no action")


def action_of(data: Any) -> Action:
    """The action that the JSON means. Raises ValueError where it is none, also what only a step of orders may name."""
    match wish_of(data):
        case TakeCard() | AppendTo() | Skip():
            raise ValueError("an action takes from a slot, lays on a row, and isn't nothing")
        case action:
            return action


def json_of_steps(steps: tuple[Step, ...]) -> list[Any]:
    """Each in the form in which it was put in."""
    forms = [([json_of(wish) for wish in step.do], step) for step in steps]
    return [
        do if step == Step(step.do) else {"do": do, "repeat": step.repeat, "if_none": step.if_none}
        for do, step in forms
    ]


def steps_of(data: Any) -> tuple[Step, ...]:
    """The steps that the JSON means. Raises ValueError, TypeError or LookupError where they are none."""
    forms = [{"do": form} if isinstance(form, list) else {"is_list": False, **form} for form in data]
    return tuple(Step(**{**form, "do": tuple(wish_of(wish) for wish in form["do"])}) for form in forms)
