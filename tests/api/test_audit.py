"""`GET …/audit` over a real store: sound games, running ones, and stores changed without the service."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from itertools import count, islice
from random import Random
from typing import Any

import fakeredis
import pytest
import redis
from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from config.settings import Settings
from domain.audit.checks import CHECKS
from domain.commands import CreateGame
from service.app import create_app, open_web
from service.bootstrap import assemble
from service.gamelog.copies.transfer import import_entries
from service.gamelog.history import History
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.signing.deployment import Deployment
from tests.api.worlds import World, as_seen
from tests.domain.worlds import another_world
from tests.gamelog.ledger import import_game, open_games
from tests.oracle.play import rechain
from tests.support.client import Api, refused
from tests.support.forks import fork_decisions
from tests.support.logs import log_of
from tests.support.play import fold, play_until, steps
from tests.support.samples import Sample, sampled
from tests.support.stores import open_store

SHARDS = 2
DEPLOYMENT = Deployment.new(SHARDS)


@cache
def played(commands: int | None) -> History:
    """A game of so many commands, or a whole one: played once, and copied into the store by each test."""
    ticks = count(1_770_000_000_000, 250)
    log = open_games(fakeredis.FakeRedis(server=fakeredis.FakeServer()), clock=lambda: next(ticks))
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
        self.stream = self.store.stream(self.game)

    def ask(self, path: str = "", **more: Any) -> TestResponse:
        """A request to a service with an empty cache."""
        log = GameLog(open_store(self.url, SHARDS), Reactions(lambda *_: None, 0.0))
        web = open_web(assemble(Settings(rate_limit=0), DEPLOYMENT, log))
        try:
            return create_app(web).test_client().get(path or self.path, **more)
        finally:
            web.hub.close()

    def audit(self) -> dict[str, Any]:
        """The audit, in the contract's shape."""
        answer = self.ask()
        assert answer.status_code == 200, answer.text
        found: dict[str, Any] = answer.get_json()
        assert [check["name"] for check in found["checks"]] == list(CHECKS)
        assert all(check.keys() == {"name", "ok", "detail"} for check in found["checks"])
        assert found["ok"] is all(check["ok"] is not False for check in found["checks"])
        return found

    def entries(self) -> list[tuple[bytes, dict[bytes, bytes]]]:
        """The stream as stored."""
        found: list[tuple[bytes, dict[bytes, bytes]]] = self.client.xrange(self.stream)
        return found

    def write(self, entries: list[tuple[bytes, dict[bytes, bytes]]]) -> None:
        """Another stream in place of the game's."""
        self.client.delete(self.stream)
        for name, fields in entries:
            self.client.xadd(self.stream, fields, id=name)


def outcome(found: dict[str, Any]) -> dict[str, bool | None]:
    """Each check's `ok`."""
    return {check["name"]: check["ok"] for check in found["checks"]}


def detail(found: dict[str, Any], name: str = "chain") -> str:
    """The detail of a check."""
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


@sampled(4)
@pytest.mark.parametrize("commands", [45, None], ids=["running", "finished"])
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


def lose_header(place: ArchivePlace) -> None:
    place.client.hset(f"{place.tag}:head:{place.game}", "hash", bytes(32))


def lose_tail(place: ArchivePlace) -> None:
    place.write(place.entries()[:-1])


def lose_middle(place: ArchivePlace) -> None:
    place.client.xdel(place.stream, place.entries()[5][0])


def lose_start(place: ArchivePlace) -> None:
    place.client.xdel(place.stream, place.entries()[0][0])


def tear(place: ArchivePlace) -> None:
    entries = place.entries()
    name, fields = entries[4]
    place.write([*entries[:4], (name, fields | {b"e": fields[b"e"][:-2]}), *entries[5:]])


def forget_fields(place: ArchivePlace) -> None:
    entries = place.entries()
    place.write([*entries[:4], (entries[4][0], {b"x": b"y"}), *entries[5:]])


def change_check(place: ArchivePlace) -> None:
    entries = place.entries()
    name, fields = entries[4]
    place.write([*entries[:4], (name, fields | {b"c": bytes(len(fields[b"c"]))}), *entries[5:]])


def another_type(place: ArchivePlace) -> None:
    place.client.delete(place.stream)
    place.client.set(place.stream, "no stream")


def another_game(place: ArchivePlace) -> None:
    other = ArchivePlace(place.url, 10)
    place.write(other.entries())


def lose_stream(place: ArchivePlace) -> None:
    place.client.delete(place.stream)


def lose_whole_header(place: ArchivePlace) -> None:
    place.client.delete(f"{place.tag}:head:{place.game}")


def change_version(place: ArchivePlace) -> None:
    place.client.hset(f"{place.tag}:head:{place.game}", "version", 2)


def change_time(place: ArchivePlace) -> None:
    entries = place.entries()
    name, fields = entries[4]
    place.write([*entries[:4], (name, fields | {b"t": b"9" * 25}), *entries[5:]])


@pytest.mark.parametrize("commands", [30, None], ids=["running", "finished"])
@pytest.mark.parametrize(
    "damage",
    [
        lose_stream,
        lose_whole_header,
        change_version,
        change_time,
        lose_header,
        lose_tail,
        lose_middle,
        lose_start,
        tear,
        forget_fields,
        change_check,
        another_type,
        another_game,
    ],
)
def test_a_damaged_store_has_an_answer(
    valkey: str, damage: Callable[[ArchivePlace], None], commands: int | None
) -> None:
    """`chain` fails and names the entry that is missing, unreadable, or has another hash."""
    place = ArchivePlace(valkey, commands)
    sound = [name.decode() for name, _ in place.entries()]
    damage(place)
    found = place.audit()
    assert outcome(found)["chain"] is False
    last = [int(name.partition("-")[0]) for name in sound]
    versions = {lose_header: last[-1], lose_tail: last[-2] + 1, lose_middle: last[4] + 1, tear: last[4]}
    versions |= {forget_fields: last[3] + 1, change_check: last[4], change_time: last[4]}
    versions |= dict.fromkeys((lose_whole_header, change_version), last[-1])
    expected = versions.get(damage, 1)
    assert re.search(rf"[Vv]ersion {expected}\b", detail(found)) or damage is another_game, detail(found)


REMEMBERED = [("/events", "application/json"), ("/events", "application/x-ndjson"), ("?at=5", "*/*")]
REMEMBERED += [("/receipt?at=5", "*/*")]
"""What a process answers from what it has proved before."""
READ = [("/replay", "*/*"), ("/recap?since=0", "*/*"), ("/events", "text/event-stream")]
"""What it reads each time, the last one to a checkpoint."""


def change_card(place: ArchivePlace) -> None:
    """A changed refill in the middle: the display is another possible one."""
    entries = place.entries()
    refill = re.compile(rb'(\["refill",\d,)"\w+"')
    at = next(at for at in range(len(entries) // 2, len(entries)) if refill.search(entries[at][1][b"e"]))
    name, fields = entries[at]
    others = (fields | {b"e": refill.sub(rb'\1"%b"' % card, fields[b"e"])} for card in (b"gold", b"oil"))
    place.write([*entries[:at], (name, next(one for one in others if one != fields)), *entries[at + 1 :]])


@pytest.mark.parametrize("damage", [change_card, change_time, lose_middle, lose_tail, tear, forget_fields, lose_stream])
def test_a_damaged_log_is_not_served(valkey: str, damage: Callable[[ArchivePlace], None]) -> None:
    """Where a process would read the damage, it answers 503, never 500, and what it has proved before is forgotten.

    Until then that is served as it was proved, and the audit finds the damage. A process that has read nothing before
    answers 503 to all.
    """
    place = ArchivePlace(valkey)
    path = f"/v1/games/{place.game}"
    processes = []
    for _ in range(2):
        log = GameLog(open_store(valkey, SHARDS), Reactions(lambda *_: None, 0.0))
        processes.append(open_web(assemble(Settings(rate_limit=0), DEPLOYMENT, log)))
    warm, fresh = (create_app(web).test_client() for web in processes)

    def ask(client: FlaskClient, question: str, form: str) -> tuple[int, bytes]:
        answer = client.get(path + question, headers={"Accept": form})
        assert answer.status_code == 200 or answer.get_json()["type"] == "/problems/store-unavailable"
        return answer.status_code, answer.data

    before = [ask(warm, *asked) for asked in (*READ, *REMEMBERED)]
    assert {status for status, _ in before} == {200}
    damage(place)
    assert [ask(warm, *asked) for asked in REMEMBERED] == before[len(READ) :]
    assert warm.get(place.path).get_json()["ok"] is False
    found = READ[:-1] if damage is lose_tail else READ
    assert [ask(warm, *asked)[0] for asked in found] == [503] * len(found)
    assert [ask(warm, *asked)[0] for asked in REMEMBERED] == [503] * len(REMEMBERED)
    assert [ask(fresh, *asked)[0] for asked in (*REMEMBERED, *READ)] == [503] * len(before)
    for web in processes:
        web.hub.close()


def test_the_cached_game_is_audited_against_the_store(valkey: str) -> None:
    """A process with the undamaged game in its cache finds the change in the store."""
    place = ArchivePlace(valkey, 30)
    log = GameLog(open_store(valkey, SHARDS), Reactions(lambda *_: None, 0.0))
    web = open_web(assemble(Settings(rate_limit=0), DEPLOYMENT, log))
    client = create_app(web).test_client()
    assert client.get(place.path).get_json()["ok"] is True
    lose_tail(place)
    found = client.get(place.path).get_json()
    assert (outcome(found)["chain"], outcome(found)["projection"]) == (False, False)
    web.hub.close()


def test_authorisation(api: Api) -> None:
    """Spectators and players may ask; an invalid or foreign token is refused."""
    table, other = api.create(), api.create()
    path = f"{table.path}/audit"
    assert api.get(path).json() == api.get(path, table.tokens[0]).json()
    assert api.get(path).headers["Cache-Control"] == "private, no-cache"
    refused(api.get(path, "nonsense"), 401, "invalid-token")
    refused(api.get(path, other.tokens[0]), 403, "not-your-game")
    refused(api.get("/v1/games/nowhere/audit"), 404, "no-such-game")
    refused(api.get(path, headers={"Accept": "text/csv"}), 406, "not-acceptable", 5)
    refused(api.post(path), 405, "method-not-allowed")


def test_a_game_played_over_http(api: Api) -> None:
    """The audit passes while the game runs and after its end; a joined seat's entropy binds the server."""
    table = api.create([{"bot": "greedy"}, {}, {"bot": "random"}])
    seat = api.join(table, entropy="tulip")
    for number in count():
        if (view := api.view(table))["status"] == "over":
            break
        if view["status"] == "playing" and view["turn"]["seat"] == seat:
            for action in api.legal_actions(table, seat)[:1]:
                api.act(table, seat, action)
        assert number % 5 or api.get(f"{table.path}/audit").json()["ok"] is True
    found = api.get(f"{table.path}/audit").json()
    assert set(outcome(found).values()) == {True}
    assert "after the seed was drawn: seat 1." in detail(found, "commitment")


@pytest.fixture(scope="module", params=[(2, "a", 14), (3, "d", 47), (5, "f", 71)], ids=str)
def worlds(request: pytest.FixtureRequest) -> Iterator[tuple[World, World]]:
    """Two running games that differ in what a spectator may not see."""
    seats, seed, commands = request.param
    game, events = play_until(seats, seed, commands, starting_seat=1)
    others = another_world(events, None, game, Random(seed))
    assert fold(others) != game
    pair = World(DEPLOYMENT), World(DEPLOYMENT)
    for world, story in zip(pair, (events, others), strict=True):
        world.tell(story, {}, 1)
    yield pair
    for world in pair:
        world.hub.close()


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
