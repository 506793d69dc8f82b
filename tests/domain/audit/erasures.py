"""Logs with erased words, and what a forger makes of them who knows the seed and keeps the true end's receipt."""

import json
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, Final

from domain.decide import decide
from domain.erasure import erase
from domain.events import EventRecord
from domain.fairness.chain import ERASABLE
from domain.state import Game
from tests.domain.audit.forgeries import rehashed
from tests.domain.audit.forgery_kinds import Log
from tests.oracle.play import rechain
from tests.support.logs import log_of, random_log
from tests.support.play import next_command, salt_of, steps

TALK: Final = 0.2


@cache
def true_log() -> Log:
    """A game of three with messages of all, also after its end; the last one is seat 0's."""
    log = random_log(3, "erasure", talk=TALK)
    return rechain([*log, said(log, 0)])


def said(log: Log, seat: int) -> EventRecord:
    data = {"seat": seat, "text": "Good game!", "salt": salt_of(len(log))}
    return {"version": len(log) + 1, "type": "MessagePosted", "at": log[-1]["at"], "data": data, "hash": ""}


def erased(log: Log, *versions: int) -> Log:
    """What `forget` leaves of the log, were these the events with the person's words."""
    return [
        event | {"data": erase(event["type"], event["data"])} if event["version"] in versions else event
        for event in log
    ]


def changed(log: Log, version: int, without: tuple[str, ...] = (), **data: Any) -> Log:
    event = log[version - 1]
    left = {name: value for name, value in event["data"].items() if name not in without}
    return [*log[: version - 1], event | {"data": left | data}, *log[version:]]


def led_to_end(forged: Log, true: Log) -> Log:
    """All hashes recomputed but the last, which stays that of the true log."""
    return [*rehashed(forged, true)[:-1], forged[-1] | {"hash": true[-1]["hash"]}]


def another_game(true: Log) -> Log:
    """Another game on the same deck, padded with messages to the length of the true one, whose last event it has."""
    opening, _ = next(steps(3, "erasure", talk=TALK))
    for number in range(50):
        chance, decisions = Random(number), [decide(opening, Game())]
        while not (game := decisions[-1].game).over:
            decisions.append(decide(next_command(game, chance), game))
        if len(log := log_of(decisions)) < len(true):
            break
    while len(log) < len(true) - 1:
        log.append(said(log, 1))
    return rechain([*log, true[-1] | {"at": log[-1]["at"]}])


TRUE: Final = true_log()
LAST: Final = len(TRUE)
SAID: Final = next(event["version"] for event in TRUE if event["type"] == "MessagePosted")
SHORTENED: Final = erased(TRUE, 3, SAID, LAST)
_CASES: Final[dict[str, Callable[[], tuple[int, Log]]]] = {
    "another game on the deck": lambda: (LAST, led_to_end(erased(another_game(TRUE), LAST), TRUE)),
    "another name": lambda: (LAST, led_to_end(changed(SHORTENED, 2, name="Mallory"), TRUE)),
    "another name, no new hash": lambda: (2, changed(SHORTENED, 2, name="Mallory")),
    "a bot": lambda: (3, changed(SHORTENED, 3, bot="shark")),
    "a bot, new hashes": lambda: (LAST, led_to_end(changed(SHORTENED, 3, bot="shark"), TRUE)),
    "another entropy": lambda: (3, changed(SHORTENED, 3, entropy="mine")),
    "another seat": lambda: (LAST, changed(SHORTENED, LAST, seat=1)),
    "another time": lambda: (LAST, [*SHORTENED[:-1], SHORTENED[-1] | {"at": "2027-01-01T00:00:00.000Z"}]),
    "another digest": lambda: (LAST, changed(SHORTENED, LAST, digest="ab" * 32)),
    "another salt": lambda: (LAST, changed(TRUE, LAST, salt="ab" * 16)),
    "another form of salt": lambda: (LAST, changed(TRUE, LAST, salt=TRUE[-1]["data"]["salt"].upper())),
    "another form of digest": lambda: (LAST, changed(SHORTENED, LAST, digest=SHORTENED[-1]["data"]["digest"].upper())),
    "words beside erased": lambda: (LAST, changed(SHORTENED, LAST, text="Good game!")),
    "empty words": lambda: (LAST, changed(SHORTENED, LAST, text="")),
    "words left out": lambda: (LAST, changed(SHORTENED, LAST, ("text",))),
    "salt beside erased": lambda: (LAST, changed(SHORTENED, LAST, salt=TRUE[-1]["data"]["salt"])),
    "digest beside salt": lambda: (LAST, changed(TRUE, LAST, digest=SHORTENED[-1]["data"]["digest"])),
    "digest beside words": lambda: (LAST, changed(SHORTENED, LAST, ("erased",), text="Good game!")),
    "null without erased": lambda: (LAST, changed(SHORTENED, LAST, ("erased",))),
    "erased is false": lambda: (LAST, changed(SHORTENED, LAST, erased=False)),
    "erased without digest": lambda: (LAST, changed(SHORTENED, LAST, ("digest",))),
    "digest is null": lambda: (2, changed(erased(TRUE, 2), 2, digest=None)),
    "salt is null": lambda: (3, changed(TRUE, 3, salt=None)),
    "no salt": lambda: (LAST, changed(TRUE, LAST, ("salt",))),
    "another type": lambda: (5, changed(TRUE, 5, erased=True)),
    "an unknown type": lambda: (LAST, [*TRUE[:-1], TRUE[-1] | {"type": "Whispered", "data": {"erased": True}}]),
}
FORGED: Final = {name: case() for name, case in _CASES.items()}
"""By name: the version at which the chain breaks, and the forged log."""


def mutated(chance: Random) -> Log:
    """The log with some events erased, as an operator may, and one more change, of their own members above all."""
    words = [event["version"] for event in TRUE if event["type"] in ERASABLE]
    log = erased(TRUE, *chance.sample(words, chance.randint(1, len(words))))
    version = chance.choice([*words, chance.randint(1, LAST)])
    event = json.loads(json.dumps(log[version - 1]))
    kinds = [*ERASABLE, "CardTaken", "Whispered"]
    values = (None, True, False, "", "x", 1, "ab" * 16, "ab" * 32, "AB" * 16, log[-1]["data"].get("digest"))
    name = chance.choice(["erased", "digest", "salt", "name", "text", "seat", "bot", "type", "hash"])
    if name in {"type", "hash"}:
        event[name] = chance.choice(kinds) if name == "type" else "ab" * 32
    elif name in event["data"] and chance.random() < 0.3:
        del event["data"][name]
    else:
        event["data"][name] = chance.choice(values)
    forged = [*log[: version - 1], event, *log[version:]]
    return chance.choice([forged, forged, led_to_end(forged, TRUE), rehashed(forged, log)])
