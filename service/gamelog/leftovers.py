"""What a game, or a person of it, leaves outside the one script of the store: keys and files.

Rule: nothing notes what is still owed. Each call looks for all of it by the game's name, after the script, so that a
call that is repeated finishes what one that was killed or refused has left.
"""

import re
from collections.abc import Iterator
from typing import Final

from service.gamelog.store.keys import MAILS, MOST_SEATS
from service.gamelog.store.streams import Store

_OF_GAME: Final = "game|archive|post|orders|notes|outbox|analysis"
"""Kinds of keys that a deleted game may have again, by a process that knew it still."""
_OF_SEAT: Final = "deliveries|mails|answers|tries|watching"
_MAILS_OF_SEAT: Final = "named|confirmation|receiver|guest"
"""Among the counts of mails, like the answers to lost tokens (`token`), which name no seat."""


def find_keys(store: Store, game: str, seat: int | None = None) -> Iterator[str]:
    """The keys that are named after a game, but for its log, or after a seat of it; None: all of them.

    Those that name no seat are of all seats: what they hold is of a day.
    """
    name, number = re.escape(game), r"\d+" if seat is None else str(seat)
    of_game = rf"|(?:{_OF_GAME}):{name}" if seat is None else ""
    of_shard = rf"\{{s\d+\}}:(?:push:{name}:.*|(?:{_OF_SEAT}):{name}:{number}(?::.*)?{of_game})"
    of_mails = rf"{re.escape(MAILS)}:(?:token:{name}/.*|(?:{_MAILS_OF_SEAT}):{name}/{number}|(?:invited|taken):{name})"
    wanted = re.compile(f"{of_shard}|{of_mails}")
    for key in store.client.scan_iter(match=f"*:{game}*", count=1000):
        if wanted.fullmatch(text := key.decode(errors="replace")):
            yield text


def remove_keys(store: Store, game: str, seat: int | None = None) -> None:
    """Delete them, and the seats among those that wait for an address to be confirmed. Raises StoreUnavailable."""
    places = [f"{game}/{number}" for number in (range(MOST_SEATS) if seat is None else [seat])]
    waiting = store.client.scan_iter(match=f"{MAILS}:waiting:*", count=1000)
    gone = [("DEL", key) for key in find_keys(store, game, seat)]
    store.call_each(*gone, *(("HDEL", key, *places) for key in waiting))


def remove_files(store: Store, game: str) -> None:
    """Delete the archives from before words were last erased from a game; of one that is gone all.

    One that another process is just archiving is a later one. Raises StoreUnavailable.
    """
    version, _, _, amendments = header = store.header(game)
    store.remove_files(game, lambda file: not version or (file.erasures < amendments.erasures and file != header.place))
