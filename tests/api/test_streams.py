"""Event streams and replays: complete, in order, once, and nothing that the viewer may not see at that moment."""

import json
import os
import re
import signal
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from itertools import count, islice
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from domain.events import EventRecord
from tests.conftest import Service
from tests.support.client import Api, Table, refused
from tests.support.samples import Sample, sampled
from tests.support.waiting import patience, wait_until

STREAM = {"Accept": "text/event-stream"}


@dataclass
class Listener:
    """One open stream: its answer, and its events as they come."""

    answer: httpx.Response
    lines: Iterator[str] = field(init=False)

    def __post_init__(self) -> None:
        self.lines = self.answer.iter_lines()

    def events(self) -> Iterator[EventRecord]:
        """The events, whose fields agree with each other; ends with the stream."""
        found: dict[str, str] = {}
        for line in self.lines:
            if line and not line.startswith(":"):
                name, _, value = line.partition(": ")
                found[name] = value
            elif found:
                event: EventRecord = json.loads(found["data"])
                assert list(found) == ["id", "event", "data"]
                assert (found["id"], found["event"]) == (str(event["version"]), event["type"])
                found = {}
                yield event


@contextmanager
def listening(api: Api, table: Table, seat: int | None = None, **more: Any) -> Iterator[Listener]:
    """A stream on a connection of its own; `headers` and `params` as httpx has them."""
    headers = STREAM | more.pop("headers", {})
    if seat is not None:
        headers["Authorization"] = f"Bearer {table.tokens[seat]}"
    url = f"{str(api.http.base_url).rstrip('/')}{table.path}/events"
    with httpx.stream("GET", url, headers=headers, timeout=patience(30), **more) as answer:
        yield Listener(answer)


def act_at_random(api: Api, table: Table, chance: Random) -> bool:
    """One legal action of the seat on turn, and the scoring round that may follow; False when the game is over."""
    view = api.view(table)
    if view["status"] == "over":
        return False
    seat = view["turn"]["seat"]
    view = api.act(table, seat, chance.choice(api.legal_actions(table, seat))).json()["game"]
    while view["status"] == "scoring":
        tag = {"If-None-Match": f'"{view["version"]}"'}
        view = api.get(table.path, headers=tag, params={"wait": 10}).json()
    return True


@pytest.mark.nightly
def test_streams_of_a_whole_game(api: Api) -> None:
    """Each seat and a spectator get, action by action, what a page of events shows them at that moment."""
    table, chance, seen = api.create(2), Random("live"), 0
    with ExitStack() as stack:
        live = {seat: stack.enter_context(listening(api, table, seat)).events() for seat in (None, 0, 1)}
        while True:
            for seat, events in live.items():
                page = api.events(table, seat, after=seen, limit=1000)
                assert list(islice(events, len(page))) == page
            seen = page[-1]["version"]
            if not act_at_random(api, table, chance):
                break
            assert api.version(table) > seen
        assert page[-1]["type"] == "GameEnded"
        assert [next(events, None) for events in live.values()] == [None] * 3, "it goes on after the end"


@pytest.mark.nightly
def test_a_stream_cut_a_hundred_times_is_complete(api: Api) -> None:
    """Cut anywhere, also within an event, and resumed with the last id: every event once, in order."""
    table, chance = api.create(2), Random("cuts")
    player = threading.Thread(target=play_on, args=(api, table, Random("player")))
    player.start()
    got: list[EventRecord] = []
    for cut in count(1):
        last = {"Last-Event-ID": str(len(got))} if got else {}
        with listening(api, table, headers=last, params={"after": chance.choice((0, 99999))}) as listener:
            some = listener.events()
            got += islice(some, chance.randrange(4)) if cut <= 100 else some
            if got and got[-1]["type"] == "GameEnded":
                break
            for _ in range(chance.randrange(3)):
                next(listener.lines, None)
    player.join()
    assert cut >= 60, "too few cuts to tell"
    assert [event["version"] for event in got] == [*range(1, api.version(table) + 1)]
    kept = ("version", "type", "at", "hash")
    assert [[event[name] for name in kept] for event in got] == [
        [event[name] for name in kept] for event in api.events(table, limit=1000)
    ]


def play_on(api: Api, table: Table, chance: Random) -> None:
    with httpx.Client(base_url=api.http.base_url, timeout=patience(35)) as http:
        while act_at_random(Api(http), table, chance):
            pass


def test_response_headers_of_a_stream(api: Api) -> None:
    """Its type, and headers that keep proxies from storing or holding it; asking for the head alone opens nothing."""
    table = api.create(2)
    heads = [api.request("HEAD", f"{table.path}/events", headers=STREAM)]
    with listening(api, table) as listener:
        heads.append(listener.answer)
    for answer in heads:
        assert answer.status_code == 200
        assert answer.headers["Content-Type"].startswith("text/event-stream")
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert answer.headers["X-Accel-Buffering"] == "no"
        assert "Authorization" in answer.headers["Vary"]


def test_refusals(api: Api) -> None:
    """In the contract's order: token, game, media type, parameters, version."""
    table = api.create(2)
    events, end = f"{table.path}/events", api.version(table)
    past = STREAM | {"Last-Event-ID": str(end + 1)}
    refused(api.get(events, "nobody's", headers=past), 401, "invalid-token")
    refused(api.get("/v1/games/none/events", headers=past), 404, "no-such-game")
    refused(api.get(events, headers={"Accept": "text/html", "Last-Event-ID": "x"}), 406, "not-acceptable", end)
    for given in ("x", "-1", "1.0", "", "\u00b2".encode(), "9" * 5000):
        problem = refused(api.get(events, headers=STREAM | {"Last-Event-ID": given}), 422, "invalid-request", end)
        assert list(problem["errors"]) == ["Last-Event-ID"]
    refused(api.get(events, headers=STREAM, params={"after": "x"}), 422, "invalid-request", end)
    refused(api.get(events, headers=past), 404, "no-such-version", end)
    refused(api.get(events, headers=past | {"Last-Event-ID": "9" * 900}), 404, "no-such-version", end)
    refused(api.get(events, headers=STREAM, params={"after": end + 1}), 404, "no-such-version", end)


def test_a_stream_of_a_finished_game(api: Api, over: Table) -> None:
    """A finished game's events are sent and the stream ends; a client that has its last event gets 204."""
    end = api.version(over)
    with listening(api, over, headers={"Last-Event-ID": "0"}, params={"after": end}) as listener:
        assert list(listener.events()) == api.events(over, limit=1000)
    with listening(api, over, headers={"Last-Event-ID": str(end - 1)}) as listener:
        assert [event["type"] for event in listener.events()] == ["GameEnded"]
    answers = [
        api.request(method, f"{over.path}/events", headers=STREAM | more, params=query)
        for method in ("GET", "HEAD")
        for more, query in (
            ({"Last-Event-ID": str(end)}, {}),
            ({"Last-Event-ID": str(end + 1)}, {}),
            ({"Last-Event-ID": "9" * 900}, {}),
            ({}, {"after": end}),
        )
    ]
    assert [(answer.status_code, answer.content) for answer in answers] == [(204, b"")] * 8
    assert not any("Content-Type" in answer.headers for answer in answers)
    refused(api.get(f"{over.path}/events", headers=STREAM, params={"after": end + 1}), 404, "no-such-version", end)


def test_a_page_of_events_has_200_unless_asked(api: Api, over: Table) -> None:
    """`next` is the last version of a full page, null at the head; lines and streams have no limit."""
    log = api.events(over, limit=1000)
    assert len(log) > 201
    page = api.get(f"{over.path}/events").json()
    assert (page["events"], page["next"]) == (log[:200], 200)
    for after in (len(log) - 200, len(log)):
        assert api.get(f"{over.path}/events", params={"after": after}).json() == {"events": log[after:], "next": None}
    lines = api.get(f"{over.path}/events?limit=3", headers={"Accept": "application/x-ndjson"}).text
    assert [json.loads(line) for line in lines.split("\n")[:-1]] == log


@pytest.mark.nightly
def test_disconnected_clients_free_their_streams(api: Api) -> None:
    table = api.create(2)
    with ExitStack() as stack:
        listeners = [stack.enter_context(listening(api, table)) for _ in range(10)]
        for listener in listeners[:5]:
            assert next(listener.events())["version"] == 1
        assert open_streams(api) >= 10  # those of an earlier test may be leaving still
    wait_until(lambda: open_streams(api) == 0, 25, poll=0.2)


def open_streams(api: Api) -> float:
    found = re.search(r"^reibach_streams_open (.+)$", api.get("/metrics").text, re.MULTILINE)
    assert found is not None
    return float(found[1])


def test_a_stream_survives_a_store_restart(api: Api, service: Service) -> None:
    """A stream that is open while the store is killed continues after the restart: no event is missing or repeated."""
    table, chance = api.create(2), Random("killed")
    with listening(api, table) as listener:
        events = listener.events()
        act_at_random(api, table, chance)
        got = list(islice(events, api.version(table)))
        os.kill(store_of(service), signal.SIGKILL)
        for _ in range(5):
            act_at_random(api, table, chance)
        got += islice(events, api.version(table) - len(got))
    assert [event["version"] for event in got] == [*range(1, api.version(table) + 1)]


def store_of(service: Service) -> int:
    """The process id of the service's store, which is running."""
    wait_until(lambda: stores(service.process.pid))
    return stores(service.process.pid)[0]


def stores(parent: int) -> list[int]:
    children = Path(f"/proc/{parent}/task/{parent}/children").read_text().split()
    return [int(child) for child in children if "valkey" in Path(f"/proc/{child}/comm").read_text()]


@pytest.mark.nightly
@sampled(6, last=1)
def test_replay_shows_every_state(api: Api, over: Table, sample: Sample) -> None:
    """Each line holds what the event's page and the view at its version (of every sixth; nightly: of all) show."""
    running, chance = api.create(3), Random("replay")
    for _ in range(40):
        act_at_random(api, running, chance)
    for table, seats in ((running, (None, 0, 2)), (over, (None, 1))):
        for seat in seats:
            token = None if seat is None else table.tokens[seat]
            answer = api.get(f"{table.path}/replay", token)
            assert answer.headers["Content-Type"] == "application/x-ndjson"
            lines = [json.loads(line) for line in answer.content.splitlines()]
            events = api.events(table, seat, limit=1000)
            assert [(line["version"], line["event"]) for line in lines] == [(one["version"], one) for one in events]
            for line in sample.of(lines):
                assert line["view"] == api.view(table, seat, at=line["version"])
    assert lines[-1]["event"]["type"] == "GameEnded"


def test_a_part_of_a_replay(api: Api, over: Table) -> None:
    """`after` and `limit` choose lines; a version after the head is unknown."""
    replay, end = f"{over.path}/replay", api.version(over)
    whole = api.get(replay).content.splitlines()
    assert api.get(replay, params={"after": 7, "limit": 60}).content.splitlines() == whole[7:67]
    assert api.get(replay, params={"after": end - 2}).content.splitlines() == whole[-2:]
    assert api.get(replay, params={"after": end}).content == b""
    refused(api.get(replay, params={"after": end + 1}), 404, "no-such-version", end)
    refused(api.get(replay, params={"limit": 0}), 422, "invalid-request", end)
    refused(api.get(replay, headers={"Accept": "application/json"}), 406, "not-acceptable", end)
