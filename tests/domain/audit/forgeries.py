"""Forged logs, with all hashes recomputed as a forger could who knows the seed.

A forgery starts from a lawful log, whole or up to a place where its game waits. It need not be unlawful: what it is,
the second engine decides (`judge`), which shares no code with the audit.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from random import Random
from typing import Final

from domain.fairness.chain import chain_key, first_hash, next_hash
from tests.domain.audit.cheats import cheats
from tests.domain.audit.forgery_kinds import PLAIN_KINDS, Log, Source, copy_of_nobodys, hashes
from tests.domain.audit.test_forks import FORKS
from tests.oracle.oracle import OracleGame
from tests.oracle.play import play, rechain
from tests.oracle.table import Table
from tests.support.forks import copy_of
from tests.support.logs import random_log

KINDS: Final = (*PLAIN_KINDS, cheats)


@cache
def sources(count: int) -> list[Source]:
    """So many logs: by both engines, with late seats, bots, other events, messages; forks of both kinds."""
    made = []
    for number in range(count):
        seats, chance = 2 + number % 4, Random(f"source {number}")
        variants = {"expensive_specials": chance.random() < 0.5, "staggered_start": chance.random() < 0.5}
        match number % 6:
            case 0 | 1:
                log = play(
                    number, seats, variants, eager=0.3 + number % 2 / 2, asides=number % 4 == 0, stops=number % 4 == 0
                )
            case 2:
                log = random_log(seats, f"source {number}", [name for name, on in variants.items() if on], talk=0.05)
            case 3:
                log = FORKS[number % len(FORKS)]
            case 4:
                log = copy_of_nobodys(play(number, seats, variants, stops=True))
            case _:
                whole = play(number, seats, variants, asides=False)
                first = next(event["version"] for event in whole if event["type"] == "TurnStarted")
                log = copy_of(whole, chance.randrange(1, first + 30))
        log = rechain(log)
        made.append(Source(log, [*_waits_of(log)]))
    return made


def _waits_of(log: Log) -> Iterator[int]:
    """The versions at which no event is due at once; of a copy only those that it has had from its beginning."""
    table, first = Table(), 2
    if "parent" in log[0]["data"]:
        kinds = [event["type"] for event in log]
        first = 2 + kinds.index("TurnStarted")
        first = 1 + kinds.index("PositionSet") if "PositionSet" in kinds else max(first, log[0]["data"]["from"])
    for event in log:
        table.apply(event)
        due = table.due()
        if (due is None or due[0] == "RoundScored") and table.version >= first:
            yield table.version


def forge(chance: Random, pool: Sequence[Source]) -> tuple[str, Log, Log]:
    """The kind's name, the lawful log and the forged one."""
    source = chance.choice(pool)
    whole = chance.random() < 0.3
    log = source.log if whole else source.log[: chance.choice(source.waits)]
    kind = chance.choice(KINDS)
    forged = kind(source, log, chance)
    return kind.__name__, log, rehashed(forged, log) if kind is not hashes else forged


def rehashed(forged: Log, lawful: Log) -> Log:
    """With the versions and hashes of a log of these events, where its first event allows any."""
    pairs = zip(forged, lawful, strict=False)
    same = next((index for index, (one, other) in enumerate(pairs) if one is not other), min(len(forged), len(lawful)))
    result = forged[:same]
    try:
        data = forged[0]["data"]
        key = chain_key(bytes.fromhex(data["server_seed"]))
        previous = bytes.fromhex(forged[same - 1]["hash"]) if same else first_hash(key, data["game"])
    except (LookupError, TypeError, ValueError, AttributeError):
        return forged
    for version, event in enumerate(forged[same:], same + 1):
        content = {name: event[name] for name in ("at", "data", "type")} | {"version": version}
        try:
            previous = next_hash(key, previous, content)
        except (TypeError, ValueError, LookupError, AttributeError):  # words or a salt of no lawful form have no digest
            previous = bytes(32)
        result.append(content | {"hash": previous.hex()})
    return result


def judge(log: Log) -> str:
    """Why the second engine refuses a log that ends anywhere between two requests; empty where it is lawful."""
    try:
        due = OracleGame(log, complete=False).table.due()
        return "" if due is None or due[0] == "RoundScored" else f"the log ends before {due[0]}"
    except (AssertionError, LookupError, TypeError, ValueError, AttributeError) as refused:
        return repr(refused)
