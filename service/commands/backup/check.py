"""Reading back every game of a copy: its whole log, from the first event to the header, is checked against itself."""

from collections.abc import Mapping
from typing import NamedTuple

from service.commands.store.heads import Head, read_heads
from service.commands.terminal import track
from service.gamelog.integrity import check_integrity
from service.gamelog.store.streams import Store


class CheckedGame(NamedTuple):
    head: Head
    fault: str
    """What is wrong with it; empty: nothing."""


def check_all(store: Store, expected: Mapping[str, Head]) -> list[CheckedGame]:
    """Read back all games of a store, and compare those in `expected` with the event that is named there.

    Raises StoreUnavailable.
    """
    heads = list(read_heads(store, store.ids()))
    return [_check(store, head, expected.get(head.game)) for head in track(heads, "Checking", len(heads))]


def _check(store: Store, head: Head, expected: Head | None) -> CheckedGame:
    found = check_integrity(store, head.game)
    if found.offence:
        return CheckedGame(head, f"its log is damaged at version {found.offence.version}")
    if expected and [event["hash"] for event in found.events[expected.version - 1 : expected.version]] != [
        expected.hash
    ]:
        return CheckedGame(head, f"version {expected.version} isn't as the store had it")
    return CheckedGame(head, "")
