"""What one client may do: requests a second, new games a minute, polls and streams at once. Others never pay for it."""

import errno
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing
from itertools import product
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import TestResponse

from config.settings import Settings
from service.api.limits import rates
from service.api.limits.clients import ClientNumbers
from service.api.limits.places import Places
from service.api.limits.rates import Buckets, ClientLimits
from service.api.live.waiting import may_wait
from service.api.problems import problem
from service.api.wsgi.application import Application, current_request
from service.runtime.waiting import NO_THREAD
from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World
from tests.support.play import play_until

SECOND = 1_000_000_000
SECRET = bytes(32)
DEPLOYMENT = Deployment.new(SHARDS)
STREAM = {"Accept": "text/event-stream"}


def from_address(address: str) -> dict[str, dict[str, str]]:
    """What the test client needs to send a request from this address."""
    return {"environ_overrides": {"REMOTE_ADDR": address}}


@pytest.mark.parametrize("limit", [1, 5])
def test_a_client_has_a_limit_of_requests_per_second(limit: int) -> None:
    """One more than the limit is refused, with the time to wait; after that time it is taken."""
    requests = Buckets(limit, SECOND, None)
    now = 7 * SECOND
    assert [requests.charge(1, now) for _ in range(limit)] == [0] * limit
    wait = requests.charge(1, now)
    assert wait == SECOND // limit
    assert requests.charge(2, now) == 0
    assert requests.charge(1, now + wait - 1) == 1
    assert requests.charge(1, now + wait) == 0


def test_an_expensive_request_counts_as_several() -> None:
    """It takes its weight, and is never too expensive for a client that has asked for nothing."""
    requests = Buckets(10, SECOND, None)
    assert requests.charge(1, SECOND, 8) == 0
    assert requests.charge(1, SECOND, 3) > 0
    assert requests.charge(1, SECOND, 2) == 0
    assert requests.charge(2, SECOND, 100) == 0
    assert requests.charge(2, SECOND, 1) > 0


def test_processes_count_together(tmp_path: Path) -> None:
    """Two maps of one file, as two web processes have them, share the counts."""
    one, other = (Buckets(3, SECOND, tmp_path / "requests") for _ in range(2))
    waits = [one.charge(1, 7), other.charge(1, 7), one.charge(1, 7), other.charge(1, 7)]
    assert [wait > 0 for wait in waits] == [False, False, False, True]


def test_a_client_in_the_same_slot_is_not_charged() -> None:
    """Clients whose numbers lead to the victim's slot flood the service; the victim is still served."""
    requests = Buckets(5, SECOND, None)
    victim, colliding = 77, [77 + (number << 16) for number in range(1, 9)]
    for now in range(SECOND, 3 * SECOND, SECOND // 2):
        for _ in range(20):
            for client in colliding:
                requests.charge(client, now)
        assert requests.charge(victim, now) == 0


def test_a_client_is_a_network_and_its_number_is_secret() -> None:
    """IPv6 by its first 64 bits, mapped IPv4 as IPv4; another secret gives other numbers."""
    number = ClientNumbers(SECRET).number
    assert number("2001:db8::1") == number("2001:db8::ffff:7a19") != number("2001:db8:0:1::1")
    assert number("203.0.113.9") == number("::ffff:203.0.113.9") != number("203.0.113.10")
    assert number("203.0.113.9") != ClientNumbers(b"x" * 32).number("203.0.113.9")
    assert number("") != number("unix")


def test_a_request_over_the_limit_gets_retry_after() -> None:
    """429 as a problem, with Retry-After; whether the process is up may always be asked."""
    moment = [SECOND]
    limits = ClientLimits(Settings(rate_limit=5), clock=lambda: moment[0])
    app = Application(__name__, [rates.make_check(limits, {"expensive": 3})])
    app.add_url_rule("/v1/bots", "bots", lambda: "bots")
    app.add_url_rule("/expensive", "expensive", lambda: "expensive")
    app.add_url_rule("/healthz", "health", lambda: "up")
    problem.register(app)
    asking = app.test_client()
    assert [
        asking.get(path).status_code for path in ("/expensive", "/expensive", "/v1/bots", "/v1/bots", "/v1/bots")
    ] == [
        200,
        429,
        200,
        200,
        429,
    ]
    assert asking.get("/v1/bots", **from_address("2001:db8::1")).status_code == 200
    refused = asking.get("/v1/bots")
    assert refused.headers["Retry-After"] == "1"
    assert refused.content_type == "application/problem+json"
    assert refused.get_json()["type"] == "/problems/too-many-requests"
    assert {asking.get("/healthz").status_code for _ in range(50)} == {200}
    moment[0] += SECOND
    assert asking.get("/v1/bots").status_code == 200


@pytest.fixture
def world() -> Iterator[Callable[..., World]]:
    """A service in process with these settings, and a game that has begun."""
    with ExitStack() as stack:

        def begin(**settings: int) -> World:
            one = World(DEPLOYMENT, Settings(rate_limit=settings.pop("rate_limit", 1000), **settings))
            _, events = play_until(2, "begun", 1)
            one.tell(events, {}, 0)
            stack.callback(one.hub.close)
            return one

        yield begin


def create(world: World, address: str, *seats: dict[str, str], **more: object) -> TestResponse:
    """A new game."""
    body = {"seats": list(seats), **more}
    return world.ask("POST", "/v1/games", json=body, **from_address(address))


PEOPLE = ({"name": "Anna"}, {})
BOTS = ({"bot": "greedy"}, {"bot": "random"})


def test_new_games_are_limited(world: Callable[..., World]) -> None:
    """So many a minute for a client, fewer of those that play themselves; refused bodies and other clients are free."""
    one = world(new_games=4, bot_games=1)
    assert create(one, "203.0.113.1", {}).status_code == 422
    assert create(one, "203.0.113.1", *BOTS).status_code == 201
    refused = create(one, "203.0.113.1", *BOTS)
    assert refused.status_code == 429
    assert refused.get_json()["type"] == "/problems/too-many-requests"
    assert 50 <= int(refused.headers["Retry-After"]) <= 60
    assert [create(one, "203.0.113.1", *PEOPLE).status_code for _ in range(4)] == [201, 201, 201, 429]
    assert create(one, "203.0.113.2", *BOTS).status_code == 201
    fork = {"fork": {"game": one.game.id, "version": one.game.version}}
    answers = [
        one.ask("POST", "/v1/games", 0, json=fork | {"seats": list(seats)}, **from_address("203.0.113.2"))
        for seats in (BOTS, ({"name": "Anna"}, {"bot": "greedy"}))
    ]
    assert [answer.status_code for answer in answers] == [429, 201]


@pytest.mark.parametrize(("path", "weight"), [("/audit", 10), ("/replay", 5), ("/recap", 5), ("/events", 3), ("", 1)])
def test_expensive_requests_weigh_more(world: Callable[..., World], path: str, weight: int) -> None:
    """Of a second's 12 requests they leave 12 less their weight."""
    one = world(rate_limit=12)
    moment = one.web.limits._clock() + 60 * SECOND
    one.web.limits._clock = lambda: moment
    assert one.ask("GET", one.path + path).status_code == 200
    left = [one.ask("GET", "/v1/bots").status_code for _ in range(13 - weight)]
    assert left == [200] * (12 - weight) + [429]


def test_a_preflight_counts_as_one_request(world: Callable[..., World]) -> None:
    """It reads nothing, whatever the request weighs that it asks for; another OPTIONS is as cheap."""
    one = world(rate_limit=12)
    moment = one.web.limits._clock() + 60 * SECOND
    one.web.limits._clock = lambda: moment
    preflight = {"Origin": "https://ui.example", "Access-Control-Request-Method": "GET"}
    statuses = [one.ask("OPTIONS", f"{one.path}/audit", headers=headers).status_code for headers in (preflight, {})]
    assert [*statuses, one.ask("GET", f"{one.path}/audit").status_code] == [204, 200, 200]


@pytest.mark.parametrize(("path", "weight"), [("/audit", 10), ("/replay", 5), ("/recap?since=0", 5), ("/events", 3)])
def test_many_events_weigh_more(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch, path: str, weight: int
) -> None:
    """A weight is that of a usual game: a game full of messages is charged for those, where they are read."""
    one = world(rate_limit=100)
    for number in range(20):
        assert one.act(0, {"text": "Hello"}, number).status_code == 201
    monkeypatch.setattr(rates, "_USUAL_EVENTS", 5)
    monkeypatch.setattr(rates, "_EVENTS_OF_ACTION", 1)
    moment = one.web.limits._clock() + 60 * SECOND
    one.web.limits._clock = lambda: moment
    more = one.game.version - 5
    assert more >= 20
    assert one.ask("GET", one.path + path).status_code == 200
    left = 100 - weight - more
    assert [one.ask("GET", "/v1/bots").status_code for _ in range(left + 1)] == [200] * left + [429]


def test_a_small_limit_lets_long_games_be_read(world: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """However much its events weigh, a request with them is answered; the next one waits."""
    one = world(rate_limit=10)
    monkeypatch.setattr(rates, "_USUAL_EVENTS", 0)
    monkeypatch.setattr(rates, "_EVENTS_OF_ACTION", 1)
    moment = one.web.limits._clock() + 60 * SECOND
    one.web.limits._clock = lambda: moment
    assert [one.ask("GET", f"{one.path}/audit").status_code for _ in range(2)] == [200, 429]
    moment += 2 * SECOND
    assert one.ask("GET", f"{one.path}/audit").status_code == 200


def test_a_fork_weighs_more_than_a_game(world: Callable[..., World]) -> None:
    """It reads the whole parent, also where it is refused then."""
    one = world(rate_limit=9)
    moment = one.web.limits._clock() + 60 * SECOND
    one.web.limits._clock = lambda: moment
    body = {"fork": {"game": one.game.id, "version": 1}, "seats": []}
    assert [one.ask("POST", "/v1/games", 0, json=body).status_code for _ in range(3)] == [422, 429, 429]


def test_all_limits_of_clients_are_off_together(world: Callable[..., World]) -> None:
    """With REIBACH_RATE_LIMIT=0."""
    one = world(rate_limit=0, new_games=1, bot_games=1, client_polls=1)
    assert {create(one, "203.0.113.1", *BOTS).status_code for _ in range(3)} == {201}
    with ExitStack() as opened:
        assert {listen(one, opened, "203.0.113.1").status_code for _ in range(3)} == {200}


def listen(world: World, opened: ExitStack, address: str) -> TestResponse:
    """Ask for a stream, which stays open."""
    answer = world.ask("GET", f"{world.path}/events", headers=STREAM, **from_address(address))
    return opened.enter_context(closing(answer))


def poll(world: World, address: str) -> TestResponse:
    """Ask for a long poll that ends at once, once it waits."""
    tag = {"If-None-Match": f'"{world.game.version}"'}
    return world.ask("GET", world.path, headers=tag, query_string={"wait": 0.01}, **from_address(address))


def test_one_client_cant_take_the_places_of_others(world: Callable[..., World]) -> None:
    """Over its share a client gets 429, another client's stream and poll are served; a stream that ends frees one."""
    one = world(poll_limit=12, client_polls=8)
    with ExitStack() as opened:
        statuses = [listen(one, opened, f"2001:db8::{number:x}").status_code for number in range(30)]
        assert statuses == [200] * 8 + [429] * 22
        refused = poll(one, "2001:db8::1")
        assert refused.status_code == 429
        assert refused.headers["Retry-After"]
        assert refused.get_json()["type"] == "/problems/too-many-requests"
        assert listen(one, opened, "203.0.113.1").status_code == 200
        assert poll(one, "203.0.113.1").status_code == 304
        assert one.ask("GET", one.path, **from_address("2001:db8::1")).status_code == 200
    assert poll(one, "2001:db8::1").status_code == 304


def test_replays_that_are_not_read_leave_places(world: Callable[..., World]) -> None:
    """A replay holds a thread until its client has read it: one client gets its share, another is served."""
    one = world(poll_limit=12, client_polls=8)

    def replay(address: str, **more: str) -> TestResponse:
        return one.ask("GET", f"{one.path}/replay", **from_address(address), **more)

    with ExitStack() as opened:
        unread = [opened.enter_context(closing(replay("203.0.113.1"))) for _ in range(20)]
        assert [answer.status_code for answer in unread] == [200] * 8 + [429] * 12
        assert poll(one, "203.0.113.1").status_code == 429
        assert replay("203.0.113.2").status_code == 200
        assert replay("203.0.113.2", query_string="after=9999").status_code == 404
        assert one.web.places._waiting == 8
    assert replay("203.0.113.1").status_code == 200


def test_a_request_for_which_there_is_no_thread_does_not_wait(world: Callable[..., World]) -> None:
    """It is refused where it would wait, as it would hold one of the threads of POSTs; answered where it needn't."""
    one = world()
    without = {"environ_overrides": {NO_THREAD: True}}
    tag = {"If-None-Match": f'"{one.game.version}"'}
    for path, headers in ((f"{one.path}?wait=1", tag), (f"{one.path}/events", STREAM), (f"{one.path}/replay", {})):
        refused = one.ask("GET", path, headers=headers, **without)
        assert refused.status_code == 503
        assert refused.get_json()["type"] == "/problems/too-many-waiting"
        assert refused.headers["Retry-After"]
    assert one.ask("GET", f"{one.path}?wait=1", **without).status_code == 200


ENCODED = ["".join(letters) for letters in product(*((letter, f"%{ord(letter):02x}") for letter in "wait"))]


@pytest.mark.parametrize(
    ("path", "accept"),
    [
        *((f"?{name}=0.01", "") for name in ENCODED),
        ("?lang=de&wait=0.01", "application/json"),
        *(
            ("/events", accept)
            for accept in (
                "text/event-stream",
                "TEXT/Event-Stream",
                "text/*",
                "application/json;q=0.5, text/event-stream",
            )
        ),
        ("/%65vents?after=2", "text/event-stream;q=1"),
        ("/replay", ""),
        ("/repla%79?after=1", "*/*"),
    ],
)
def test_what_waits_is_known_before(
    world: Callable[..., World], monkeypatch: pytest.MonkeyPatch, path: str, accept: str
) -> None:
    """However its address and its headers are spelled: else it would hold a thread that answers POSTs."""
    one, seen = world(), list[bool]()
    hold = Places.hold_waiting

    def look(places: Places, *arguments: Any) -> AbstractContextManager[None]:
        seen.append(may_wait(current_request().environ))
        return hold(places, *arguments)

    monkeypatch.setattr(Places, "hold_waiting", look)
    headers = {"If-None-Match": f'"{one.game.version}"'} | ({"Accept": accept} if accept else {})
    with closing(one.ask("GET", f"{one.path}{path}", headers=headers)):
        assert seen == [True]


@pytest.mark.parametrize(
    ("method", "path", "accept"),
    [
        ("GET", "", ""),
        ("GET", "/events?after=3", "application/json"),
        ("GET", "/events", "application/x-ndjson"),
        ("GET", "/legal-actions", "*/*"),
        ("POST", "/actions?wait=30", "text/event-stream"),
    ],
)
def test_what_never_waits_needs_no_thread_of_its_own(method: str, path: str, accept: str) -> None:
    """To start one takes time."""
    name, _, query = path.partition("?")
    environ = {"REQUEST_METHOD": method, "PATH_INFO": f"/v1/games/g{name}", "QUERY_STRING": query}
    assert not may_wait(environ | ({"HTTP_ACCEPT": accept} if accept else {}))


def test_bodies_that_never_end_leave_places(world: Callable[..., World]) -> None:
    """One client's bodies take its share of the places, then 503; another client's request is served, and a poll is."""
    one = world(web_threads=18, poll_limit=8)
    places = one.web.places
    app = one.client.application
    with ExitStack() as held:
        for _ in range(2):
            with app.test_request_context("/", **from_address("203.0.113.1")):
                held.callback(places.free_body, places.take_body())
        slow = create(one, "203.0.113.1", *PEOPLE)
        assert slow.status_code == 503
        assert slow.get_json()["type"] == "/problems/too-many-waiting"
        assert slow.headers["Retry-After"]
        assert slow.headers["Connection"] == "close", "the rest of its body would be waited for"
        assert create(one, "203.0.113.2", *PEOPLE).status_code == 201
        assert poll(one, "203.0.113.1").status_code == 304
        for number in range(3, 17):
            with app.test_request_context("/", **from_address(f"203.0.113.{number}")):
                held.callback(places.free_body, places.take_body())
        assert create(one, "203.0.113.99", *PEOPLE).status_code == 503
        assert poll(one, "203.0.113.99").status_code == 304
        assert one.ask("GET", one.path, **from_address("203.0.113.1")).status_code == 200
    assert create(one, "203.0.113.1", *PEOPLE).status_code == 201


@pytest.mark.parametrize(("threads", "bodies"), [(1, 1), (2, 1), (7, 6), (8, 7), (384, 336)])
def test_bodies_leave_threads_free(world: Callable[..., World], threads: int, bodies: int) -> None:
    """One at least, also where there are few: else requests without a body would wait for what may never come."""
    one = world(web_threads=threads, rate_limit=0)
    with one.client.application.test_request_context("/"):
        for _ in range(bodies):
            one.web.places.take_body(patience=0)
        with pytest.raises(problem.Problem):
            one.web.places.take_body(patience=0)


def test_a_folder_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process doesn't look for ever for a file that it can lock."""
    from service.runtime.shared import tally

    def refuse(_file: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, "no locks")

    monkeypatch.setattr(tally, "count", lambda: range(3))
    monkeypatch.setattr(tally.fcntl, "flock", refuse)
    with pytest.raises(OSError, match="no locks"):
        tally.SharedTally(10, tmp_path, "polls")


HOLDER = """
import sys
from pathlib import Path
from service.runtime.shared.tally import SharedTally
tally = SharedTally(10, Path(sys.argv[1]), "polls")
print([tally.add(5, 10) is not None for _ in range(7)].count(True), flush=True)
sys.stdin.read()
"""


def test_a_process_that_dies_holds_nothing(tmp_path: Path) -> None:
    """What clients hold is counted over processes; a process that is killed takes its counts with it."""
    from service.runtime.shared.tally import SharedTally

    mine = SharedTally(10, tmp_path, "polls")
    command = [sys.executable, "-c", HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "7\n"
        places = [mine.add(5, 9) for _ in range(3)]
        assert [place is not None for place in places] == [True, True, False]
        assert mine.add(6, 9) is not None
        other.kill()
    assert [mine.add(5, 9) is not None for _ in range(8)] == [True] * 7 + [False]
    third = SharedTally(10, tmp_path, "polls")
    assert third.add(5, 9) is None
    assert len(list(tmp_path.glob("polls-*"))) == 2, "it has taken over the dead process's file"
    assert places[0] is not None
    mine.remove(places[0])
    assert third.add(5, 9) is not None
