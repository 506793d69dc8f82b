"""The check `projection` of a service: what it serves of a game must follow from the game's log."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from domain.audit.chain import NOT_JSON, Offence
from domain.state import Game
from domain.view import Viewer, scores_of, view_of


@dataclass(frozen=True, slots=True)
class Served:
    """What a service serves of the game at the log's last version."""

    views: Mapping[Viewer, Any]
    scores: Any


def served_fault(served: Served, game: Game, head_hash: Any) -> Offence | None:
    """What differs from the view and the scores that `game`, folded from the log, gives; None where nothing does.

    `head_hash`: of the log's last event.
    """
    try:
        for viewer, view in served.views.items():
            if not _holds(view, view_of(game, viewer, head_hash)):
                return Offence(game.version, "the view that the events give")
        if not _holds(served.scores, scores_of(game)):
            return Offence(game.version, "the scores that the events give")
    except (*NOT_JSON, LookupError, AttributeError):
        return Offence(game.version, "a game that can be served")
    return None


def _holds(found: Any, expected: Any) -> bool:
    """Whether all of `expected` is in `found`; a later release may serve members that are not known here."""
    if isinstance(expected, dict):
        return isinstance(found, dict) and all(
            name in found and _holds(found[name], value) for name, value in expected.items()
        )
    if isinstance(expected, list | tuple):
        return (
            isinstance(found, list | tuple)
            and len(found) == len(expected)
            and all(_holds(one, other) for one, other in zip(found, expected, strict=True))
        )
    return type(found) is type(expected) and bool(found == expected)
