"""Unused games are deleted, abandoned ones archived; what happens at the same moment wins, or finds no game."""

from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from domain.commands import Act, Command, CompleteScoring, CreateGame, Draw, JoinGame, PostMessage, SeatPlan
from domain.forks.position import fork_of_running
from domain.refusals import Refused
from service.connections.clients import Client
from service.gamelog.archive.expiry import GAP, Expiry, expire
from service.gamelog.archive.retention import Retention
from service.gamelog.copies.forks import Fork, copy_game, end_of_copy
from service.gamelog.copies.transfer import import_entries
from service.gamelog.integrity import check_integrity
from service.gamelog.log import GAPS, GameLog
from service.gamelog.store.errors import GameExists, NoSuchGame
from service.gamelog.store.form.places import Folder
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, check_log, finish, finished, key_of, new_game, play
from tests.support.waiting import patience
from tests.support.world import BEGIN, new_log

DAY = 24 * 3600 * 1000
RETENTION = Retention(finished_ms=7 * DAY, abandoned_ms=180 * DAY, unused_ms=30 * DAY)
OPEN = [SeatPlan(name="Anna"), SeatPlan()]
PEOPLE = (SeatPlan(name="Carla"), SeatPlan(name="Dora"))
WITH_BOT = (SeatPlan(bot="greedy"), SeatPlan(name="Dora"))


class Deployment:
    """A log on a clock that the test moves, and its archiver."""

    def __init__(self, client: Client, folder: Path) -> None:
        """`folder`: of the archives that are files."""
        self.now = BEGIN
        self.warned: list[tuple[str, float]] = []
        self.client = client
        self.store = Store(client, SHARDS, patience(3), files=Folder(folder))
        self.games = self.process()

    def process(self, between: Callable[[str], None] = lambda _gap: None) -> GameLog:
        return new_log(self.store, retention=RETENTION, clock=lambda: self.now, between=between)

    def expire(self, game: str, between: Callable[[], object] = lambda: None, kind: str = "files") -> Expiry:
        def call(gap: str) -> None:
            assert gap == GAP
            between()

        told = self.warned.append
        common = RETENTION, kind, self.now, call
        return expire(self.store, game, *common, lambda head, at: told((head.id, (at - BEGIN) / DAY)))

    def look_at(self, game: str) -> float | None:
        """Days from the beginning to the archiver's next look at the game."""
        score = self.client.zscore(self.store.keys(game).quiet, game)
        return None if score is None else float(score - BEGIN) / DAY

    def names(self) -> set[str]:
        """Of all keys but the marks of deleted games, which go after a day."""
        keys = self.client.keys("*")
        return {key.decode() for key in keys if b":keys:" not in key or not 0 < self.client.ttl(key) <= 86400}

    def copy(self, parent: str, name: str, seats: tuple[SeatPlan, ...], version: int = 20) -> None:
        history = finished(parent)
        until = end_of_copy(history.events, version)
        fork = Fork(game=name, parent=parent, version=version, until=until, seats=seats, listed=False)
        self.games.open_copy(copy_game(history.entries, fork), seats, key_of(name))

    def continue_running(self, parent: str, name: str, seats: tuple[SeatPlan, ...]) -> None:
        plan = CreateGame(game=name, server_seed=bytes(32), seats=seats)
        self.games.create(fork_of_running(self.games.load(parent).game, 0, plan))


@pytest.fixture
def here(real_client: Client, tmp_path: Path) -> Deployment:
    return Deployment(real_client, tmp_path / "archive")


def test_an_open_game_that_nobody_joins_is_deleted(here: Deployment) -> None:
    """After 30 days with all of its keys, not before, and not where a join put it off."""
    here.games.create(new_game("alone", OPEN))
    here.games.create(new_game("joined", [*OPEN, SeatPlan()]))
    assert here.look_at("alone") == 23
    here.now += 20 * DAY
    here.games.handle("joined", JoinGame(name="Bert"))
    here.now = BEGIN + 23 * DAY - 1
    assert (here.expire("alone"), here.warned, here.look_at("alone")) == (Expiry.KEPT, [], 23)
    here.now += 1
    assert (here.expire("alone"), here.warned, here.look_at("alone")) == (Expiry.KEPT, [("alone", 30)], 30)
    here.now = BEGIN + 30 * DAY
    assert [here.expire(name) for name in ("alone", "joined")] == [Expiry.DELETED, Expiry.KEPT]
    assert (here.look_at("alone"), here.look_at("joined")) == (None, 43)
    assert here.store.ids() == ["joined"]
    assert not any("alone" in key for key in here.names())
    with pytest.raises(NoSuchGame):
        here.process().load("alone")
    assert here.expire("alone") is Expiry.KEPT
    here.now = BEGIN + 50 * DAY
    assert here.expire("joined") is Expiry.DELETED
    assert here.names() == set()


@pytest.mark.parametrize("fork", ["copy", "position"])
def test_a_fork_is_used_when_a_person_has_acted(here: Deployment, fork: str) -> None:
    """A bot's turn and what the copy brings along don't count; a person's action and message do."""
    if fork == "position":
        here.games.create(new_game("parent"))
    else:
        here.now += 400 * DAY  # the times of the copied events lie far back
    names = ("idle", "bots", "acted", "spoken")
    for name in names:
        if fork == "copy":
            here.copy("parent", name, WITH_BOT[::-1] if name == "bots" else PEOPLE)
        else:
            here.continue_running("parent", name, WITH_BOT if name == "bots" else PEOPLE)
    begun = here.now
    while (now := here.games.load("bots").game).seats[now.turn_seat].bot:
        play(here.games, "bots", Random(1), lambda game, version=now.version: game.version > version)
    seat = here.games.load("acted").game.turn_seat
    play(here.games, "acted", Random(seat), lambda game: game.version > here.process().load("idle").game.version)
    here.games.handle("spoken", PostMessage(seat=1, text="Interesting!"))
    assert here.games.load("bots").game.version > here.games.load("idle").game.version
    assert {here.look_at(name) for name in names} == {(begun - BEGIN) / DAY + 23}
    here.now += 30 * DAY
    done = {name: here.expire(name) for name in names}
    assert done == {"idle": "deleted", "bots": "deleted", "acted": "kept", "spoken": "kept"}
    assert here.look_at("acted") == (begun - BEGIN) / DAY + 180


def test_a_game_that_waits_for_a_worker_is_not_deleted(here: Deployment) -> None:
    here.games.create(new_game("parent"))
    here.continue_running("parent", "fork", WITH_BOT)
    here.now += 31 * DAY
    assert here.games.load("fork").game.turn_seat == 0
    assert here.expire("fork") is not Expiry.DELETED
    assert here.games.load("fork")


def test_an_abandoned_game_is_archived_and_played_on(here: Deployment, tmp_path: Path) -> None:
    """In the store, because its archive holds hidden cards; readers find the same, and so does the end of the game."""
    for name in ("asleep", "asleep again"):
        here.games.create(new_game(name), key_of("created", {}))
        play(here.games, name, Random(5), lambda game: game.version > 60)
    before = here.store.read("asleep").entries
    here.now += 30 * DAY
    assert here.expire("asleep") is Expiry.KEPT
    assert here.look_at("asleep") == 180
    here.now = BEGIN + 180 * DAY
    assert [here.expire(name) for name in ("asleep", "asleep again")] == [Expiry.ARCHIVED] * 2
    assert not here.client.exists(here.store.stream("asleep"))
    assert not (tmp_path / "archive").exists()
    assert [entry[:4] for entry in here.store.read("asleep").entries] == [entry[:4] for entry in before]
    assert here.look_at("asleep") == 360
    cold = here.process()
    assert cold.load("asleep").game == here.games.load("asleep").game
    assert cold.create(new_game("asleep"), key_of("created", {})).repeated
    play(cold, "asleep again", Random(6), lambda game: game.version > 80)
    here.now = BEGIN + 360 * DAY
    assert [here.expire(name) for name in ("asleep", "asleep again")] == [Expiry.KEPT, Expiry.ARCHIVED]
    assert here.look_at("asleep") == here.look_at("asleep again") == 540
    check_log(here.store, "asleep again")
    finish(cold, "asleep")
    assert check_log(here.store, "asleep").over
    assert check_integrity(here.store, "asleep").offence is None
    assert here.look_at("asleep") == 367
    here.now += 7 * DAY
    assert here.expire("asleep") is Expiry.ARCHIVED
    assert len([*(tmp_path / "archive").glob("asleep-*")]) == 1
    assert not here.client.exists(here.store.keys("asleep").archive)
    assert here.look_at("asleep") is None
    assert check_log(here.store, "asleep").over


# At the same moment

RIVALS: dict[str, Command] = {"join": JoinGame(name="Bert"), "message": PostMessage(seat=0, text="Is anybody there?")}


@pytest.mark.parametrize("rival", RIVALS)
def test_a_request_before_the_deletion_wins(here: Deployment, rival: str) -> None:
    """Between the archiver's read and its script."""
    here.games.create(new_game("contested", OPEN))
    here.now += 30 * DAY
    assert here.expire("contested", lambda: here.games.handle("contested", RIVALS[rival])) is Expiry.KEPT
    check_log(here.store, "contested")
    assert here.process().load("contested").game == here.games.load("contested").game
    assert here.look_at("contested") is not None


@pytest.mark.parametrize("rival", RIVALS)
def test_a_request_after_the_deletion_finds_no_game(here: Deployment, rival: str) -> None:
    """Between its decision and its append; nothing is written then, with or without a key."""
    here.games.create(new_game("contested", OPEN))
    here.now += 30 * DAY

    def delete(gap: str) -> None:
        if gap == GAPS[0]:
            here.expire("contested")

    late = here.process(delete)
    late.load("contested")
    for key in (None, key_of("late")):
        with pytest.raises(NoSuchGame):
            late.handle("contested", RIVALS[rival], key=key)
    assert here.names() == set()


def test_a_process_that_knows_a_deleted_game_forgets_it(here: Deployment) -> None:
    """Also a request that it would refuse by what it remembers."""
    here.games.create(new_game("known", OPEN))
    here.now += 30 * DAY
    assert here.expire("known") is Expiry.DELETED
    with pytest.raises(NoSuchGame):
        here.games.handle("known", Act(seat=0, actions=(Draw(),)))
    here.games.create(new_game("known again", OPEN))
    behind, known = here.process(), here.process()
    for process in (behind, known):
        process.load("known again")
    here.now += 30 * DAY
    assert here.expire("known again") is Expiry.DELETED
    with pytest.raises(NoSuchGame):
        behind.load("known again")
    with pytest.raises(NoSuchGame):
        known.handle("known again", CompleteScoring(round=1))


def test_an_import_and_the_deletion(here: Deployment) -> None:
    """The same game again, from its file: refused while it is there; imported when it is gone, for another 30 days."""
    here.games.create(new_game("moved", OPEN))
    events = here.games.load_history("moved").events
    here.now += 30 * DAY

    def refused() -> None:
        with pytest.raises(GameExists):
            here.games.import_game(import_entries(events))

    assert here.expire("moved", refused) is Expiry.DELETED
    here.games.import_game(import_entries(events))
    assert here.look_at("moved") == 53
    check_log(here.store, "moved")


def test_a_fork_outlives_its_parent(here: Deployment) -> None:
    """A fork that is made while its parent is deleted is whole: it holds all that it needs."""
    here.games.create(new_game("first"))
    here.continue_running("first", "second", PEOPLE)
    here.now += 30 * DAY
    assert here.expire("second", lambda: here.continue_running("second", "third", PEOPLE)) is Expiry.DELETED
    assert here.store.ids() == ["first", "third"]
    play(here.games, "third", Random(2), lambda game: game.turn > 4)
    assert check_log(here.store, "third").parent == "second"


def test_a_key_never_opens_a_second_game(here: Deployment) -> None:
    """A repeat after the deletion finds no such game: an id that follows from the key isn't used again.

    Seat tokens and receipts of the deleted game would fit the new one. The mark is all that is left.
    """
    here.games.create(new_game("keyed", OPEN), key_of("opens", {}))
    for number in range(5):
        here.games.handle("keyed", PostMessage(seat=0, text="…"), key=key_of(f"message {number}"))
    here.copy("parent", "fork", PEOPLE)
    here.now += 31 * DAY
    assert [here.expire(name) for name in ("keyed", "fork")] == [Expiry.DELETED] * 2
    left = here.names()
    assert left == {here.store.keys(name).idempotency for name in ("keyed", "fork")}
    assert all(here.client.hgetall(key) == {b"deleted": b"1"} for key in left)
    for body in ({}, {"seats": []}):
        with pytest.raises(NoSuchGame):
            here.process().create(new_game("keyed", OPEN), key_of("opens", body))
    with pytest.raises(NoSuchGame):
        here.copy("parent", "fork", PEOPLE)
    with pytest.raises((NoSuchGame, Refused)):
        here.process().handle("keyed", JoinGame(name="Bert"))
    assert here.store.ids() == []
