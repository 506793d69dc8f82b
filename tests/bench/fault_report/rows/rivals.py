"""Many clients at one game: as writers, R12, and as readers whose connections drop, R23."""

import http.client
import json
import os
import re
import time
from collections import Counter
from contextlib import suppress
from http import HTTPStatus
from random import Random
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import urlsplit

import httpx

from tests.bench.fault_report.crowd import run_together
from tests.bench.fault_report.load import Connection, Load
from tests.bench.fault_report.scene import Run, Scene, store_version
from tests.bench.fault_report.verifier import Ack, ack_of, line_of, read_logs
from tests.support.waiting import patience, wait_until

CONFLICT: Final = 0.05
"""Seconds within which 99 of 100 conflicts are answered to a few writers."""
CROWDED: Final = 1.0
"""The same for a hundred writers who never pause: our own choice."""
_CROWD: Final = 100
_OPEN: Final = re.compile(r"^reibach_(?:polls|streams)_open ([0-9.]+)$", re.MULTILINE)
_GIVEN_UP: Final = 0.5
"""The share of long polls that a reader gives up."""


def write_one_game(run: Run) -> None:
    """R12: of writers who expect the same version one wins; the others are told at once, and nobody starves."""
    with run.serve() as scene:
        run.outcome.store = store_version(scene.client())
        load = scene.load(0)
        with load:
            for writers in (2, 10, _CROWD):
                before, began = load.counts.total(), time.monotonic()
                acks, slowest = _compete(scene, load, writers, run.size(60, 2000), Random(f"{run.seed} {writers}"))
                rate = (load.counts.total() - before) / (time.monotonic() - began)
                path = load.journals / f"{writers}.journal"
                path.write_text("".join(map(line_of, acks)), encoding="utf-8")
                what = f"{writers} writers, {len(acks)} accepted, {rate:.0f} answers a second: p99 of conflicts"
                queue = 1.0 if run.is_long else writers / (os.cpu_count() or 1)
                if writers < _CROWD:
                    run.need_within(what, slowest, CONFLICT, queue=queue)
                else:
                    run.need_within(what, slowest, CROWDED)
                    run.outcome.notes.append(_told_of_crowd(slowest, rate))
        scene.judge(load)
        run.need(not load.counts["503"], f"{load.counts['503']} x 503, though the store was there")
    run.outcome.how = "2, 10 and 100 clients send messages and actions of both seats, half of them with If-Match"


def _told_of_crowd(slowest: float, rate: float) -> str:
    """What the figure for conflicts means for a hundred writers."""
    met = "is met" if slowest <= CONFLICT else "IS NOT MET"
    return (
        f"the {1000 * CONFLICT:.0f} ms that are asked for are the limit for 2 and 10 writers; with {_CROWD} that figure"
        f" {met}: as many who never pause wait {_CROWD} / {rate:.0f} s, {1000 * _CROWD / rate:.0f} ms for an answer on"
        f" average, so it takes over {_CROWD / CONFLICT:,.0f} answers a second; their limit is our own choice"
    )


def _compete(scene: Scene, load: Load, writers: int, aim: int, chance: Random) -> tuple[list[Ack], float]:
    """Let them write until so many requests were accepted; these, and the p99 of conflicts in seconds."""
    table = Connection(load.urls, load.counts)
    key = f"competition-{writers}".ljust(24, ".")
    created = table.settle(
        "POST", "/v1/games", None, {"seats": [{"name": "A"}, {"name": "B"}]}, {"Idempotency-Key": key}
    )
    table.close()
    content = created.content
    game, tokens = content["game"]["id"], [seat["token"] for seat in content["seats"]]
    load.games[game] = False
    acks, conflicts = [ack_of(game, key, content)], [0.0]
    seeds = [chance.random() for _ in range(writers)]

    def write(number: int) -> None:
        own, luck, sent = Connection(load.urls, load.counts), Random(seeds[number]), 0
        while len(acks) < aim:
            sent, seat = sent + 1, luck.randrange(2)
            headers = {"Idempotency-Key": f"{number}-{sent}"}
            if luck.random() < 0.5:
                headers["If-Match"] = own.settle("GET", f"/v1/games/{game}").headers["ETag"]
            what, body = luck.choice(
                [("messages", {"text": "mine"}), ("actions", {"type": "take", "slot": luck.randrange(3)})]
            )
            answer = own.settle("POST", f"/v1/games/{game}/{what}", tokens[seat], body, headers)
            if answer.status == 201:
                acks.append(ack_of(game, headers["Idempotency-Key"], answer.content))
            elif answer.status in {409, 412}:
                conflicts.append(answer.received - answer.sent)
            else:
                load.refuse(f"{what}: {answer.status}")
        own.close()

    run_together(write, writers)
    return acks, sorted(conflicts)[len(conflicts) * 99 // 100]


def drop_streams(run: Run) -> None:
    """R23: readers whose connections drop again and again get each event once, with the hash that the log has.

    A reader whose game is over goes on to another one. One that gets 503 asks again, as it is told to.
    """
    readers, drops, tables, pause = run.size(24, 1000), run.size(5, 100), run.size(4, 40), run.size(100, 1000) / 1000
    # The kernel spreads connections by chance: one process may get most of them. A place is held until a drop is seen.
    limit = {"REIBACH_POLL_LIMIT": str(max(512, readers * 5 // 4))}
    with run.serve(**limit) as scene, scene.load(tables, interval=run.size(20, 1000) / 1000) as load:
        run.outcome.store = store_version(scene.client())
        wait_until(lambda: len(load.games) >= tables, 30)
        crowd = [Reader(scene.url, load, number, f"{run.seed} {number}", drops, pause) for number in range(readers)]
        for reader in crowd:
            reader.thread.start()
        most = _watch_crowd(scene, load, run.size(300, 20_000))
        load.stop()
        scene.judge(load)
        logs = read_logs(run.folder / "exports")
        wait_until(lambda: all(len(told) >= len(logs[game]) for one in crowd for game, told in one.heard), 30, poll=0.2)
        for reader in crowd:
            reader.done.set()
        for reader in crowd:
            reader.thread.join()
    for game, told in (pair for reader in crowd for pair in reader.heard):
        kept = [(event["version"], event["hash"]) for event in logs[game]]
        wrong = [version for version, (one, other) in enumerate(zip(kept, told, strict=False), 1) if one != other]
        run.need(not wrong, f"a reader of {game} got other events from version {wrong[:1]} on")
        rest = [version for version, _ in told[len(kept) :]]  # bots may have played on
        run.need(rest == [*range(len(kept) + 1, len(told) + 1)], f"a reader of {game} missed events after the others")
    refused = sum((reader.refused for reader in crowd), Counter[str]())
    wrong_ones = [what for what in refused if not what.startswith("503 ")]
    run.need(not wrong_ones, f"readers were answered {wrong_ones}")
    run.need(most >= readers // 3, f"of {readers} readers only {most} waited at once")
    dropped = sum(reader.dropped for reader in crowd)
    run.need(dropped >= readers, f"connections of {readers} readers were dropped only {dropped} times")
    count = sum(len(told) for reader in crowd for _, told in reader.heard)
    run.outcome.how = f"{readers} streams and long polls, each dropped up to {drops} times and resumed"
    games = {game for reader in crowd for game, _ in reader.heard}
    run.outcome.notes.append(
        f"{count:,} events of {len(games)} games came to readers; {dropped:,} connections were dropped;"
        f" at most {most:,} readers waited at once; {refused.total():,} requests of theirs got 503"
    )


def _watch_crowd(scene: Scene, load: Load, more: int) -> int:
    """Wait for so many more accepted requests; how many streams and long polls were open at once, at most."""
    most, aim = 0, len(load.times) + more
    while len(load.times) < aim and not (load.errors or load.unexpected):
        with suppress(httpx.TransportError):
            text = httpx.get(f"{scene.url}/metrics", timeout=patience(10)).text
            most = max(most, sum(int(float(number)) for number in _OPEN.findall(text)))
        load.stopping.wait(0.5)
    return most


class Reader:
    """Reads one running game after the other, by a stream or by long polls, and hangs up after a few events."""

    def __init__(self, url: str, load: Load, number: int, seed: str, drops: int, pause: float) -> None:
        """Begins with its thread. `drops`: how often it hangs up, at most, for `pause` seconds at most."""
        self.heard: list[tuple[str, list[tuple[int, str]]]] = []
        """Games, and of each event its version and hash."""
        self.refused = Counter[str]()
        """Other answers than were due."""
        self.dropped = 0
        self.done = Event()
        self.thread = Thread(target=self._run, daemon=True)
        self._url, self._load, self._is_stream = url, load, number % 2 == 0
        self._chance, self._left = Random(seed), drops
        self._pause = pause

    def _run(self) -> None:
        while not self.done.is_set():
            known = {game for game, _ in self.heard}
            running = [game for game, is_over in list(self._load.games.items()) if not is_over and game not in known]
            if not running:
                self.done.wait(0.1)
                continue
            game, told = self._chance.choice(running), list[tuple[int, str]]()
            self.heard.append((game, told))
            while not self.done.is_set() and not self._read(game, told):
                pass

    def _read(self, game: str, told: list[tuple[int, str]]) -> bool:
        """Read until a drop, or until nothing can follow; whether that is so."""
        most = self._chance.randint(1, 12) if self._left > 0 else 1 << 30
        with suppress(OSError, http.client.HTTPException):
            return self._read_stream(game, told, most) if self._is_stream else self._read_pages(game, told, most)
        return False

    def _read_stream(self, game: str, told: list[tuple[int, str]], most: int) -> bool:
        last = {"Last-Event-ID": str(told[-1][0])} if told else {}
        connection, answer = self._get(f"/v1/games/{game}/events", {"Accept": "text/event-stream", **last})
        try:
            if answer.status != HTTPStatus.OK:
                self._note(answer, HTTPStatus.NO_CONTENT)
                return answer.status == HTTPStatus.NO_CONTENT
            while most and not self.done.is_set() and (line := answer.readline()):
                if line.startswith(b"data:"):
                    event = json.loads(line[5:])
                    told.append((event["version"], event["hash"]))
                    most -= 1
            self._drop(connection, most)
            return False
        finally:
            connection.close()

    def _read_pages(self, game: str, told: list[tuple[int, str]], most: int) -> bool:
        """A page of events; where there is none, a long poll, of which every other one is given up at once."""
        is_over, after = self._load.games[game], told[-1][0] if told else 0
        connection, answer = self._get(f"/v1/games/{game}/events?after={after}&limit={min(most, 1000)}", {})
        if answer.status != HTTPStatus.OK:
            self._note(answer)
            connection.close()
            return False
        content: Any = json.loads(answer.read())
        connection.close()
        told += [(event["version"], event["hash"]) for event in content["events"]]
        if content["events"] or is_over:
            return not content["events"]
        if self._chance.random() < _GIVEN_UP and self._left > 0:
            connection = self._ask(f"/v1/games/{game}?wait=5", {"If-None-Match": f'"{after}"'})
            self.done.wait(self._chance.uniform(0, 0.5))
            self._drop(connection, 0)
        else:
            connection, answer = self._get(f"/v1/games/{game}?wait=5", {"If-None-Match": f'"{after}"'})
            self._note(answer, HTTPStatus.OK, HTTPStatus.NOT_MODIFIED)
        connection.close()
        return False

    def _drop(self, connection: http.client.HTTPConnection, left: int) -> None:
        """Hang up for a while, unless the service has ended the answer before as much was read."""
        if not left:
            self._left -= 1
            self.dropped += 1
            connection.close()
            self.done.wait(self._chance.uniform(0, self._pause))

    def _note(self, answer: http.client.HTTPResponse, *due: int) -> None:
        """Note an answer that wasn't due, and don't ask again at once."""
        if answer.status not in due:
            problem = json.loads(answer.read() or b"{}")
            self.refused[f"{answer.status} {problem.get('type')}: {problem.get('detail')}"] += 1
            self.done.wait(0.1)

    def _ask(self, path: str, headers: dict[str, str]) -> http.client.HTTPConnection:
        place = urlsplit(self._url)
        connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=patience(15))
        connection.request("GET", path, headers=headers)
        return connection

    def _get(self, path: str, headers: dict[str, str]) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
        connection = self._ask(path, headers)
        return connection, connection.getresponse()
