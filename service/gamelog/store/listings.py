"""The list of listed games, newest creation first, in pages.

Each shard has a sorted set for each status, by the time (us since 1970, by the store's clock) at which a game was
opened here, and a hash of summaries. The append of a listed game writes both; that of another game neither.
Rule: a game keeps its time forever, so that pages neither repeat a game nor miss one while others are opened.
"""

import re
from itertools import islice
from typing import Any, Final, NamedTuple, Self

import orjson

from service.gamelog.store.form.listing import STATUSES
from service.gamelog.store.streams import Store

CURSOR_PATTERN: Final = "^([0-9]{1,16})-([!-~]{1,64})$"
"""Of a place as a text."""


class Cursor(NamedTuple):
    """A place in the list: that of a game."""

    opened: int
    """us since 1970."""
    game: str

    @classmethod
    def parse(cls, text: str) -> Self:
        """The place in a text of `format`, or any that matches CURSOR_PATTERN; ValueError for another."""
        match = re.fullmatch(CURSOR_PATTERN, text)
        if match is None:
            raise ValueError(f"{text!r} is no place in a list")
        return cls(int(match[1]), match[2])

    def format(self) -> str:
        return f"{self.opened}-{self.game}"


class ListedGames(NamedTuple):
    games: list[dict[str, Any]]
    """`id`, `name`, `status`, `seats`, `version` and `updated_at` of each."""
    next: Cursor | None
    """None at the end."""


def list_games(store: Store, status: str | None, after: Cursor | None, limit: int) -> ListedGames:
    """The next listed games after a place, at most `limit`, of a status or of all.

    Two round trips, whose cost doesn't grow with the number of games. A game that changes its status meanwhile may be
    missing from a page of one status. Raises StoreUnavailable.
    """
    places = store.with_retries(lambda: _read_places(store, status, after, limit + 1))
    page = places[:limit]
    summaries = store.call_each(*(("HGET", store.keys(place.game).summaries, place.game) for place in page))
    # One that was deleted meanwhile has none; those of earlier releases have no name.
    games = [
        {"id": place.game, "name": None, **orjson.loads(raw)} for place, raw in zip(page, summaries, strict=True) if raw
    ]
    games = [game for game in games if status in (None, game["status"])]
    return ListedGames(games, page[-1] if len(places) > limit else None)


def is_in_list(store: Store, game: str, version: int, status: str) -> bool:
    """Whether the list has the game with this status, or the game is no longer at that version: one read."""
    keys = store.keys(game)
    reads = ("ZSCORE", keys.listed[status], game), ("HEXISTS", keys.summaries, game)
    now, opened, has_summary = store.read_together(("HGET", keys.head, "version"), *reads)
    return now != str(version).encode() or (opened is not None and bool(has_summary))


def _read_places(store: Store, status: str | None, after: Cursor | None, count: int) -> list[Cursor]:
    pipeline = store.client.pipeline(transaction=False)
    # In the order in which games pass the lists: one that changes its status meanwhile is in one of them at least.
    for kind in STATUSES if status is None else (status,):
        for key in store.shard_keys(f"listed:{kind}"):
            if after:  # those of the same microsecond
                pipeline.zrevrangebyscore(key, after.opened, after.opened, withscores=True)
            highest = f"({after.opened}" if after else "+inf"
            pipeline.zrevrangebyscore(key, highest, "-inf", start=0, num=count, withscores=True)
    cursors = {Cursor(int(score), game.decode()) for entries in pipeline.execute() for game, score in entries}
    ordered = sorted(cursors, reverse=True)
    return list(islice((place for place in ordered if after is None or place < after), count))
