"""Keeps a game with the forms of payloads that no kept one has.

Run: `python -m tests.bench.tools.keep_game RELEASE`, from the root.

It takes the recorded game that has most of them, or else a cancelled game, one with a pace or a fork, plays it into a
real store, and writes its entries to files.
"""

import sys
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from domain.bots import choose_action
from domain.clock.deadline import FREE_AFTER_MS
from domain.clock.hours import Hours
from domain.clock.pace import Pace
from domain.commands import (
    AcceptInvitation,
    Act,
    Command,
    CompleteScoring,
    CreateGame,
    EndVacation,
    GiveConsent,
    JoinGame,
    PostMessage,
    ReclaimSeat,
    Resign,
    ResumeGame,
    SeatPlan,
    TakeVacation,
    TimeOut,
    WithdrawConsent,
)
from domain.rules import NEWEST
from service.connections.clients import connect
from service.gamelog.erasing import erase_words
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from tests.games.kept import forms_in, keep, missing_forms
from tests.games.live import Clock, relive
from tests.games.recorded import GAMES, STEP, Recorded, entries_of, read, steps_of
from tests.support.forks import fork_steps
from tests.support.play import play_until

FORMS_OF_FORKS: Final = frozenset({"position"})
FORMS_OF_PACE: Final = frozenset({"timeout", "abandon", "reclaim", "resign"})
FORMS_OF_NAMES: Final = frozenset({"created@9", "invited", "accepted"})
FORMS_OF_AGREEMENTS: Final = frozenset({"replace", "agree", "disagree", "cancelled"})
FORMS_OF_SALTS: Final = frozenset(f"{tag}@{form}" for tag in ("joined", "replace", "said") for form in ("2", "digest"))
FORMS_OF_STOPS: Final = frozenset(
    {"overtime", "bank", "vacation", "back", "paused", "resumed", "agree@2", "disagree@2"}
)


def forms_of(recorded: Recorded) -> set[str]:
    """The forms of payloads that today's code stores the game with."""
    return forms_in(entries_of(steps_of(recorded))[0])


def live_fork(store: Store, name: str) -> str:
    """Play a fork of a running game into the store, to its end; its id."""
    parent, _ = play_until(2, "parent of a kept fork", 129, sorted(NEWEST.variants))
    assert parent.status == "playing"
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    for command, decision in fork_steps(parent, 1, name):
        game = decision.game.id
        if isinstance(command, CreateGame):
            log.create(command)
        else:
            log.handle(game, command)
        clock.now += STEP
    return game


def live_paced(store: Store, game: str) -> None:
    """Play a game with a pace into the store, in which people are late, away, back and resigned."""
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    seats = (SeatPlan(name="Anna"), SeatPlan(name="Bert"))
    pace = Pace(turn_seconds=3600, reminder_seconds=600)
    log.create(CreateGame(game=game, server_seed=sha256(b"paced").digest(), seats=seats, pace=pace))
    while not (now := log.load(game).game).over:
        clock.now += STEP
        if now.scoring is not None:
            log.handle(game, CompleteScoring(round=now.scoring))
        elif now.turn <= 3 and not now.timed_out:
            clock.now += 3_600_000
            log.handle(game, TimeOut(turn=now.turn))
        elif now.turn == 4 and not now.seats[1].away:
            log.handle(game, ReclaimSeat(seat=0))
            log.handle(game, Resign(seat=1))
        else:
            log.handle(game, Act(seat=now.turn_seat, actions=(choose_action("greedy", now, Random(0)),), by_bot=True))


def live_cancelled(store: Store, game: str) -> None:
    """Play a game into the store in which an abandoned seat is taken by a new person, and that both cancel."""
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    seats = (SeatPlan(name="Anna"), SeatPlan(name="Bert"))
    pace, seed = Pace(turn_seconds=3600), sha256(b"cancelled").digest()
    log.create(CreateGame(game=game, server_seed=seed, seats=seats, pace=pace, replaceable=True))
    while (now := log.load(game).game).seats[0].away is None:
        clock.now += STEP
        if now.turn_seat == 0 and not now.timed_out:
            clock.now += 3_600_000
            log.handle(game, TimeOut(turn=now.turn))
        else:
            log.handle(game, Act(seat=now.turn_seat, actions=(choose_action("greedy", now, Random(0)),), by_bot=True))
    ends = [GiveConsent(seat=0, to="cancel"), WithdrawConsent(seat=0, to="cancel")]
    clock.now += FREE_AFTER_MS
    for command in (JoinGame(name="Cleo"), *ends, GiveConsent(seat=1, to="cancel"), ends[0]):
        clock.now += STEP
        log.handle(game, command)
    assert log.load(game).game.over


def live_salted(store: Store, game: str) -> None:
    """Play a game with salts into the store: two seats are taken by new people, one's words erased."""
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    salts = (sha256(f"salt {number}".encode()).hexdigest()[:32] for number in count())
    seats = tuple(SeatPlan(name=name, salt=next(salts)) for name in ("Anna", "Bert", "Cleo"))
    pace, seed = Pace(turn_seconds=3600), sha256(b"salted").digest()
    log.create(CreateGame(game=game, server_seed=seed, seats=seats, pace=pace, replaceable=True))
    while not all((now := log.load(game).game).seats[seat].away for seat in (0, 1)):
        clock.now += STEP
        if now.turn_seat < 2 and not now.timed_out and not now.seats[now.turn_seat].away:
            clock.now += 3_600_000
            log.handle(game, TimeOut(turn=now.turn))
        else:
            log.handle(game, Act(seat=now.turn_seat, actions=(choose_action("greedy", now, Random(0)),), by_bot=True))
    people = [JoinGame(name=name, salt=next(salts)) for name in ("Dora", "Emil")]
    said = [PostMessage(seat=seat, text=f"Hello, says {seat}. \u2028", salt=next(salts)) for seat in (0, 1)]
    for command in (*people, *said, *(GiveConsent(seat=seat, to="cancel") for seat in range(3))):
        clock.now += STEP
        log.handle(game, command)
    log.handle(game, PostMessage(seat=0, text="Good bye!", salt=next(salts)))
    erase_words(store, game, 0, clock)


def live_stopped(store: Store, game: str) -> None:
    """Play a game with time banks and allowed hours into the store, with vacations, a pause, a silent seat."""
    clock = Clock()
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    hours = Hours(opens=8 * 60, closes=22 * 60, zone="Europe/Berlin")
    pace = Pace(turn_seconds=3600, bank_seconds=7200, bank_refill_seconds=600, hours=hours)
    seats = (SeatPlan(name="Anna"), SeatPlan(name="Bert"), SeatPlan(name="Cleo"))
    log.create(CreateGame(game=game, server_seed=sha256(b"stopped").digest(), seats=seats, pace=pace))
    agreed = [GiveConsent(seat=seat, to="pause") for seat in range(3)]
    release = [GiveConsent(seat=seat, to="release", about=2) for seat in (0, 1)]
    stops: dict[int, list[Command]] = {
        2: [TakeVacation(seat=0, until=clock.now + 10 * 24 * 3_600_000)],
        3: [EndVacation(seat=0), agreed[0], WithdrawConsent(seat=0, to="pause")],
        5: [*agreed, ResumeGame(seat=1)],
        6: [release[0], WithdrawConsent(seat=0, to="release", about=2), *release],
    }
    while not (now := log.load(game).game).over:
        clock.now += STEP
        if now.turn == 6 and 6 in stops:
            clock.now += 40 * 24 * 3_600_000
        for command in stops.pop(now.turn, []):
            clock.now += 1_000_000
            log.handle(game, command)
        if now.scoring is not None:
            log.handle(game, CompleteScoring(round=now.scoring))
            continue
        if now.turn < 8:
            clock.now += 3_600_000
        action = choose_action("greedy", now, Random(0))
        log.handle(game, Act(seat=now.turn_seat, actions=(action,)))


def live_named(store: Store, game: str) -> None:
    """Open a table with a name and a guest, and all that may go with it, in the store and cancel it."""
    clock, seats = Clock(), (SeatPlan(name="Anna"), SeatPlan(name="Bert", is_invited=True))
    log = GameLog(store, Reactions(lambda _function, _job, _arguments: None, 0), clock=clock)
    pace, seed = Pace(turn_seconds=3600), sha256(b"invited").digest()
    more = {"name": "Stammtisch Nr. 4", "pace": pace, "replaceable": True}
    log.create(CreateGame(game=game, server_seed=seed, seats=seats, **more))
    clock.now += STEP
    log.handle(game, AcceptInvitation(seat=1))
    for seat in (0, 1):
        clock.now += STEP
        log.handle(game, GiveConsent(seat=seat, to="cancel"))


def main(release: str) -> int:
    """Keep one game, if it has a missing form. Returns 1 where a form is still missing."""
    missing = missing_forms()
    games = [recorded for path in sorted(GAMES.glob("*.jsonl")) for recorded in read(path)]
    best = max(games, key=lambda recorded: len(missing & forms_of(recorded)))
    recorded_helps = missing & forms_of(best)
    played = FORMS_OF_FORKS | FORMS_OF_PACE | FORMS_OF_AGREEMENTS | FORMS_OF_SALTS | FORMS_OF_STOPS | FORMS_OF_NAMES
    game = f"kept-{release.replace('.', '-')}"
    if recorded_helps or missing & played:
        with TemporaryDirectory() as folder:
            server = EmbeddedStore(Path(folder) / "store")
            server.start()
            try:
                store = Store(connect(server.url), 1)
                if missing & FORMS_OF_NAMES:
                    live_named(store, game)
                elif recorded_helps:
                    relive(best, store)
                    game = best.game
                elif missing & FORMS_OF_AGREEMENTS:
                    live_cancelled(store, game)
                elif missing & FORMS_OF_SALTS:
                    live_salted(store, game)
                elif missing & FORMS_OF_STOPS:
                    live_stopped(store, game)
                elif missing & FORMS_OF_PACE:
                    live_paced(store, game)
                else:
                    game = live_fork(store, game)
                keep(release, store.client.xrange(store.stream(game)))
            finally:
                server.stop()
    print(f"missing: {sorted(missing_forms())}")
    return 1 if missing_forms() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
