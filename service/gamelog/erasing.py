"""Takes a person's words out of a game's log, and out of the copies of it in forks; the hashes stay (contract 5)."""

from collections.abc import Callable, Iterable, Mapping
from typing import Final, NamedTuple

from domain.erasure import is_erased
from domain.events import EventRecord
from domain.fairness.chain import ERASABLE
from service.gamelog.history import History, Link, walk
from service.gamelog.leftovers import remove_files, remove_keys
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import GameBusy
from service.gamelog.store.form.codec import decode_rows, encode_rows, erase_row
from service.gamelog.store.form.entry import CHECKED, Entry, entry_check
from service.gamelog.store.form.listing import make_listing
from service.gamelog.store.streams import Erasure, Store
from service.signing.tokens import SeatToken

_TRIES: Final = 20


class Origin(NamedTuple):
    """Where a fork comes from."""

    parent: str
    until: int
    """The last version that it has from its parent; 0 for a position, which holds no words."""


def copies_of(game: str, origins: Mapping[str, Origin]) -> Iterable[tuple[str, int]]:
    """The forks of a game, and theirs, that hold events of it, with the last version of those. `origins`: of forks."""
    waiting: list[tuple[str, int | None]] = [(game, None)]
    while waiting:
        parent, limit = waiting.pop()
        for fork, origin in origins.items():
            if origin.parent == parent and (until := min(origin.until, limit or origin.until)):
                yield fork, until
                waiting.append((fork, until))


def erase_words(store: Store, game: str, seat: int, now: Callable[[], int], until: int | None = None) -> int:
    """Erase the names and messages of a seat's people, revoke its token, and remove what its person has left.

    `until`: the game is a fork, whose events up to there are another game's. Returns the number of erased events.
    Raises NoSuchGame, CorruptLog, GameBusy and StoreUnavailable; a call that was broken off may be made again.
    """
    erased = _erase(store, game, seat, now, until)
    if until is None:
        remove_keys(store, game, seat)
    remove_files(store, game)
    return erased


def _erase(store: Store, game: str, seat: int, now: Callable[[], int], until: int | None) -> int:
    for _ in range(_TRIES):
        history = GameReader(store).load_history(game)
        head = history.head
        links = [*walk(history.entries)]
        chosen = {
            event["version"]: event["hash"] for link in links for event in link.events if _is_of(event, seat, until)
        }
        if not chosen and until is not None:
            return 0
        entries = [_without_words(link, chosen) for link in links] if chosen else []
        erasure = Erasure(
            game=game,
            version=head.game.version,
            last_hash=head.hash,
            erasures=head.amendments.erasures,
            entries=entries,
            token=None if until else SeatToken(game, seat, head.amendments.generation(seat)),
            listing=make_listing(History.of_entries(entries).head.game) if chosen else None,
            at=now(),
            is_archived=bool(chosen and store.place(game)),
        )
        if store.erase(erasure):
            return len(chosen)
    raise GameBusy(f"game {game} changes faster than it can be written")


def ends_proof(store: Store, game: str, seat: int) -> bool:
    """Whether `erase_words` would leave an event from before salts, without digest. Raises NoSuchGame, CorruptLog."""
    events = GameReader(store).load_history(game).events
    return any("salt" not in event["data"] and _is_of(event, seat, None) for event in events)


def _is_of(event: EventRecord, seat: int, until: int | None) -> bool:
    """Whether an event has words of the people of a seat; in a copy its players are others than the parent's."""
    kind, data = event["type"], event["data"]
    if kind not in ERASABLE or data["seat"] != seat or data.get("bot") or is_erased(kind, data):
        return False
    return until is None or (event["version"] <= until and kind != "PlayerJoined")


def _without_words(link: Link, chosen: Mapping[int, str]) -> Entry:
    """The entry as a stream holds it; one from an archive gets its check again."""
    entry, rows = link.entry, decode_rows([link.entry.body])
    first = entry.version - entry.count + 1
    rows = [erase_row(row, chosen[version]) if version in chosen else row for version, row in enumerate(rows, first)]
    check = entry.check if len(entry.check) > CHECKED else entry_check(link.hash)
    return entry._replace(body=encode_rows(rows), check=check)


def delete_game(store: Store, game: str) -> bool:
    """Delete a game with all that belongs to it, sound or damaged; of one that is gone what is left: then False.

    Raises GameBusy and StoreUnavailable; a call that was broken off may be made again.
    """
    is_deleted = False
    for _ in range(_TRIES):
        header = store.header(game)
        if not header.version:
            remove_keys(store, game)
            remove_files(store, game)
            return is_deleted
        is_deleted |= store.delete(game, header.version, header.hash)
    raise GameBusy(f"game {game} changes faster than it can be deleted")
