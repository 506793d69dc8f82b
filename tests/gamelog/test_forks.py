"""A fork of a finished game is that game up to a version, at any version, and continues from there."""

from dataclasses import replace
from hashlib import sha256
from random import Random

import pytest

from domain.audit.checks import audit
from domain.clock.deadline import FREE_AFTER_MS, deadline
from domain.clock.pace import Pace
from domain.commands import (
    AcceptInvitation,
    Act,
    Action,
    CompleteScoring,
    CreateGame,
    Draw,
    EndVacation,
    GiveConsent,
    JoinGame,
    PostMessage,
    ReclaimSeat,
    Resign,
    ResumeGame,
    SeatPlan,
    Take,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.events import OF_PEOPLE
from domain.legality import legal_actions
from domain.projections.recap import recap
from domain.state import Game
from service.gamelog.archive.compaction import compact
from service.gamelog.copies.forks import Fork, copy_game
from service.gamelog.copies.parents import load_parent
from service.gamelog.copies.transfer import import_entries, lines_of
from service.gamelog.history import History, decode_events
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.integrity import check_integrity, served_views
from service.gamelog.log import GameLog
from service.gamelog.store.errors import KeyReused
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.streams import Store
from tests.domain import invariants
from tests.gamelog.ledger import check_log, new_game, open_games
from tests.oracle.oracle import OracleGame
from tests.oracle.play import rechain
from tests.support.samples import with_nightly
from tests.support.world import new_client

KINDS = [
    (2, ("expensive_specials",)),
    (3, ("staggered_start",)),
    (4, ()),
    (5, ("expensive_specials", "staggered_start")),
]
PARTS = [frozenset({0}), pytest.param(frozenset(range(1, 21)), marks=pytest.mark.nightly)]
"""Versions by their remainder of 21: those of every run, and those of once a day."""


def play_on(games: GameLog, game: str, chance: Random) -> Game:
    """To its end: lists of actions, of which the rules may take the first alone."""
    while not (now := games.load(game).game).over:
        if chance.random() < 0.1:
            games.handle(game, PostMessage(seat=chance.randrange(len(now.seats)), text="Well played!"))
        if now.scoring is not None:
            games.handle(game, CompleteScoring(round=now.scoring))
            continue
        first = chance.choice(list(legal_actions(now, now.turn_seat)))
        more: list[Action] = [Take(slot=chance.randrange(3)), Draw()]
        games.handle(game, Act(seat=now.turn_seat, actions=(first, *more[: chance.randrange(3)])))
    return now


def finished(games: GameLog, seats: int, variants: tuple[str, ...]) -> str:
    """A whole game, played in lists of actions; its last player joined late."""
    name = f"parent{seats}"
    games.create(
        CreateGame(
            game=name,
            server_seed=sha256(name.encode()).digest(),
            seats=(*[SeatPlan(name=f"player {seat}", entropy=f"share {seat}") for seat in range(1, seats)], SeatPlan()),
            variants=frozenset(variants),
            starting_seat=1,
        )
    )
    games.handle(name, JoinGame(name="late", entropy="late share"))
    play_on(games, name, Random(name))
    return name


def guests(seats: int) -> tuple[SeatPlan, ...]:
    """Other people, and bots in the first seat and in that of who joined late."""
    bot = SeatPlan(bot="random")
    return (bot, *[SeatPlan(name=f"guest {seat}") for seat in range(2, seats)], bot)


def fork_at(entries: list[Entry], seats: int, version: int, game: str = "fork") -> History:
    plans = guests(seats)
    return copy_game(
        entries, Fork(game=game, parent=f"parent{seats}", version=version, until=version, seats=plans, listed=False)
    )


def as_in_parent(game: Game, parent: Game) -> Game:
    """The fork's state with what is its own as in the parent."""
    same = replace(game, id=parent.id, parent=None, listed=parent.listed, copied_until=0, waits_in_copy=False)
    same.seats = [replace(seat, name=old.name, bot=old.bot) for seat, old in zip(game.seats, parent.seats, strict=True)]
    return same


@pytest.mark.parametrize("part", PARTS, ids=["every 21st", "all others"])
@pytest.mark.parametrize(("seats", "variants"), with_nightly(KINDS, 2))
def test_a_copy_at_every_version(seats: int, variants: tuple[str, ...], part: frozenset[int]) -> None:
    """Same state, events, times and requests as the parent; pending work continues as there; the audit passes."""
    games = open_games(new_client())
    parent = finished(games, seats, variants)
    entries = games.store.read(parent).entries
    whole = History.of_entries(entries)
    told = whole.events
    first = next(event["version"] for event in told if event["type"] == "TurnStarted")
    ends = {entry.version for entry in entries}
    for version in range(first, len(told)):
        if version % 21 not in part:
            continue
        new = fork_at(entries, seats, version)
        events = new.events
        last = len(events)
        assert version <= last <= min(end for end in ends if end >= version)
        if version in ends:
            assert last == version
        game = new.head.game
        assert game.version == last == new.entries[-1].version
        assert as_in_parent(game, whole.state_at(last).game) == whole.state_at(last).game
        assert game.open_information
        invariants.check(game)
        for event, old in zip(events[1 + seats :], told[1 + seats : last], strict=True):
            assert event | {"hash": ""} == old | {"hash": ""}
        assert [entry.elapsed for entry in new.entries] == [entry.elapsed for entry in entries[: len(new.entries)]]
        assert [entry.version for entry in new.entries[:-1]] == [
            entry.version for entry in entries[: len(new.entries) - 1]
        ]
        assert decode_events(new.entries) == events
        if version % 7 == 0 or last != version:
            assert audit(events, open_cards=True, served=served_views(new.head)).ok
            OracleGame(events, complete=game.over)


@pytest.mark.parametrize("part", [slice(2), pytest.param(slice(2, 5), marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize(("seats", "variants"), with_nightly(KINDS, 2))
def test_a_copy_is_played_on_in_the_store(
    games: GameLog, log_store: Store, seats: int, variants: tuple[str, ...], part: slice
) -> None:
    """The copy is imported, played to the end and passes every check; the parent is unchanged."""
    parent = finished(games, seats, variants)
    entries = games.store.read(parent).entries
    before = lines_of(decode_events(entries))
    for number, version in enumerate(Random(parent).sample(range(seats + 3, entries[-1].version), 5)[part]):
        name = f"fork{number}"
        outcome = games.import_game(fork_at(entries, seats, version, name))
        assert (outcome.repeated, outcome.loaded.game.id) == (False, name)
        assert play_on(games, name, Random(version)).over
        check_log(log_store, name)
        found = check_integrity(log_store, name)
        assert found.offence is None
        judged = audit(found.events, served=served_views(games.load(name)))
        assert {check.ok for check in judged.checks} == {True}
        assert "public before" in next(check.detail for check in judged.checks if check.name == "commitment")
        assert judged.needs_parent
        compared = audit(found.events, parent=load_parent(log_store, found.events))
        assert compared.ok
        assert "are those of the parent" in str(compared.comparison)
        OracleGame(found.events)
        assert lines_of(decode_events(import_entries(found.events).entries)) == lines_of(found.events)
    assert lines_of(decode_events(games.store.read(parent).entries)) == before


def test_an_archived_parent(games: GameLog, log_store: Store) -> None:
    parent = finished(games, 3, ())
    before = fork_at(games.store.read(parent).entries, 3, 70).events
    assert compact(log_store, parent, "store", 2**60)
    assert log_store.client.xlen(log_store.stream(parent)) == 0
    assert fork_at(games.store.read(parent).entries, 3, 70).events == before


def test_a_bot_with_entropy_plays_in_a_copy_alone(games: GameLog) -> None:
    """The same log without a parent is accused, at the seat of the bot."""
    entries = games.store.read(finished(games, 3, ())).entries
    events = fork_at(entries, 3, 60).events
    del events[0]["data"]["parent"], events[0]["data"]["from"]
    first = audit(rechain(events)).first_offence
    assert first is not None
    assert (first.name, first.version) == ("rules", 2)


def test_a_fork_of_a_fork(games: GameLog) -> None:
    parent = finished(games, 3, ())
    entries = games.store.read(parent).entries
    games.import_game(fork_at(entries, 3, 60, "fork"))
    play_on(games, "fork", Random(1))
    again = games.store.read("fork").entries
    plans = (*[SeatPlan(name="x")] * 3,)
    new = copy_game(again, Fork(game="again", parent="fork", version=70, until=70, seats=plans, listed=True))
    events = new.events
    assert (events[0]["data"]["parent"], events[0]["data"]["from"], events[0]["data"]["listed"]) == ("fork", 70, True)
    assert new.head.game.open_information
    assert audit(events, open_cards=True).ok


def test_a_key_opens_one_fork(games: GameLog) -> None:
    """A repeat gets the first answer; the same id with another body or another key is refused."""
    parent = finished(games, 2, ())
    entries = games.store.read(parent).entries
    key = IdempotencyKey("games", "k" * 22, {"version": 40}, bytes(32))
    assert games.find_repeat("fork", key) is None
    first = games.import_game(fork_at(entries, 2, 40), key)
    play_on(games, "fork", Random(2))
    # A concurrent request that has not found the first one, and a repeat.
    for again in (games.import_game(fork_at(entries, 2, 40), key), games.find_repeat("fork", key)):
        assert again is not None
        assert again.repeated
        assert again.loaded.game == first.loaded.game
        assert again.loaded.hash == first.loaded.hash
        assert again.head.over
    with pytest.raises(KeyReused):
        games.find_repeat("fork", replace(key, body={"version": 41}))
    with pytest.raises(KeyReused):
        games.find_repeat("fork", replace(key, key="j" * 22))


@pytest.mark.parametrize("due", ["scoring", "bot"])
def test_a_fork_that_waits_for_a_worker_is_due(games: GameLog, log_store: Store, due: str) -> None:
    parent = finished(games, 3, ())
    entries = games.store.read(parent).entries
    events = decode_events(entries)
    waits = {"scoring": "ScoringStarted", "bot": "TurnStarted"}[due]
    version = next(
        event["version"]
        for event in events[20:]
        if event["type"] == waits and event["data"].get("seat", 0) != 1  # seat 1 is no bot's
    )
    games.import_game(fork_at(entries, 3, version))
    assert _due(log_store) == ["fork"]
    other = next(
        event["version"] for event in events[20:] if event["type"] == "TurnStarted" and event["data"]["seat"] == 1
    )
    games.import_game(fork_at(entries, 3, other, "other"))
    assert _due(log_store) == ["fork"]


def _due(store: Store) -> list[str]:
    keys = [*store.shard_keys("due"), *store.shard_keys("turns")]
    return [game.decode() for key in keys for game in store.client.zrange(key, 0, -1)]


def test_the_people_of_a_parent_are_not_those_of_its_copy() -> None:
    """Who was late, away or resigned in the parent is none of that in the copy, which has no pace; the audit passes."""
    now = [1000]
    games = open_games(new_client(), clock=lambda: now[0])
    pace = Pace(turn_seconds=60, bank_seconds=60, bank_refill_seconds=30)
    parent = replace(new_game("parent2"), pace=pace, replaceable=True)
    games.create(replace(parent, seats=tuple(replace(plan, is_invited=True) for plan in parent.seats)))
    games.handle("parent2", AcceptInvitation(seat=0))

    def act(game: Game) -> None:
        games.handle(
            "parent2", Act(seat=game.turn_seat, actions=(next(legal_actions(game, game.turn_seat)),), by_bot=True)
        )

    while not (game := games.load("parent2").game).over:
        if game.scoring is not None:
            games.handle("parent2", CompleteScoring(round=game.scoring))
        elif game.turn <= 4 and not game.timed_out:
            now[0] = deadline(game) or 0
            games.handle("parent2", TimeOut(turn=game.turn))
        elif game.turn == 5 and game.seats[1].away == "abandoned":
            games.handle("parent2", ReclaimSeat(seat=0))
            now[0] += FREE_AFTER_MS
            games.handle("parent2", JoinGame(name="Cleo"))
            games.handle("parent2", TakeVacation(seat=0, until=now[0] + 60_000))
            for command in (
                EndVacation(seat=0),
                GiveConsent(seat=0, to="pause"),
                WithdrawConsent(seat=0, to="pause"),
                *(GiveConsent(seat=seat, to="pause") for seat in (0, 1)),
                ResumeGame(seat=0),
                Resign(seat=1),
            ):
                now[0] += 1
                games.handle("parent2", command)
        else:
            act(game)
    entries = games.store.read("parent2").entries
    events = decode_events(entries)
    assert audit(events).ok
    people = [event["version"] for event in events if event["type"] in OF_PEOPLE]
    assert {events[version - 1]["type"] for version in people} == OF_PEOPLE
    for version in people:
        new = fork_at(entries, 2, version)
        copy = new.head.game
        assert (copy.paused_since, copy.pauses, copy.consents) == (None, (), frozenset())
        assert [(seat.bank, seat.vacations) for seat in copy.seats] == [(None, ()), (None, ())]
        assert (copy.pace, copy.timed_out, [seat.away for seat in copy.seats]) == (None, False, [None, None])
        found = audit(new.events, parent=events)
        assert found.ok, found
        assert found.comparison
        told = {item["type"] for item in recap(new.events, 0, "en", by="action").items}
        assert not told & OF_PEOPLE
    assert {item["type"] for item in recap(events, 0, "en", by="action").items} >= OF_PEOPLE
