"""`GET …/audit` over a real store: sound games, running ones, and stores changed without the service."""

import json
import re
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any

import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from domain.audit.checks import CHECKS
from domain.commands import CreateGame
from service.gamelog.copies.transfer import import_entries
from service.gamelog.history import History
from service.signing.deployment import Deployment
from tests.api.worlds import World, as_seen, twins
from tests.gamelog.ledger import import_game, open_games
from tests.oracle.play import rechain
from tests.support.client import Api, refused
from tests.support.forks import fork_decisions
from tests.support.logs import log_of
from tests.support.play import steps
from tests.support.samples import Sample, sampled, with_nightly
from tests.support.stores import open_store
from tests.support.world import Process, new_client

SHARDS = 2
DEPLOYMENT = Deployment.new(SHARDS)


def process_on(url: str) -> Process:
    return Process(open_store(url, SHARDS), services={"deployment": DEPLOYMENT})


@cache
def played(commands: int | None) -> History:
    """A game of so many commands, or a whole one: played once, and copied into the store by each test."""
    ticks = count(1_770_000_000_000, 250)
    log = open_games(new_client(), clock=lambda: next(ticks))
    game = f"audited{commands}"
    for command, _ in islice(steps(3, f"audit/{commands}"), commands):
        if isinstance(command, CreateGame):
            log.create(replace(command, game=game))
        else:
            log.handle(game, command)
    return log.load_history(game)


class ArchivePlace:
    """A game in the session's store; each request goes to a service with an empty cache."""

    def __init__(self, url: str, commands: int | None = None) -> None:
        """`commands`: how many are played; None to the end."""
        self.url = url
        self.client = redis.Redis.from_url(url)
        self.store = open_store(url, SHARDS)
        history = played(commands)
        self.game = history.head.game.id
        for key in self.client.keys(f"*:{self.game}"):
            self.client.delete(key)
        assert import_game(self.store, history)
        self.path = f"/v1/games/{self.game}/audit"
        self.tag = self.store.tag(self.game)
        self.stream, self.head = self.store.stream(self.game), self.store.keys(self.game).head

    def ask(self, path: str = "", **more: Any) -> TestResponse:
        return process_on(self.url).http.get(path or self.path, **more)

    def audit(self) -> dict[str, Any]:
        answer = self.ask()
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.get_json()
        assert [check["name"] for check in found["checks"]] == list(CHECKS)
        assert all(check.keys() == {"name", "ok", "detail"} for check in found["checks"])
        assert found["ok"] is all(check["ok"] is not False for check in found["checks"])
        return found

    def entries(self) -> list[tuple[bytes, dict[bytes, bytes]]]:
        found: list[tuple[bytes, dict[bytes, bytes]]] = self.client.xrange(self.stream)
        return found

    def write(self, entries: list[tuple[bytes, dict[bytes, bytes]]]) -> None:
        self.client.delete(self.stream)
        for name, fields in entries:
            self.client.xadd(self.stream, fields, id=name)


def outcome(found: dict[str, Any]) -> dict[str, bool | None]:
    return {check["name"]: check["ok"] for check in found["checks"]}


def detail(found: dict[str, Any], name: str = "chain") -> str:
    said: str = next(check["detail"] for check in found["checks"] if check["name"] == name)
    return said


def test_a_finished_game(valkey: str) -> None:
    """All six checks pass; `chain` proves consistency only, and `commitment` names the seats whose entropy binds."""
    place = ArchivePlace(valkey)
    found = place.audit()
    assert set(outcome(found).values()) == {True}
    assert found["version"] == place.ask(f"/v1/games/{place.game}").get_json()["version"]
    assert "consistency only" in detail(found)
    assert "no player's entropy binds the server" in detail(found, "commitment")


@pytest.mark.parametrize("commands", [1, 20, 60])
def test_a_running_game(valkey: str, commands: int) -> None:
    """Every check runs but `commitment` and `shuffle`; no detail holds more than a name and a version."""
    found = ArchivePlace(valkey, commands).audit()
    assert outcome(found) == dict.fromkeys(CHECKS, True) | {"commitment": None, "shuffle": None}
    assert [check["detail"] for check in found["checks"]] == [f"{name}: version {found['version']}" for name in CHECKS]


def changed(fields: dict[bytes, bytes], chance: Random) -> dict[bytes, bytes]:
    """An entry's time, or one letter or digit of its events, is changed."""
    if chance.random() < 0.2:
        return fields | {b"t": b"%d" % (int(fields[b"t"]) + 1)}
    body = fields[b"e"].decode()
    place = chance.choice([found.start() for found in re.finditer(r"[a-z0-9]", body)])
    other = chance.choice("0123456789" if body[place].isdigit() else "abcdefgh")
    other = other if other != body[place] else ("7" if other.isdigit() else "i")
    return fields | {b"e": (body[:place] + other + body[place + 1 :]).encode()}


@sampled(12)
@pytest.mark.parametrize("commands", with_nightly([45, None]), ids=["running", "finished"])
def test_the_first_bad_entry_is_named(valkey: str, commands: int | None, sample: Sample) -> None:
    """Any changed entry gets a report, never 503; that of a running game holds only names and versions."""
    place = ArchivePlace(valkey, commands)
    sound = place.entries()
    chance = Random(7)
    for index in sample.of(chance.sample(range(len(sound)), 40)):
        name, fields = sound[index]
        place.write([*sound[:index], (name, changed(fields, chance)), *sound[index + 1 :]])
        found = place.audit()
        said = detail(found)
        assert outcome(found)["chain"] is False
        version, _, size = name.decode().partition("-")
        first = int(version) - int(size) + 1
        assert first <= int(re.search(r"[Vv]ersion (\d+)", said)[1]) <= int(version), (name, said)
        if commands is not None:
            assert all(re.fullmatch(rf"{check['name']}: version \d+", check["detail"]) for check in found["checks"])
    place.write(sound)
    assert place.audit()["ok"] is True


def rewrite(place: ArchivePlace, change: Callable[[dict[bytes, bytes]], dict[bytes, bytes]], at: int = 4) -> None:
    entries = place.entries()
    entries[at] = (entries[at][0], change(entries[at][1]))
    place.write(entries)


def clear_check(entry: dict[bytes, bytes]) -> dict[bytes, bytes]:
    return entry | {b"c": bytes(len(entry[b"c"]))}


def change_type(place: ArchivePlace) -> None:
    place.client.delete(place.stream)
    place.client.set(place.stream, "no stream")


DAMAGE: dict[str, tuple[Callable[[ArchivePlace], object], Callable[[list[int]], int]]] = {
    "no stream": (lambda place: place.client.delete(place.stream), lambda _: 1),
    "no header": (lambda place: place.client.delete(place.head), lambda ends: ends[-1]),
    "another version in the header": (lambda place: place.client.hset(place.head, "version", 2), lambda ends: ends[-1]),
    "another hash": (lambda place: place.client.hset(place.head, "hash", bytes(32)), lambda ends: ends[-1]),
    "no end": (lambda place: place.write(place.entries()[:-1]), lambda ends: ends[-2] + 1),
    "no middle": (lambda place: place.client.xdel(place.stream, place.entries()[5][0]), lambda ends: ends[4] + 1),
    "no beginning": (lambda place: place.client.xdel(place.stream, place.entries()[0][0]), lambda _: 1),
    "another time": (lambda place: rewrite(place, lambda old: old | {b"t": b"9" * 25}), lambda ends: ends[4]),
    "a torn entry": (lambda place: rewrite(place, lambda old: old | {b"e": old[b"e"][:-2]}), lambda ends: ends[4]),
    "no fields": (lambda place: rewrite(place, lambda _: {b"x": b"y"}), lambda ends: ends[3] + 1),
    "another check": (lambda place: rewrite(place, clear_check), lambda ends: ends[4]),
    "another type": (change_type, lambda _: 1),
    "another game": (lambda place: place.write(ArchivePlace(place.url, 10).entries()), lambda _: 0),
}
"""What happens to a store, and the version that `chain` names then (0: any), by those at which the entries ended."""


@pytest.mark.parametrize("commands", with_nightly([30, None]), ids=["running", "finished"])
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_store_has_an_answer(valkey: str, damage: str, commands: int | None) -> None:
    """`chain` fails and names the entry that is missing, unreadable, or has another hash."""
    place = ArchivePlace(valkey, commands)
    ends = [int(name.partition(b"-")[0]) for name, _ in place.entries()]
    do, expected = DAMAGE[damage]
    do(place)
    found = place.audit()
    assert outcome(found)["chain"] is False
    version = expected(ends)
    assert not version or re.search(rf"[Vv]ersion {version}\b", detail(found)), detail(found)


PAST = [("/events", "application/json"), ("/events", "application/x-ndjson"), ("/events", "text/event-stream")]
PAST += [("?at=5", "*/*"), ("/receipt?at=5", "*/*"), ("/replay", "*/*"), ("/recap?since=0", "*/*")]


def change_card(place: ArchivePlace) -> None:
    """A changed refill in the middle: the display is another possible one."""
    entries = place.entries()
    refill = re.compile(rb'(\["refill",\d,)"\w+"')
    at = next(at for at in range(len(entries) // 2, len(entries)) if refill.search(entries[at][1][b"e"]))
    bodies = (refill.sub(rb'\1"%b"' % card, entries[at][1][b"e"]) for card in (b"gold", b"oil"))
    rewrite(place, lambda old: old | {b"e": next(body for body in bodies if body != old[b"e"])}, at)


@pytest.mark.parametrize(
    "damage", ["another card", "another time", "no middle", "no end", "a torn entry", "no fields", "no stream"]
)
def test_a_damaged_log_is_not_served(valkey: str, damage: str) -> None:
    """A process that would read the damage answers 503, never 500.

    One that has proved the past before serves it as it was, and its audit finds the damage.
    """
    place = ArchivePlace(valkey)
    path = f"/v1/games/{place.game}"
    warm, fresh = process_on(valkey).http, process_on(valkey).http

    def ask(client: FlaskClient, question: str, form: str) -> tuple[int, bytes]:
        answer = client.get(path + question, headers={"Accept": form})
        assert answer.status_code == 200 or answer.get_json()["type"] == "/problems/store-unavailable"
        return answer.status_code, answer.data

    before = [ask(warm, *asked) for asked in PAST]
    assert {status for status, _ in before} == {200}
    (change_card if damage == "another card" else DAMAGE[damage][0])(place)
    assert [ask(warm, *asked) for asked in PAST] == before
    assert warm.get(place.path).get_json()["ok"] is False
    assert [ask(fresh, *asked)[0] for asked in PAST] == [503] * len(before)


def test_everyone_gets_the_same_audit(api: Api) -> None:
    table = api.create()
    path = f"{table.path}/audit"
    assert api.get(path).json() == api.get(path, table.tokens[0]).json()
    assert api.get(path).headers["Cache-Control"] == "private, no-cache"
    refused(api.get(path, headers={"Accept": "text/csv"}), 406, "not-acceptable", 5)
    refused(api.post(path), 405, "method-not-allowed")


@pytest.fixture(scope="module", params=[(2, "a", 14), (3, "d", 47), (5, "f", 71)], ids=str)
def worlds(request: pytest.FixtureRequest) -> tuple[World, World]:
    """Two running games that differ in what a spectator may not see."""
    seats, seed, commands = request.param
    one, other, *_ = twins(None, seats, seed, commands, starting_seat=1)
    return one, other


def test_an_audit_reveals_nothing_hidden(worlds: tuple[World, World]) -> None:
    """Before the end both worlds' audits are the same to the byte, to a spectator."""
    one, other = (world.ask("GET", f"{world.path}/audit") for world in worlds)
    assert as_seen(one) == as_seen(other)
    assert one.data == other.data
    assert json.loads(one.data)["ok"] is True


def test_the_audit_of_a_fork_reveals_nothing_of_its_parent(worlds: tuple[World, World]) -> None:
    """One fork in both worlds, of which one alone has the parent that it was made of: the audits are the same bytes.

    So no fork, not even a forged one, reveals a card that a running parent hides.
    """
    for seat in range(len(worlds[0].game.seats)):
        steps_of_fork = fork_decisions(worlds[0].game, seat, f"asks-{seat}")
        for name, log in (("running", log_of(steps_of_fork[:1])), ("over", log_of(steps_of_fork))):
            created = log[0]["data"] | {"game": f"{name}-{seat}"}
            events = rechain([log[0] | {"data": created}, *log[1:]])
            for world in worlds:
                world.log.import_game(import_entries(events))
            one, other = (world.ask("GET", f"/v1/games/{name}-{seat}/audit") for world in worlds)
            assert one.data == other.data
            assert json.loads(one.data)["ok"] is True


def test_a_forged_fork_in_the_store(worlds: tuple[World, World]) -> None:
    """A fork whose open cards differ from its parent's fails; the report holds only the check's name and a version."""
    world, _ = worlds
    log = log_of(fork_decisions(world.game, 0, "forged"))
    started = world.game.version - 1
    log[0]["data"]["from"] = started
    events = rechain(log[: len(world.game.seats) + 2])
    world.log.import_game(import_entries(events))
    found = world.ask("GET", "/v1/games/fork-forged/audit").get_json()
    assert [check["name"] for check in found["checks"] if check["ok"] is False] == ["rules"]
    assert re.fullmatch(r"rules: version \d+", detail(found, "rules"))
