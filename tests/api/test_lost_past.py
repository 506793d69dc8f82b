"""Streams and long polls of a game whose past the store loses: they end, and tell nothing that isn't in the log."""

import json
import threading
from collections.abc import Iterator
from contextlib import closing
from types import SimpleNamespace
from typing import Any

import pytest

from domain.commands import PostMessage
from service.api import live
from service.api.wsgi import Application
from service.connections.clients import Client
from service.gamelog.live import hub as hub_module
from service.gamelog.log import GameLog
from tests.gamelog.copies import OlderCopy
from tests.gamelog.ledger import new_game, open_games
from tests.support.waiting import patience, wait_until
from tests.support.world import Process

NAME = "g"
EVENTS = f"/v1/games/{NAME}/events"
STREAM = {"Accept": "text/event-stream"}


class Reader:
    """A client that reads a stream in a thread, to its end."""

    def __init__(self, app: Application, after: int) -> None:
        self.told: dict[int, str] = {}
        """Hash by version."""
        self.ids: list[str] = []
        self.status = 0
        self._app = app
        self._after = after
        self.thread = threading.Thread(target=self._read, daemon=True)
        self.thread.start()
        wait_until(lambda: self.status)

    def _read(self) -> None:
        answer = self._app.test_client().get(EVENTS, headers=STREAM | {"Last-Event-ID": str(self._after)})
        with closing(answer):
            pieces = answer.iter_encoded()
            first = next(pieces, b"")
            self.status = answer.status_code
            if self.status == 200:
                for piece in (first, *pieces) if not first else pieces:
                    self._take(piece)

    def _take(self, piece: bytes) -> None:
        for block in piece.decode().split("\n\n"):
            fields = dict(line.partition(": ")[::2] for line in block.splitlines() if not line.startswith(":"))
            if fields:
                self.ids.append(fields["id"])
            if "data" in fields:
                event: dict[str, Any] = json.loads(fields["data"])
                assert event["version"] not in self.told, "told twice"
                self.told[event["version"]] = event["hash"]

    @property
    def has_ended(self) -> bool:
        return not self.thread.is_alive()


class Table:
    """A web process and another process on one store, and a game that continues in both."""

    def __init__(self, client: Client) -> None:
        self.own, self.elsewhere = open_games(client), open_games(client)
        process = Process(self.own)
        self.web, self.app = process.web, process.http.application
        self.own.create(new_game(NAME))
        self.readers: list[Reader] = []

    def post(self, games: GameLog) -> None:
        games.load(NAME)  # as every request of a client does that acts on what it sees
        games.handle(NAME, PostMessage(seat=0, text="Hello?"))

    def log(self) -> dict[int, str]:
        return {event["version"]: event["hash"] for event in open_games(self.own.store.client).load_events(NAME, 0)[1]}

    def is_settled(self) -> bool:
        """Whether each stream has ended, or has told the whole log after its beginning."""
        log = self.log()
        return all(
            reader.has_ended
            or (max(reader.told, default=reader._after) == max(log) and reader.told.items() <= log.items())
            for reader in self.readers
        )


@pytest.fixture
def table(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> Iterator[Table]:
    monkeypatch.setattr(hub_module, "_SILENCE_S", 0.02)
    monkeypatch.setattr(hub_module, "_COMPARE_S", 0.02)
    one = Table(real_client)
    yield one
    one.web.services.hub.close()
    for reader in one.readers:
        reader.thread.join(patience(10))


def test_a_stream_on_a_lost_past_ends_and_begins_anew(real_client: Client, table: Table) -> None:
    """It ends by itself, with an id from which the client resumes at the beginning; then it gets the log as it is."""
    for _ in range(3):
        table.post(table.own)
    copy = OlderCopy(real_client)
    before = max(table.log())
    table.post(table.own)
    reader = Reader(table.app, before)
    table.readers.append(reader)
    wait_until(lambda: before + 1 in reader.told)
    copy.restore()
    wait_until(lambda: reader.has_ended)
    assert reader.ids[-1] == "0"
    table.post(table.elsewhere)
    again = Reader(table.app, int(reader.ids[-1]))
    table.readers.append(again)
    wait_until(table.is_settled)
    assert again.told == table.log()
    assert again.told[before + 1] != reader.told[before + 1]


def test_a_long_poll_on_a_lost_past_ends(real_client: Client, table: Table, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers with the game as it is now, of a lower version, and doesn't wait until its time is over."""
    monkeypatch.setattr(live, "time", SimpleNamespace(monotonic=lambda: 0.0))
    copy = OlderCopy(real_client)
    before = max(table.log())
    table.post(table.own)
    answers: list[Any] = []

    def poll() -> None:
        headers = {"If-None-Match": f'"{before + 1}"'}
        answers.append(table.app.test_client().get(f"/v1/games/{NAME}?wait=30", headers=headers))

    thread = threading.Thread(target=poll, daemon=True)
    thread.start()
    wait_until(lambda: table.web.services.hub._watched)
    copy.restore()
    thread.join(patience(20))
    assert answers[0].status_code == 200
    assert answers[0].get_json()["version"] == before
