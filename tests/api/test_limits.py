"""What one client may do: requests a second, new games a minute, polls and streams at once. Others never pay for it."""

from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import replace
from functools import partial
from pathlib import Path
from threading import Thread, current_thread
from types import SimpleNamespace

import pytest
from werkzeug.test import TestResponse

from config.settings import Settings
from domain.words.refusals.sentences import Sentence
from service.api.limits import rates
from service.api.limits.rates import Buckets, ClientLimits, number_of
from service.api.problems import problem
from service.api.wsgi import Application, Request, Response
from service.web import error_pages
from tests.api.test_new_games import refuses
from tests.api.worlds import World, told
from tests.support.requests import answering
from tests.support.waiting import patience, wait_until

SECOND = 1_000_000_000
SECRET = bytes(32)
STREAM = {"Accept": "text/event-stream"}


def from_address(address: str) -> dict[str, dict[str, str]]:
    """What the test client needs to send a request from this address."""
    return {"environ_overrides": {"REMOTE_ADDR": address}}


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
    number = partial(number_of, secret=SECRET)
    assert number("2001:db8::1") == number("2001:db8::ffff:7a19") != number("2001:db8:0:1::1")
    assert number("203.0.113.9") == number("::ffff:203.0.113.9") != number("203.0.113.10")
    assert number("203.0.113.9") != number_of("203.0.113.9", b"x" * 32)
    assert number("") != number("unix")


@pytest.mark.nightly
def test_a_request_over_the_limit_gets_retry_after() -> None:
    """429 as a problem, with Retry-After; whether the process is up may always be asked."""
    moment = [SECOND]
    limits = ClientLimits(Settings(rate_limit=5), clock=lambda: moment[0])
    app = Application(__name__, error_pages.refuse, [rates.make_check(limits, {"expensive": 3})])
    app.add_url_rule("/v1/bots", "bots", lambda: Response("bots"))
    app.add_url_rule("/expensive", "expensive", lambda: Response("expensive"))
    app.add_url_rule("/healthz", "health", lambda: Response("up"))
    asking = app.test_client()
    paths = ("/expensive", "/expensive", "/v1/bots", "/v1/bots", "/v1/bots")
    assert [asking.get(path).status_code for path in paths] == [200, 429, 200, 200, 429]
    assert asking.get("/v1/bots", **from_address("2001:db8::1")).status_code == 200
    refused = asking.get("/v1/bots")
    assert refused.headers["Retry-After"] == "1"
    assert refused.content_type == "application/problem+json"
    assert refused.get_json()["type"] == "/problems/too-many-requests"
    assert {asking.get("/healthz").status_code for _ in range(50)} == {200}
    moment[0] += SECOND
    assert asking.get("/v1/bots").status_code == 200


@pytest.fixture
def world() -> Callable[..., World]:
    """A service in process with these settings, and a game that has begun."""
    return lambda **settings: told(2, "begun", 1, settings=Settings(**{"rate_limit": 1000} | settings))


def stop_clock(world: World, later: float = 60) -> None:
    """So many seconds later, when no client has asked for anything lately."""
    moment = world.web.limits._clock() + round(later * SECOND)
    world.web.limits._clock = lambda: moment
    world.web.limits._processor_time = lambda: 0  # else a slow machine's requests would count more


def create(world: World, address: str, *seats: dict[str, str], **more: object) -> TestResponse:
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
    refuses(refused, 429, "too-many-requests")
    assert 50 <= int(refused.headers["Retry-After"]) <= 60
    assert [create(one, "203.0.113.1", *PEOPLE).status_code for _ in range(4)] == [201, 201, 201, 429]
    assert create(one, "203.0.113.2", *BOTS).status_code == 201
    fork = {"fork": {"game": one.game.id, "version": one.game.version}}
    answers = [
        one.ask("POST", "/v1/games", 0, json=fork | {"seats": list(seats)}, **from_address("203.0.113.2"))
        for seats in (BOTS, ({"name": "Anna"}, {"bot": "greedy"}))
    ]
    assert [answer.status_code for answer in answers] == [429, 201]


def test_a_key_opens_games(world: Callable[..., World]) -> None:
    """Forks, too; a refusal comes before any look at the body; nothing else needs it."""
    one = world()
    locked = replace(one.web.services.settings, opening_key="Stammtisch")
    object.__setattr__(one.web.services, "settings", locked)
    fork = {"fork": {"game": "nobody", "version": 1}, "seats": []}
    for headers in ({}, {"Reibach-Opening-Key": "x"}, {"Reibach-Opening-Key": "St\u00e4mmtisch"}):
        for body in ({"seats": list(PEOPLE)}, fork, {}):
            refused = one.ask("POST", "/v1/games", json=body, headers=headers)
            assert (refused.status_code, refused.get_json()["type"]) == (403, "/problems/opening-key-required")
    key = {"Reibach-Opening-Key": "Stammtisch"}
    opened = one.ask("POST", "/v1/games", json={"seats": list(PEOPLE)}, headers=key)
    assert opened.status_code == 201
    assert one.ask("POST", f"{opened.headers['Location']}/seats", json={"name": "Bert"}).status_code == 201


def test_wrong_keys_have_a_budget_of_their_own(world: Callable[..., World]) -> None:
    """Spent, all keys of the address are refused alike, or one could be guessed; but where the right one has come."""
    one = world(new_games=4, rate_limit=100_000)
    stop_clock(one)
    locked = replace(one.web.services.settings, opening_key="Stammtisch")
    object.__setattr__(one.web.services, "settings", locked)

    def send(key: str, address: str) -> int:
        headers = {"Reibach-Opening-Key": key}
        body = {"seats": list(PEOPLE)}
        return one.ask("POST", "/v1/games", json=body, headers=headers, **from_address(address)).status_code

    club, guesser = "203.0.113.1", "203.0.113.2"
    assert [send("x", club) for _ in range(60)] == [403] * 60
    assert send("Stammtisch", club) == 201
    for address in (club, guesser):
        while send("x", address) == 403:
            pass
    assert [send("Stammtisch", address) for address in (club, guesser, "203.0.113.3")] == [201, 429, 201]


def test_a_day_has_its_limits(world: Callable[..., World]) -> None:
    """Of new games; `shark` counts as a game between bots wherever it plays."""
    one = world(new_games_a_day=3, bot_games=2)
    assert create(one, "203.0.113.1", {"name": "Anna"}, *[{"bot": "shark"}] * 2).status_code == 201
    refuses(create(one, "203.0.113.1", {"name": "Anna"}, {"bot": "shark"}), 429, "too-many-requests")
    assert [create(one, "203.0.113.1", *PEOPLE).status_code for _ in range(3)] == [201, 201, 429]
    assert create(one, "203.0.113.2", *PEOPLE).status_code == 201
    stop_clock(one, 3600)
    refused = create(one, "203.0.113.1", *PEOPLE)
    refuses(refused, 429, "too-many-requests")
    assert int(refused.headers["Retry-After"]) > 3600


def test_a_day_has_its_limit_of_copied_bytes() -> None:
    """Of all forks of a finished game by one client: two fit. Another client's, and those of the next day, are free."""
    one = told(2, "copied", 1000, settings=Settings(rate_limit=100_000, copies_a_day=20_000))
    seats = [{"name": "Anna"}, {"bot": "greedy"}]
    body = {"fork": {"game": one.game.id, "version": one.game.version - 1}, "seats": seats}

    def fork(address: str) -> int:
        return one.ask("POST", "/v1/games", json=body, **from_address(address)).status_code

    stop_clock(one)
    assert [fork("203.0.113.1") for _ in range(3)] == [201, 201, 429]
    assert fork("203.0.113.2") == 201
    stop_clock(one, 24 * 3600)
    assert fork("203.0.113.1") == 201


@pytest.mark.parametrize(("path", "weight"), [("/audit", 10), ("/replay", 5), ("/recap", 5), ("/events", 3), ("", 1)])
def test_expensive_requests_weigh_more(world: Callable[..., World], path: str, weight: int) -> None:
    """Of a second's 12 requests they leave 12 less their weight."""
    one = world(rate_limit=12)
    stop_clock(one)
    assert one.ask("GET", one.path + path).status_code == 200
    left = [one.ask("GET", "/v1/bots").status_code for _ in range(13 - weight)]
    assert left == [200] * (12 - weight) + [429]


def test_a_preflight_counts_as_one_request(world: Callable[..., World]) -> None:
    """It reads nothing, whatever the request weighs that it asks for; another OPTIONS is as cheap."""
    one = world(rate_limit=12)
    stop_clock(one)
    preflight = {"Origin": "https://ui.example", "Access-Control-Request-Method": "GET"}
    statuses = [one.ask("OPTIONS", f"{one.path}/audit", headers=headers).status_code for headers in (preflight, {})]
    assert [*statuses, one.ask("GET", f"{one.path}/audit").status_code] == [204, 200, 200]


@pytest.mark.parametrize("path", ["/audit", "/recap", ""])
def test_processor_time_is_charged(world: Callable[..., World], monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    """What a request has taken beyond its weight is counted afterwards, whatever it asked for; only of its client."""
    one = world(rate_limit=100)
    stop_clock(one)
    monkeypatch.setattr("service.api.wsgi.time.thread_time_ns", lambda: 0)
    one.web.limits._processor_time = lambda: 0
    assert one.ask("GET", one.path + path).headers["RateLimit-Policy"] == '"requests";q=100;w=1'
    one.web.limits._processor_time = lambda: 400 * rates._ACTION
    answer = one.ask("GET", one.path + path)
    assert (answer.status_code, answer.headers["RateLimit"]) == (200, '"requests";r=0;t=2')
    assert one.ask("GET", "/v1/bots").status_code == 429
    assert one.ask("GET", "/v1/bots", **from_address("203.0.113.9")).status_code == 200
    stop_clock(one, 3)
    one.web.limits._processor_time = lambda: 0
    assert one.ask("GET", "/v1/bots").headers["RateLimit"] == '"requests";r=99;t=1'


def test_one_client_reads_so_much_at_once(world: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """One more is refused; what waits for a game in a place of its own isn't counted, nor what has been answered."""
    one = world()
    monkeypatch.setattr(one.web.limits._reads, "_most", 0)
    held: list[float] = []
    monkeypatch.setattr(rates.time, "sleep", held.append)
    refuses(one.ask("GET", one.path), 429, "too-many-requests")
    page = f"/g/{one.game.id}"
    assert [one.ask(method, page).status_code for method in ("HEAD", "POST")] == [429, 429]
    assert held == [rates._HOLD_S] * 3, "else refusals alone take all the processor time"
    assert one.act(0, {"text": "Hello"}, 1).status_code == 201
    monkeypatch.setattr(one.web.limits._reads, "_most", 1)
    with ExitStack() as opened:
        assert {listen(one, opened, "127.0.0.1").status_code for _ in range(3)} == {200}
        assert {one.ask("GET", one.path).status_code for _ in range(3)} == {200}
    assert not one.web.limits._reads.held


def test_reads_of_one_client_run_one_at_a_time(world: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """The others wait for their turn, and for a rest of three times what it took; another client's don't wait."""
    limits = world().web.limits
    monkeypatch.setattr(rates, "_TURN_S", patience(60))
    monkeypatch.setattr(ClientLimits, "client", property(lambda _: int(current_thread().name)))
    rests: list[float] = []
    monkeypatch.setattr(rates, "time", SimpleNamespace(sleep=rests.append))
    limits._clock, limits._processor_time = lambda: SECOND, lambda: SECOND
    requests, begun = [Request({"REQUEST_METHOD": "GET"}) for _ in range(4)], list[int]()
    for request in requests:
        request.used = 9 * SECOND // 10

    def begin(number: int) -> None:
        limits.begin_read(requests[number])
        begun.append(number)

    threads = [Thread(target=begin, args=(number,), name="2" if number == 3 else "1") for number in range(4)]
    for thread in (threads[0], threads[3]):
        thread.start()
        thread.join()
    threads[1].start()
    threads[2].start()
    wait_until(lambda: limits._reads.held == {1: 3, 2: 1})
    assert (begun, rests) == ([0, 3], [])
    for count in (3, 4):
        limits.end_read(requests[begun[-1] if count > 3 else 0])
        wait_until(lambda count=count: len(begun) == count)  # type: ignore[misc] # it has a default
    assert rests == [pytest.approx(0.3)] * 2
    for done in (begun[-1], 3):
        limits.end_read(requests[done])
    assert not limits._running
    assert not limits._rests


def test_refusals_leave_at_one_pace(world: Callable[..., World], monkeypatch: pytest.MonkeyPatch) -> None:
    """The more wait, the longer; who finds no thread to wait in must connect again."""
    one = world(web_threads=3 * 4)
    monkeypatch.setattr(one.web.limits._reads, "_most", 0)
    monkeypatch.setattr(rates, "_HELD_TOGETHER", 2)
    held: list[float] = []

    def ask_on(seconds: float) -> None:
        held.append(seconds)
        last.append(one.ask("GET", one.path).headers.get("Connection"))

    last: list[str | None] = []
    monkeypatch.setattr(rates.time, "sleep", ask_on)
    assert "Connection" not in one.ask("GET", one.path).headers
    assert held == [rates._HOLD_S * times for times in (1, 2, 2, 3)]
    assert last == ["close", *[None] * 3]


def test_a_fork_weighs_more_than_a_game(world: Callable[..., World]) -> None:
    """It reads the whole parent, also where it is refused then."""
    one = world(rate_limit=9)
    stop_clock(one)
    body = {"fork": {"game": one.game.id, "version": 1}, "seats": []}
    assert [one.ask("POST", "/v1/games", 0, json=body).status_code for _ in range(3)] == [422, 429, 429]


def test_all_limits_of_clients_are_off_together(world: Callable[..., World]) -> None:
    one = world(rate_limit=0, new_games=1, bot_games=1, client_polls=1)
    assert {create(one, "203.0.113.1", *BOTS).status_code for _ in range(3)} == {201}
    with ExitStack() as opened:
        assert {listen(one, opened, "203.0.113.1").status_code for _ in range(3)} == {200}


def listen(world: World, opened: ExitStack, address: str) -> TestResponse:
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
        refuses(poll(one, "2001:db8::1"), 429, "too-many-requests")
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


def test_no_request_waits_for_a_place(world: Callable[..., World]) -> None:
    """One more than there are places is refused at once; a thread that holds one says so."""
    places = world(poll_limit=1, rate_limit=0).web.places
    advice = Sentence("too-many-waiting.poll")
    with answering():
        with places.hold_waiting(advice):
            assert places.holds_waiting()
            with pytest.raises(problem.Problem), places.hold_waiting(advice):
                pass
        assert not places.holds_waiting()
        with places.hold_waiting(advice):
            pass


def test_bodies_that_never_end_leave_places(world: Callable[..., World]) -> None:
    """One client's bodies take its share of the places, then 503; another client's request is served, and a poll is."""
    one = world(web_threads=18, poll_limit=8)
    places = one.web.places
    with ExitStack() as held:
        for _ in range(2):
            with answering(**from_address("203.0.113.1")):
                held.callback(places.free_body, places.take_body())
        slow = create(one, "203.0.113.1", *PEOPLE)
        refuses(slow, 503, "too-many-waiting")
        assert slow.headers["Connection"] == "close", "the rest of its body would be waited for"
        assert create(one, "203.0.113.2", *PEOPLE).status_code == 201
        assert poll(one, "203.0.113.1").status_code == 304
        for number in range(3, 17):
            with answering(**from_address(f"203.0.113.{number}")):
                held.callback(places.free_body, places.take_body())
        assert create(one, "203.0.113.99", *PEOPLE).status_code == 503
        assert poll(one, "203.0.113.99").status_code == 304
        assert one.ask("GET", one.path, **from_address("203.0.113.1")).status_code == 200
    assert create(one, "203.0.113.1", *PEOPLE).status_code == 201


@pytest.mark.parametrize(("threads", "bodies"), [(1, 1), (2, 1), (7, 6), (8, 7), (384, 336)])
def test_bodies_leave_threads_free(world: Callable[..., World], threads: int, bodies: int) -> None:
    """One at least, also where there are few: else requests without a body would wait for what may never come."""
    one = world(web_threads=threads, rate_limit=0)
    with answering():
        for _ in range(bodies):
            one.web.places.take_body(patience=0)
        with pytest.raises(problem.Problem):
            one.web.places.take_body(patience=0)
