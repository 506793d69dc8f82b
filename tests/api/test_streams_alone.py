"""Streams and replays of a service in process: tests that set its clock, its limit of streams, or its cards."""

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from functools import partial
from itertools import islice
from typing import Any

import pytest
from structlog.testing import capture_logs
from werkzeug.test import TestResponse

from domain.commands import Act, Draw
from domain.events import ENDS, EVENT_TABLE, OF_PEOPLE, type_of
from service.api import live as streams
from service.gamelog.erasing import delete_game
from service.gamelog.live import watch
from service.gamelog.store.generations import rotate_token
from service.signing.deployment import Deployment
from tests.api.test_new_games import refuses
from tests.api.worlds import SECRETS, World, as_seen, told, twins
from tests.support.play import play_until
from tests.support.samples import with_nightly
from tests.support.waiting import patience, wait_until

STREAM = {"Accept": "text/event-stream"}
BEAT = b":\n\n"
SHOWN = re.compile(rb'(?<=event: BusinessmakerLaid\ndata: ).*"card":"\w+"')
# Players, seed, requests played, variants, the seat that looks (None: a spectator).
POSITIONS = [
    (2, "s1", 17, (), 0),
    (2, "s2", 110, ("staggered_start",), 1),
    (3, "s3", 60, ("expensive_specials",), None),
    (4, "s4", 120, ("expensive_specials", "staggered_start"), 3),
    (5, "s5", 95, (), 2),
    (2, "s60", 68, ("expensive_specials",), 1),
]


class Watched(World):
    """A world whose stream is read after each request, up to the game's version."""

    def __init__(self, watcher: int | None, deployment: Deployment) -> None:
        super().__init__(deployment)
        self.watcher = watcher
        self.opened = ExitStack()
        self.seen = b""
        self._pieces: Iterator[bytes] = iter(())

    def act(self, seat: int, body: dict[str, Any], number: int) -> TestResponse:
        if not self.seen:
            self.listen(after=2)
        answer = super().act(seat, body, number)
        self.read_up_to(self.game.version)
        return answer

    def listen(self, after: int) -> TestResponse:
        answer = self.ask("GET", f"{self.path}/events", self.watcher, headers=STREAM, query_string={"after": after})
        self.opened.enter_context(closing(answer))
        self._pieces = answer.iter_encoded()
        return answer

    def read_up_to(self, version: int) -> None:
        mark = b"id: %d\n" % version
        self.seen += next(self._pieces) if not self.seen else b""
        while mark not in self.seen:
            self.seen += next(self._pieces).replace(BEAT, b"")


@pytest.fixture
def world() -> World:
    return told(2, "begun", 1)


def masked(body: bytes) -> bytes:
    return SECRETS.sub(b"", body)


@pytest.mark.parametrize(
    "position",
    with_nightly([(position,) for position in POSITIONS], 2),
    ids=lambda position: f"{position[0]}{position[1]}{position[2]}",
)
def test_two_worlds_stream_and_replay_the_same(position: Any) -> None:
    """Stream and replay, live and from any version, are the same for the seat that may not see the difference."""
    players, seed, commands, variants, seat = position
    *worlds, game, _ = twins(
        seat, players, seed, commands, variants, make=partial(Watched, seat), starting_seat=1, talk=0.05
    )
    with worlds[0].opened, worlds[1].opened:
        for world in worlds:
            world.read_up_to(game.version)
        # A businessmaker that was shown in its time may be hidden again, and so another card in the other world.
        assert len({SHOWN.sub(b"", masked(world.seen)) for world in worlds}) == 1
        assert worlds[0].seen.count(b"\nid: ") == game.version - 2
        for after in (0, 5, game.version // 2, game.version - 1):
            streams_seen = []
            for world in worlds:
                world.seen = b""
                world.listen(after)
                world.read_up_to(game.version)
                streams_seen.append(masked(world.seen))
            assert streams_seen[0] == streams_seen[1]
            replays = [world.ask("GET", f"{world.path}/replay?after={after}", seat) for world in worlds]
            assert as_seen(replays[0]) == as_seen(replays[1])
            assert replays[0].status_code == 200


def test_the_worlds_hold_every_event_but_the_last() -> None:
    """Every event type that can occur before the end is in the positions above."""
    found: set[str] = set()
    for players, seed, commands, variants, _ in POSITIONS:
        game, events = play_until(players, seed, commands, variants, starting_seat=1, talk=0.05)
        assert not game.over
        found |= {type_of(event) for event in events}
    # A position is set in forks alone: those are compared where they are made. What people do is open to all.
    assert found >= {name for name, entry in EVENT_TABLE.items() if not entry.public} - {"PositionSet"}
    assert found == EVENT_TABLE.keys() - ENDS - OF_PEOPLE - {"PositionSet"}


def test_a_pause_has_heartbeats(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A comment comes in every pause, at least every 15 seconds."""
    assert streams.HEARTBEAT_SECONDS < 15
    monkeypatch.setattr(streams, "HEARTBEAT_SECONDS", 0.01)
    with closing(listen(world, after=world.game.version)) as answer:
        pieces = answer.iter_encoded()
        assert [next(pieces) for _ in range(4)] == [BEAT] * 4
        assert world.act(0, {"type": "take", "slot": 0}, 1).status_code == 201
        assert next(piece for piece in pieces if piece != BEAT).startswith(b"id: 6\nevent: CardTaken\ndata: {")


def test_streams_above_the_limit_are_refused(world: World) -> None:
    """Over the limit, which includes polls, 503 with Retry-After; a stream that ends, read or not, frees its place."""
    places = world.web.places
    places._most_waiting = 1
    for read in (True, False):
        with closing(listen(world)) as answer:
            assert answer.status_code == 200
            if read:
                assert next(answer.iter_encoded()) == BEAT
            refuses(listen(world), 503, "too-many-waiting")
            tag = {"If-None-Match": f'"{world.game.version}"'}
            assert world.ask("GET", world.path, headers=tag, query_string={"wait": 1}).status_code == 503
            assert world.ask("HEAD", f"{world.path}/events", headers=STREAM).status_code == 200
            assert world.act(0, {"type": "take", "slot": 0}, 10 + read).status_code == 201
    assert places._waiting == 0


def test_a_stop_ends_streams_at_once(world: World) -> None:
    with closing(listen(world)) as answer:
        pieces = answer.iter_encoded()
        assert b"id: 5\n" in next(pieces) + next(pieces)
        world.hub.close()
        assert list(pieces) == []


def test_a_businessmaker_is_streamed_only_while_visible(world: World) -> None:
    """The live stream shows it; a later read of the same event, after its owner's next turn began, doesn't."""
    hand = world.game.seats[0].hand
    card = next(one for one in hand if one not in ("multitalent", "risk"))
    with closing(listen(world)) as live, closing(listen(world)) as late:
        pieces = live.iter_encoded()
        while b"id: 5\n" not in next(pieces):
            pass
        assert world.act(0, {"type": "lay_businessmaker", "card": card}, 1).status_code == 201
        assert f'"card":"{card}"'.encode() in next(pieces)
        for number, (seat, action) in enumerate([(0, "draw"), (1, "draw"), (1, "take")], 2):
            body = {"type": action} | ({"slot": 0} if action == "take" else {})
            assert world.act(seat, body, number).status_code == 201
        assert world.game.turn == 3
        while b"id: %d\n" % world.game.version not in next(pieces):
            pass
        streamed = b"".join(next(late.iter_encoded()) for _ in range(3))
        assert b"event: BusinessmakerLaid" in streamed
        assert b'"row":0,"card":null' in streamed


def test_a_slow_client_is_served_from_the_store(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """A client slower than the hub's buffer delays no other client and misses no event."""
    monkeypatch.setattr(watch, "KEPT", 2)
    with closing(listen(world)) as quick, closing(listen(world)) as slow:
        early, late = quick.iter_encoded(), slow.iter_encoded()
        for pieces in (early, late):
            assert next(pieces) == BEAT
            assert b"\nid: 5\n" in next(pieces)
        for number, action in enumerate(["draw", "take", "draw", "take"]):
            body = {"type": action} | ({"slot": 0} if action == "take" else {})
            assert world.act(number // 2, body, number).status_code == 201
            while b"id: %d\n" % world.game.version not in next(early):
                pass
        missed = next(late)
        assert re.findall(rb"^id: (\d+)$", missed, re.MULTILINE) == [
            b"%d" % one for one in range(6, world.game.version + 1)
        ]


def listen(world: World, after: int = 0, seat: int | None = None) -> TestResponse:
    return world.ask("GET", f"{world.path}/events", seat, headers=STREAM, query_string={"after": after})


def test_no_card_of_the_next_person_reaches_the_former_one(world: World) -> None:
    """A stream in a process that has not heard of the hand-over yet: it ends before the first card is sent."""
    with closing(listen(world, after=5, seat=0)) as answer:
        pieces = answer.iter_encoded()
        assert next(pieces) == BEAT
        rotate_token(world.log.store, world.game.id, 0)
        world.log.handle(world.game.id, Act(seat=0, actions=(Draw(),)))
        assert b"CardDrawn" not in b"".join(islice(pieces, 2))


def rotate_and_draw(world: World) -> None:
    rotate_token(world.log.store, world.game.id, 0)
    world.log.handle(world.game.id, Act(seat=0, actions=(Draw(),)))


def delete(world: World) -> None:
    delete_game(world.log.store, world.game.id)
    world.hub.compare_watched()  # as every ten seconds


@pytest.mark.parametrize(("change", "status"), [(rotate_and_draw, 401), (delete, 404)])
def test_a_poll_shows_no_next_person_and_no_deleted_game(
    world: World, change: Callable[[World], None], status: int
) -> None:
    """Neither is a fault, for the log."""
    tag, answers = {"If-None-Match": f'"{world.game.version}"'}, []

    def poll() -> None:
        answers.append(world.ask("GET", world.path, 0, headers=tag, query_string={"wait": 30}))

    poller = threading.Thread(target=poll)
    poller.start()
    wait_until(lambda: any(game._changed._waiters for game in world.hub._watched.values()))  # type: ignore[attr-defined]
    with capture_logs() as lines:
        change(world)
        poller.join(patience(30))
    assert [answer.status_code for answer in answers] == [status]
    assert [line for line in lines if line["log_level"] == "error"] == []
