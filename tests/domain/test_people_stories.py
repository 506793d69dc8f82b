"""What people do around the cards, told as stories in `people_stories.txt`, each checked by both engines.

A story begins with `== ` and a title, then the pace (`{}`: none) and the players, `Bert*` an invited one, `-` an open
seat. Its lines: a time since the start
(`.`: the same), who does what, and behind the colon the events, or the refusal. `? member value` is of the view.
`! type data` is a forged event: both engines must name the last one.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import pytest

from domain.audit.checks import audit
from domain.clock.pace import Pace
from domain.clock.timestamps import timestamp
from domain.commands import (
    Act,
    Command,
    Draw,
    GiveConsent,
    JoinGame,
    LayBusinessmaker,
    PostMessage,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.people.decisions import COMMANDS_OF_A_SEAT
from domain.refusals import Refused
from domain.view import view_of
from tests.domain.audit.test_checks import version_of
from tests.domain.timed import START, Timed
from tests.oracle.oracle import OracleGame
from tests.oracle.play import rechain
from tests.support.forks import copy_of
from tests.support.logs import log_of

UNITS: Final = {"s": 1000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
NAMES: Final = ("Anna", "Bert", "Cleo")
VERBS: Final[dict[str, Callable[..., Command]]] = {
    "agrees": lambda seat, _, to: GiveConsent(seat=seat, to=to),
    "withdraws": lambda seat, _, to: WithdrawConsent(seat=seat, to=to),
    "releases": lambda seat, _, other: GiveConsent(seat=seat, to="release", about=NAMES.index(other)),
    "holds": lambda seat, _, other: WithdrawConsent(seat=seat, to="release", about=NAMES.index(other)),
    "draws": lambda seat, _: Act(seat=seat, actions=(Draw(),)),
    "lays": lambda seat, _, card: Act(seat=seat, actions=(LayBusinessmaker(card=card),)),
    "joins": lambda seat, _: JoinGame(name=NAMES[seat]),
    "says": lambda seat, _: PostMessage(seat=seat, text="Anna?"),
    "leaves-for": lambda seat, now, days: TakeVacation(seat=seat, until=now + round(float(days) * UNITS["d"])),
    **{  # `reclaims`, of ReclaimSeat
        re.findall("[A-Z][a-z]+", kind.__name__)[0].lower() + "s": lambda seat, _, kind=kind: kind(seat=seat)
        for kind in COMMANDS_OF_A_SEAT.values()
    },
}


STORIES: Final = [
    [line for line in story.splitlines() if line and not line.startswith("#")]
    for story in Path(__file__).with_name("people_stories.txt").read_text("utf-8").split("== ")[1:]
]


def happen(played: Timed, who: str, *words: str) -> str:
    """What a line brings about: the types of events, or a refusal with its parameters."""
    if who == "turn":
        played.finish_turn(by_bot="bot" in words)
        return ""
    is_late = who == "time"
    try:
        command = (
            TimeOut(turn=played.game.turn) if is_late else VERBS[words[0]](NAMES.index(who), played.now, *words[1:])
        )
        return " ".join(played.do(command))
    except Refused as refused:
        values = (
            f"{(one - START) / UNITS['d']:g}d" if name == "at" else one for name, one in refused.parameters.items()
        )
        return " ".join(map(str, (refused.reason, *values)))


def member_of(value: Any, path: str) -> Any:
    for name in path.split("."):
        value = value.get(name, "missing") if isinstance(value, dict) else value[int(name)]
    return value


@pytest.mark.parametrize("story", [pytest.param(lines[1:], id=lines[0]) for lines in STORIES])
def test_a_story(story: list[str]) -> None:
    pace, _, names = story[0].rpartition("} ")
    options = json.loads(pace + "}")
    is_replaceable = options.pop("replaceable", False)
    played = Timed(Pace.from_json(options) if options else None, names.split(), replaceable=is_replaceable)
    forged = []
    for line in story[1:]:
        mark, _, rest = line.partition(" ")
        if mark == "?":
            path, _, value = rest.partition(" ")
            assert member_of(view_of(played.game, None, ""), path) == json.loads(value), line
        elif mark == "!":
            kind, _, data = rest.partition(" ")
            forged.append({"type": kind, "at": timestamp(played.now), "data": json.loads(data)})
        else:
            played.now = played.now if mark == "." else START + round(float(mark[:-1]) * UNITS[mark[-1]])
            what, _, outcome = rest.partition(":")
            assert happen(played, *what.split()) == outcome.strip(), line
    log = log_of(played.decisions)
    if not forged:
        played.checked()
        return
    log += [log[-1] | event | {"version": version} for version, event in enumerate(forged, len(log) + 1)]
    assert version_of(audit(log, open_cards=True), "rules") == len(log)
    with pytest.raises(AssertionError, match=f"version {len(log)}"):
        OracleGame(rechain(log), complete=False)


def test_a_copy_has_waited_for_nobody() -> None:
    """The times before a fork are its parent's: its first player is not silent from the beginning."""
    parent = Timed(None, NAMES)
    parent.finish_turn()
    log = log_of(parent.decisions)
    log = copy_of(log, len(log))
    given = {"type": "ConsentGiven", "data": {"seat": 2, "to": "release", "about": 1}, "at": "2030-01-01T00:00:00.000Z"}
    forged = [*log, log[-1] | given | {"version": len(log) + 1}]
    assert version_of(audit(forged, open_cards=True), "rules") == len(forged)
    with pytest.raises(AssertionError, match="not silent"):
        OracleGame(rechain(forged), complete=False)
