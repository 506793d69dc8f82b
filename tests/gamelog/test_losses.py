"""A store that has lost its past: every process notices, each lost event is counted once, and the log is right."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from math import inf
from random import Random
from threading import Event
from typing import Any

import pytest
import redis

from domain.commands import PostMessage
from service.connections.clients import Client
from service.gamelog.cache import EMPTY
from service.gamelog.entry import CHECKED, Trace
from service.gamelog.errors import NoSuchGame, PastLost, StoreUnavailable
from service.gamelog.losses import review as review_module
from service.gamelog.losses.ledger import LossLedger, read_game_losses, read_losses
from service.gamelog.losses.loss import Loss, find_loss
from service.gamelog.losses.review import Review
from tests.gamelog.copies import OlderCopy
from tests.gamelog.ledger import Ack, ack_of, any_act, check_log, key_of, new_game, open_games
from tests.support.stores import EVERY_STORE
from tests.support.waiting import patience

STORES = EVERY_STORE
NAME = "g"


class Process:
    """A log with a ledger, as a process of a deployment has them."""

    def __init__(self, client: Client) -> None:
        self.games = open_games(client)
        self.losses: list[Loss] = []
        self.counted: list[int] = []
        self.ledger = LossLedger(self.games.store, self.counted.append)
        self.games.on_loss += [self.losses.append, self.ledger.note]

    def act(self, times: int = 1) -> list[Ack]:
        """Accepted requests, of a client that has read the game."""
        chance = Random(times)
        return [ack_of(self.games.handle(NAME, any_act(self.games.load(NAME).game, chance))) for _ in range(times)]


def events_in(acks: list[Ack]) -> int:
    """The number of events that were acknowledged."""
    return sum(ack.last - ack.first + 1 for ack in acks)


@pytest.fixture
def processes(real_client: Client) -> list[Process]:
    """Three processes and a game."""
    found = [Process(real_client) for _ in range(3)]
    found[0].games.create(new_game(NAME))
    found[0].act(3)
    return found


def test_each_lost_event_is_counted_once(real_client: Client, processes: list[Process]) -> None:
    """Two processes remember parts of it; whichever looks first, the sum is what was acknowledged."""
    one, other, _ = processes
    copy = OlderCopy(real_client)
    kept = one.games.load(NAME)
    lost = one.act(2) + other.act(3) + one.act(1)
    other.games.load(NAME)
    copy.restore()
    assert one.games.load(NAME) == kept
    assert other.games.load(NAME) == kept
    for process in (one, other):
        process.ledger.record()
    assert sum(one.counted + other.counted) == events_in(lost)
    assert one.losses[0].remembered == lost[-1].last
    assert one.losses[0].present == one.losses[0].kept == kept.game.version
    assert sum(loss.events for loss in read_losses(one.games.store)) == events_in(lost)
    one.games.load(NAME)
    assert len(one.losses) == 1, "it is noticed once"


def test_a_log_that_went_another_way_is_noticed(real_client: Client, processes: list[Process]) -> None:
    """One entry is lost, another one has its place; a process that remembers it neither serves it nor builds on it."""
    one, other, _ = processes
    copy = OlderCopy(real_client)
    lost = one.act(1)
    copy.restore()
    new = other.act(4)
    assert other.losses == [], "it never knew what was lost"
    acks = one.act(1)
    one.ledger.record()
    assert sum(one.counted) == events_in(lost)
    assert one.losses[0].kept == lost[0].first - 1
    check_log(one.games.store, NAME, [*new, *acks])


def test_a_second_loss_is_counted_for_itself(real_client: Client, processes: list[Process]) -> None:
    """Also of the same versions."""
    one, *_ = processes
    copy = OlderCopy(real_client)
    lost = 0
    for number in range(3):
        lost += events_in(one.act(1 + number))
        ledger = dict(real_client.hgetall(one.games.store.stream(NAME).replace("game:g", "lost")))
        copy.restore()
        for name, value in ledger.items():  # the record itself is in the copy of a replica that was behind
            real_client.hset(one.games.store.stream(NAME).replace("game:g", "lost"), name, value)
        one.games.load(NAME)
        one.ledger.record()
    assert sum(one.counted) == lost


def test_a_game_that_is_gone_is_lost(real_client: Client, processes: list[Process]) -> None:
    """All of it; but not one that may have been deleted, or that nobody remembers."""
    one, _, cold = processes
    real_client.flushdb()
    for process in (one, cold):
        with pytest.raises(NoSuchGame):
            process.games.load(NAME)
    assert (one.losses[0].present, one.losses[0].kept) == (0, 0)
    assert cold.losses == []


WAYS = ("events", "past", "past alone", "history", "since", "message", "message with a key", "condition")


@pytest.mark.parametrize("how", WAYS)
def test_every_way_to_read_notices(how: str, real_client: Client, processes: list[Process]) -> None:
    """What is served is the log, and the loss is told."""
    one, *_ = processes
    copy = OlderCopy(real_client)
    one.act(2)
    one.games.load_past(NAME, 0)
    remembered = one.games.load_cached(NAME)
    copy.restore()
    match how:
        case "events":
            one.games.load_events(NAME, 0)
        case "past":
            one.games.load_past(NAME, 0)
        case "past alone":  # which is kept for longer than the game
            one.games._cache.forget(NAME)
            one.games.load_past(NAME, 0)
        case "history":
            one.games.load_history(NAME)
        case "since":
            with pytest.raises(PastLost):
                one.games.load_since(remembered)
        case "message":
            one.games.handle(NAME, PostMessage(seat=0, text="Hello?"))
        case "message with a key":
            one.games.handle(NAME, PostMessage(seat=0, text="Hello?"), key=key_of("new"))
        case "condition":  # that doesn't hold for what is lost, but for what is there
            kept = processes[1].games.load(NAME).game.version
            one.games.handle(NAME, PostMessage(seat=0, text="Hello?"), matches=lambda version: version == kept)
    assert len(one.losses) == 1
    assert one.losses[0].remembered == remembered.game.version
    check_log(one.games.store, NAME)


@pytest.mark.parametrize("how", ["events", "past", "history", "append"])
@pytest.mark.parametrize("new", [1, 3, 9])
def test_a_state_of_before_the_loss_hides_it_not(
    new: int, how: str, real_client: Client, processes: list[Process]
) -> None:
    """A thread that is behind its process reads on from there, where the log has gone on another way meanwhile."""
    one, other, _ = processes
    one.games.load_past(NAME, 0)
    behind = one.games.load(NAME)
    copy = OlderCopy(real_client)
    lost = one.act(3)
    copy.restore()
    acks = other.act(new)
    match how:
        case "events":
            one.games.load_since(behind)
        case "past":
            one.games.load_past(NAME, 0)
        case "history":
            one.games._read_past(NAME, [EMPTY, behind], 0, None)
        case "append":
            done = one.games._race(behind, PostMessage(seat=0, text="Hello?"), None, None, inf)
            acks.append(ack_of(done))
    one.games.load(NAME)
    one.ledger.record()
    assert sum(one.counted) == events_in(lost)
    check_log(one.games.store, NAME, acks)


def test_a_read_that_is_late_hides_no_loss(real_client: Client, processes: list[Process]) -> None:
    """It was answered before the store lost what it holds, and reaches the cache when that follows the store again."""
    one, other, _ = processes
    behind = one.games.load(NAME)
    copy = OlderCopy(real_client)
    lost = other.act(2)
    late = one.games.store.read(NAME, behind.game.version)
    copy.restore()
    one.act(4)
    one.games._catch_up(NAME, behind, late)
    one.games.load(NAME)
    one.ledger.record()
    assert sum(one.counted) == events_in(lost)


@pytest.mark.parametrize("seed", range(16, 24))
def test_whichever_thread_reads_first_every_loss_is_told(  # noqa: C901 - a case for each way to read
    seed: int, real_client: Client, processes: list[Process]
) -> None:
    """Threads of a process are behind it, or their reads are late, before and after the store has lost its past."""
    chance, copy, lost = Random(seed), OlderCopy(real_client), 0
    *readers, player = processes
    states = {process: [process.games.load(NAME)] for process in readers}
    late = []
    for step in range(40):
        if step == 12:
            copy.restore()
        process = chance.choice(readers)
        state = chance.choice(states[process])
        match chance.choice(("act", "act", "load", "since", "past", "read", "late")):
            case "act" if step < 12:
                lost += events_in(process.act())
            case "act":
                player.act()
            case "load" if step < 12:
                states[process].append(process.games.load(NAME))
            case "since":
                with suppress(PastLost):
                    process.games.load_since(state)
            case "past":
                process.games.load_past(NAME, chance.randrange(4))
            case "read":
                late.append((process, state, process.games.store.read(NAME, state.game.version)))
            case "late" if late:
                reader, start, reading = late.pop(chance.randrange(len(late)))
                reader.games._catch_up(NAME, start, reading)
    for process in processes:
        process.games.compare_all()
        process.ledger.record()
    assert sum(sum(process.counted) for process in processes) == lost
    check_log(processes[0].games.store, NAME)


def test_entries_that_are_read_again_take_no_place(processes: list[Process]) -> None:
    """As by a stream of this process, which follows what its requests append."""
    one, *_ = processes
    first = one.games.load(NAME)
    one.act(4)
    known = dict(one.games._cache._traces)
    assert one.games.load_since(first)[0] == one.games.load(NAME)
    assert one.games._cache._traces == known


def test_the_head_counts_without_a_trace(processes: list[Process]) -> None:
    """As one that was read from an archive: it is known by its hash."""
    history = processes[0].games.load_history(NAME)
    version = history.head.game.version
    assert find_loss(history.head, b"", history.events) is None
    for changed in (history.events[:-1], [*history.events[:-1], history.events[-1] | {"hash": bytes(32).hex()}]):
        loss = find_loss(history.head, b"", changed)
        assert loss
        assert [(entry.version, entry.events) for entry in loss.entries] == [(version, 1)]


def test_a_head_without_a_trace_hides_no_event_of_its_entry(processes: list[Process]) -> None:
    """As when another thread of the process has just forgotten the game: what remembers the entry adds the others."""
    one, other, late = processes
    head, entry = (Loss(NAME, 4, 2, 2, [Trace(4, events, bytes(CHECKED))]) for events in (1, 3))
    for process, loss in ((one, head), (other, entry), (late, head), (late, entry)):
        process.ledger.note(loss)
        process.ledger.record()
    assert (one.counted, other.counted, late.counted) == ([1], [2], [])
    assert [(loss.version, loss.events) for loss in read_losses(one.games.store)] == [(4, 3)]


def test_a_report_that_is_sent_again_counts(processes: list[Process]) -> None:
    """Its first answer was lost, and so not counted; another process's report of the same entry doesn't count."""
    one, other, _ = processes
    loss = Loss(NAME, 4, 2, 2, [Trace(4, 2, bytes(CHECKED))])
    one.ledger._send(loss, "00000001")
    one.ledger._uncounted = 0  # the answer was lost
    one.ledger._send(loss, "00000001")
    other.ledger._send(loss, "00000002")
    assert (one.ledger._uncounted, other.ledger._uncounted) == (2, 0)


def test_what_a_game_has_lost_is_found_among_others(real_client: Client, processes: list[Process]) -> None:
    """In the order of the events, the last ones of many; games whose ids begin alike are others."""
    one, *_ = processes
    store = one.games.store
    names = [name for name in (f"{NAME}{number}" for number in range(500)) if store.shard(name) == store.shard(NAME)]
    for game in (NAME, names[0]):
        entries = [Trace(version, 2, version.to_bytes(CHECKED)) for version in range(2, 242, 2)]
        one.ledger.note(Loss(game, 240, 0, 0, entries))
    one.ledger.record()
    found = read_game_losses(store, NAME)
    assert [(loss.game, loss.version, loss.events) for loss in found] == [(NAME, at, 2) for at in range(42, 242, 2)]
    assert read_game_losses(store, names[1]) == []


@pytest.mark.parametrize(("name", "value"), [(b"no entry", b"2:0:00"), (b"%s/4/00", b"two:0:00"), (b"\xff/4/00", b"")])
def test_a_damaged_record_hides_no_other(
    real_client: Client, processes: list[Process], name: bytes, value: bytes
) -> None:
    """The game's audit, and `doctor`, go on with the others."""
    one, *_ = processes
    one.ledger.note(Loss(NAME, 4, 2, 2, [Trace(4, 2, bytes(CHECKED))]))
    one.ledger.record()
    real_client.hset(f"{one.games.store.tag(NAME)}:lost", name.replace(b"%s", NAME.encode()), value)
    assert [loss.version for loss in read_game_losses(one.games.store, NAME)] == [4]
    assert [loss.version for loss in read_losses(one.games.store)] == [4]


def test_a_game_that_goes_on_has_lost_nothing(processes: list[Process]) -> None:
    """However far a process is behind, and whatever its last entries are."""
    one, other, _ = processes
    for number in range(40):
        (one, other)[number % 3 == 0].games.handle(NAME, PostMessage(seat=0, text="Hello?"))
    for process in processes:
        process.games.load(NAME)
        process.games.compare_all()
        assert process.losses == []


def test_a_review_finds_the_loss_of_games_that_nobody_touches(real_client: Client, processes: list[Process]) -> None:
    """When the store's history changes, and not before: a change that fails is looked at again."""
    one, *_ = processes
    looks: list[str] = []

    def compare() -> None:
        looks.append("")
        if len(looks) == 1:
            raise StoreUnavailable
        one.games.compare_all()

    review = Review(real_client, compare)
    review.ask()
    copy = OlderCopy(real_client)
    lost = one.act(2)
    copy.restore()
    review.ask()
    assert looks == []
    real_client.replicaof("127.0.0.1", "1")  # as a failover does
    real_client.replicaof("NO", "ONE")
    with pytest.raises(StoreUnavailable):
        review.ask()
    review.ask()
    review.ask()
    one.ledger.record()
    assert len(looks) == 2
    assert sum(one.counted) == events_in(lost)


def test_a_review_follows_a_lost_connection(monkeypatch: pytest.MonkeyPatch) -> None:
    """Also where the replication id is the same as before, as an older copy of a server may have it."""
    answers: list[Exception | list[dict[str, str]]] = []

    def answer(*_: object) -> list[dict[str, str]]:
        now = answers.pop(0)
        if isinstance(now, Exception):
            raise now
        return now

    monkeypatch.setattr(review_module, "server_states", answer)
    looks: list[str] = []
    review = Review(None, lambda: looks.append(""))
    same = [{"master_replid": "a"}]
    answers += [same, same, redis.ConnectionError(), same, same]
    for expected in (0, 0, 0, 1, 1):
        with suppress(redis.ConnectionError):
            review.ask()
        assert len(looks) == expected


def test_a_loss_waits_for_a_store_that_can_be_written(real_client: Client, processes: list[Process]) -> None:
    """It isn't forgotten, and its game is served meanwhile."""
    one, *_ = processes
    copy = OlderCopy(real_client)
    lost = one.act(2)
    copy.restore()
    real_client.replicaof("127.0.0.1", "1")
    real_client.config_set("replica-read-only", "yes")
    try:
        one.games.load(NAME)
        with pytest.raises(redis.ReadOnlyError):
            one.ledger.record()
    finally:
        real_client.replicaof("NO", "ONE")
    assert one.counted == []
    one.ledger.record()
    one.ledger.record()
    assert one.counted == [events_in(lost)]


def test_requests_do_not_wait_for_the_record_of_a_loss(
    processes: list[Process], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A store without its replicas takes seconds for each: what is noted meanwhile follows, and nothing is dropped."""
    one, *_ = processes
    recording, missing = Event(), Event()
    run = one.games.store.run

    def run_late(*words: Any) -> list[Any]:
        recording.set()
        assert missing.wait(patience(10))
        return run(*words)

    monkeypatch.setattr(one.games.store, "run", run_late)
    first, second = (Loss(NAME, version, 2, 2, [Trace(version, 2, bytes(CHECKED))]) for version in (4, 6))
    one.ledger.note(first)
    with ThreadPoolExecutor(2) as pool:
        try:
            recorded = pool.submit(one.ledger.record)
            assert recording.wait(patience(10))
            pool.submit(one.ledger.note, second).result(patience(2))
            assert one.counted == []
        finally:
            missing.set()
        recorded.result()
    assert one.counted == [4]
    assert [loss.version for loss in read_losses(one.games.store)] == [4, 6]
