"""Answers about the past are those that the entries and the rules of redaction give, whatever a process remembers.

One process answers all viewers in turn, while the game goes on and when it is archived. What it must answer is made
here for each request from the entries alone.
"""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from hashlib import sha1
from pathlib import Path
from random import Random

import orjson
import pytest
from werkzeug.test import Client

from domain.events import EventRecord
from domain.projections.standings import score_now
from domain.state import Game
from domain.view import redact_event, view_of
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.cache import GameCache
from service.gamelog.history import HistoryCache, states
from service.gamelog.log import GameLog
from service.gamelog.store.form.codec import canonical
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.streams import AppendRequest, Store
from service.signing.deployment import Deployment
from tests.games.recorded import GAMES, Recorded, Replayed, entries_of, read, steps_of
from tests.support.samples import Sample, sampled
from tests.support.world import Process

DEPLOYMENT = Deployment.new(2)
NDJSON = {"Accept": "application/x-ndjson"}
PRIVATE = {"Cache-Control": "private, no-cache", "Vary": "Authorization, Accept"}


@dataclass
class Reads:
    """A service over a store to which the test writes a game itself."""

    game: Replayed
    store: Store
    log: GameLog
    http: Client
    tokens: list[str]
    states: list[Game]
    head: int = 0
    """The version of the last event that is stored."""

    @property
    def path(self) -> str:
        return f"/v1/games/{self.game.recorded.game}"

    @property
    def events(self) -> Sequence[EventRecord]:
        return self.game.events[: self.head]

    def write(self, entries: int) -> None:
        for entry in [entry for entry in self.game.entries if entry.version > self.head][:entries]:
            first = entry.version - entry.count
            previous = bytes.fromhex(self.game.events[first - 1]["hash"]) if first else b""
            last = bytes.fromhex(self.game.events[entry.version - 1]["hash"])
            types = [event["type"] for event in self.game.events[first : entry.version]]
            append = AppendRequest(
                game=self.game.recorded.game, entries=[entry], previous=previous, head_hash=last, types=types
            )
            assert self.store.append(append) is None
            self.head = entry.version

    def forget(self) -> None:
        self.log._cache, self.log._histories = GameCache(), HistoryCache()

    def ask(self, viewer: int | None, path: str, **headers: str) -> tuple[int, bytes, dict[str, str]]:
        """Status, content and headers of the answers to GET, to HEAD, and with the tag to another GET."""
        if viewer is not None:
            headers["Authorization"] = f"Bearer {self.tokens[viewer]}"
        answer = self.http.get(self.path + path, headers=headers)
        found = dict(answer.headers)
        assert (found["Cache-Control"], found["Content-Length"]) == (PRIVATE["Cache-Control"], str(len(answer.data)))
        assert PRIVATE["Vary"] in answer.headers.getlist("Vary")
        head = self.http.head(self.path + path, headers=headers)
        assert (head.status_code, dict(head.headers), head.data) == (answer.status_code, found, b"")
        if tag := found.get("ETag"):
            again = self.http.get(self.path + path, headers=headers | {"If-None-Match": tag})
            assert (again.status_code, again.data, again.headers["ETag"]) == (304, b"", tag)
        return answer.status_code, answer.data, found

    def check_state(self, viewer: int | None, version: int) -> None:
        then, head = self.states[version - 1], self.states[self.head - 1]
        own = self.game.events[version - 1]["hash"]
        status, content, headers = self.ask(viewer, f"?at={version}")
        assert (status, content) == (200, orjson.dumps(view_of(then, viewer, own, head=head)))
        assert "ETag" not in headers
        status, content, headers = self.ask(viewer, f"/scores/now?at={version}")
        assert (status, content) == (200, orjson.dumps(score_now(then)))

    def check_page(self, viewer: int | None, after: int, limit: int) -> None:
        head = self.states[self.head - 1]
        events = [redact_event(event, viewer, head) for event in self.events[after : after + limit]]
        end = after + len(events)
        page = orjson.dumps({"events": events, "next": end if end < self.head else None})
        status, content, headers = self.ask(viewer, f"/events?after={after}&limit={limit}")
        assert (status, content, headers["ETag"]) == (200, page, f'W/"{sha1(page).hexdigest()}"')
        status, content, headers = self.ask(
            viewer, f"/events?after={after}&limit={limit}", **{"Accept-Encoding": "gzip"}
        )
        is_compressed = headers.get("Content-Encoding") == "gzip"
        assert is_compressed == ((viewer is None or head.over) and len(page) >= 1000)
        assert (gzip.decompress(content) if is_compressed else content) == page

    def check_export(self, viewer: int | None, after: int = 0) -> None:
        head = self.states[self.head - 1]
        lines = b"".join(canonical(redact_event(event, viewer, head)) + b"\n" for event in self.events[after:])
        status, content, headers = self.ask(viewer, f"/events?after={after}", **NDJSON)
        assert (status, content, headers["ETag"]) == (200, lines, f'W/"{sha1(lines).hexdigest()}"')

    def check_some(self, chance: Random) -> None:
        """A read of each kind, by viewers and at places of chance."""
        viewers = [None, *range(len(self.tokens))]
        self.check_state(chance.choice(viewers), chance.randint(1, self.head))
        self.check_page(chance.choice(viewers), chance.randint(0, self.head), chance.choice([1, 7, 60, 1000]))
        self.check_export(chance.choice(viewers), chance.choice([0, chance.randint(0, self.head)]))
        wrong = self.head + chance.randint(1, 3)
        for path in (f"?at={wrong}", f"/events?after={wrong}", "?at=0"):
            status, content, _ = self.ask(chance.choice(viewers), path)
            assert status == 404, content
            assert orjson.loads(content)["version"] == self.head


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "archives"


def reads_of(valkey: str, folder: Path, games: Sequence[Recorded]) -> Iterator[Reads]:
    """Each of the games, not in the store yet, and a service over an empty store, which is empty again at the end."""
    with closing(connect(valkey)) as client, ExitStack() as stack:
        client.flushall()
        stack.callback(client.flushall)  # other tests give their games the same names
        store = Store(client, DEPLOYMENT.shards, files=open_archive_files(str(folder)))
        process = Process(store, services={"deployment": DEPLOYMENT})
        for recorded in games:
            steps = list(steps_of(recorded))
            game = Replayed(recorded, steps, *entries_of(steps))
            seats = range(len(game.recorded.seats))
            tokens = [process.services.tokens.issue(game.recorded.game, seat) for seat in seats]
            after = [state.copy() for state in states(game.entries)]
            yield Reads(game, store, process.log, process.http, tokens, after)


@sampled(150)
def test_every_version_for_every_viewer(valkey: str, folder: Path, sample: Sample) -> None:
    """Of a finished game, archived in the store and in files, too; of recorded games, at each ninth version."""
    chance = Random(4)
    for number, reads in enumerate(reads_of(valkey, folder, sample.of(all_games()))):
        reads.write(len(reads.game.entries))
        viewers = [None, *range(len(reads.tokens))]
        for kind in ("stream", "store", "files"):
            if kind != "stream":
                assert compact(reads.store, reads.game.recorded.game, kind, 2**62)
            if chance.random() < 0.5:
                reads.forget()
            step = 9 if sample.rest and kind == "stream" else 29
            for version in range(1 + number % step, reads.head + 1, step):
                chance.shuffle(viewers)
                for viewer in viewers if sample.rest else viewers[:2]:
                    reads.check_state(viewer, version)
                    if version % 5 == 0:
                        reads.check_page(viewer, version - 1, chance.choice([1, 20, 200]))
            for viewer in viewers:
                reads.check_export(viewer)
                reads.check_page(viewer, 0, 1000)


@sampled(213)
def test_while_the_game_goes_on(valkey: str, folder: Path, sample: Sample) -> None:
    """What a viewer may see of the past follows each new event; the caches hold what was read before it."""
    chance = Random(5)
    for reads in reads_of(valkey, folder, sample.of(all_games())):
        while reads.head < len(reads.game.events):
            reads.write(chance.choice([1, 1, 2, 9, 30]))
            for _ in range(chance.choice([0, 1, 2])):
                reads.check_some(chance)
            if chance.random() < 0.05:
                reads.forget()


def all_games() -> list[Recorded]:
    return [recorded for path in sorted(GAMES.glob("*.jsonl")) for recorded in read(path)]
