"""Many clients at one game: as writers, R12, and as readers whose connections drop, R23."""

import http.client
import json
import os
import time
from contextlib import suppress
from random import Random
from threading import Event, Thread
from typing import Any, Final
from urllib.parse import urlsplit

from tests.faults.report.crowd import run_together
from tests.faults.report.load import Connection, Load
from tests.faults.report.scene import Run, Scene, store_version
from tests.faults.report.verifier import Ack, ack_of, line_of, read_logs
from tests.support.waiting import patience, wait_until

CONFLICT: Final = 0.05
"""Seconds within which 99 of 100 conflicts are answered to a few writers."""
CROWDED: Final = 1.0
"""The same for a hundred writers who never pause: our own choice."""
_CROWD: Final = 100


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
    """R23: readers whose connections drop again and again get each event once, with the hash that the log has."""
    readers, drops = run.size(24, 200), run.size(5, 100)
    with run.serve() as scene, scene.load(4, interval=0.02) as load:
        run.outcome.store = store_version(scene.client())
        wait_until(lambda: len(load.games) >= 4, 30)
        games, done = list(load.games), Event()
        heard: list[tuple[str, list[tuple[int, str]]]] = [(games[number % len(games)], []) for number in range(readers)]

        def read(number: int) -> None:
            chance, is_stream = Random(f"{run.seed} {number}"), number % 2 == 0
            _read(scene.url, *heard[number], done, chance, is_stream=is_stream, drops=drops)

        threads = [Thread(target=read, args=(number,), daemon=True) for number in range(readers)]
        for thread in threads:
            thread.start()
        load.wait_for(run.size(300, 20_000), 600)
        load.stop()
        scene.judge(load)
        logs = read_logs(run.folder / "exports")
        wait_until(lambda: all(len(told) >= len(logs[game]) for game, told in heard), 30)
        done.set()
        for thread in threads:
            thread.join()
    for game, told in heard:
        kept = [(event["version"], event["hash"]) for event in logs[game]]
        wrong = [version for version, (one, other) in enumerate(zip(kept, told, strict=False), 1) if one != other]
        run.need(not wrong, f"a reader of {game} got other events from version {wrong[:1]} on")
        rest = [version for version, _ in told[len(kept) :]]  # bots may have played on
        run.need(rest == [*range(len(kept) + 1, len(told) + 1)], f"a reader of {game} missed events after the others")
    count = sum(len(told) for _, told in heard)
    run.outcome.how = f"{readers} streams and long polls, each dropped {drops} times and resumed"
    run.outcome.notes.append(f"{count:,} events were read, each once")


def _read(
    url: str, game: str, told: list[tuple[int, str]], done: Event, chance: Random, *, is_stream: bool, drops: int
) -> None:
    """Read until `done`; hang up after a few events, `drops` times."""
    left = drops
    while not done.is_set():
        most = chance.randint(1, 12) if left > 0 else 1 << 30
        left -= 1
        with suppress(OSError, http.client.HTTPException):
            if is_stream:
                _read_stream(url, game, told, done, most)
            else:
                _read_pages(url, game, told, most, is_waiting=not done.is_set())


def _get(url: str, path: str, headers: dict[str, str]) -> tuple[http.client.HTTPConnection, http.client.HTTPResponse]:
    place = urlsplit(url)
    connection = http.client.HTTPConnection(place.hostname or "", place.port, timeout=patience(10))
    connection.request("GET", path, headers=headers)
    return connection, connection.getresponse()


def _read_stream(url: str, game: str, told: list[tuple[int, str]], done: Event, most: int) -> None:
    last = {"Last-Event-ID": str(told[-1][0])} if told else {}
    connection, answer = _get(url, f"/v1/games/{game}/events", {"Accept": "text/event-stream", **last})
    try:
        if answer.status == 204:
            done.wait(0.05)
            return
        while most and not done.is_set() and (line := answer.readline()):
            if line.startswith(b"data:"):
                event = json.loads(line[5:])
                told.append((event["version"], event["hash"]))
                most -= 1
    finally:
        connection.close()


def _read_pages(url: str, game: str, told: list[tuple[int, str]], most: int, *, is_waiting: bool) -> None:
    """A page of events, then a long poll that is given up as often as not."""
    after = told[-1][0] if told else 0
    connection, answer = _get(url, f"/v1/games/{game}/events?after={after}&limit={min(most, 1000)}", {})
    content: Any = json.loads(answer.read())
    told += [(event["version"], event["hash"]) for event in content["events"]]
    connection.close()
    if not content["events"] and is_waiting:
        connection, _ = _get(url, f"/v1/games/{game}?wait=1", {"If-None-Match": f'"{after}"'})
        connection.close()
