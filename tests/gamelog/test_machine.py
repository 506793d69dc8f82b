"""A state machine of players, processes and accidents against a model of what has been accepted.

The model knows each game as its accepted requests and the state that the independent check computes from the store.
What a request must do is what `decide` says of that state, whatever the executing process has in its cache.
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from itertools import count
from operator import eq
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from domain.commands import Act, Command, CompleteScoring, CreateGame, Draw, PostMessage, SeatPlan
from domain.decide import decide
from domain.events import payload_of
from domain.refusals import Refused
from domain.state import Game
from service.connections.clients import Client
from service.gamelog.archive.compaction import compact
from service.gamelog.history import decode_events
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GAPS, Outcome
from service.gamelog.store import commit as store_module
from service.gamelog.store import reader as reader_module
from service.gamelog.store.errors import KeyReused, StaleVersion, StoreUnavailable
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, Ack, ack_of, any_act, check_log, finish, key_of, new_game, play
from tests.gamelog.processes import Crash, Losing, Memory, Process
from tests.support.profiles import examples
from tests.support.stores import Server, empty_client
from tests.support.world import Jobs, new_client
from workers.__main__ import bind_jobs
from workers.bots import play_turn
from workers.threads.reconciler import Reconciler

GAMES = 3
LATER = 10**15
"""A time by which every game has been quiet for long."""
picks, processes, seeds = st.integers(0, 99), st.integers(0, 1), st.integers(0, 10_000)
fates = st.lists(st.sampled_from(["", "before", "after"]), max_size=3)


class LogMachine(RuleBasedStateMachine):
    """Rules are what players, processes and accidents do; `touched` games are checked after each."""

    new_client: Callable[[], Client] = staticmethod(new_client)

    def __init__(self) -> None:
        super().__init__()
        self.client = self.new_client()
        self.jobs: Jobs = []
        self.files = Memory()
        self.processes = [self.process(number) for number in (0, 1)]
        self.store = Store(self.client, SHARDS, files=self.files)
        self.accepted: dict[str, list[Ack]] = {}
        self.states: dict[str, Game] = {}
        self.keyed: list[tuple[str, Command, IdempotencyKey, list[dict[str, Any]]]] = []
        self.touched: set[str] = set()
        self.keys = count()

    # The model

    def name(self, pick: int) -> str:
        names = list(self.accepted)
        return names[pick % len(names)]

    def accept(self, game: str, command: Command, key: IdempotencyKey | None, outcome: Outcome, before: Game) -> None:
        """Compare an accepted request with what it had to do to the game `before` it, and note it."""
        assert not outcome.repeated
        expected = decide(command, before, outcome.loaded.game.at)
        assert [event["data"] for event in outcome.events] == [payload_of(event) for event in expected.events]
        assert (outcome.applied, outcome.loaded.game) == (expected.applied, expected.game)
        self.note(game, ack_of(outcome))
        if key:
            self.keyed.append((game, command, key, outcome.events))

    def note(self, game: str, ack: Ack) -> None:
        self.accepted[game].append(ack)
        self.touched.add(game)

    def adopt(self, game: str) -> int:
        """Note what was appended without an answer to the model; the number of entries."""
        entries = self.store.read(game).entries
        events = decode_events(entries)
        new = entries[len(self.accepted[game]) :]
        for entry in new:
            first, last = entry.version - entry.count + 1, entry.version
            self.note(game, Ack(game, first, last, events[last - 1]["hash"]))
        self.judge()
        return len(new)

    @invariant()
    def judge(self) -> None:
        """The log holds the accepted requests, once, complete, in order, and nothing else; waiting work is due."""
        for game in sorted(self.touched):
            state = self.states[game] = check_log(self.store, game, self.accepted[game])
            assert len(self.store.read(game).entries) == len(self.accepted[game])
            bots_turn = state.status == "playing" and state.seats[state.turn_seat].bot is not None
            waits = state.scoring is not None, state.scoring is None and bots_turn
            lists = [f"{self.store.tag(game)}:{kind}" for kind in ("due", "turns")]
            assert tuple(self.client.zscore(key, game) is not None for key in lists) == waits
        self.touched.clear()

    # Players

    @initialize()
    def first_game(self) -> None:
        self.open_game(2, bot=False, keyed=True, process=0, fates=[])

    @precondition(lambda self: len(self.accepted) < GAMES)
    @rule(seats=st.integers(2, 3), bot=st.booleans(), keyed=st.booleans(), process=processes, fates=fates)
    def open_game(self, seats: int, bot: bool, keyed: bool, process: int, fates: list[str]) -> None:
        name = f"game {len(self.accepted):019}"  # as long as a real one
        plan = [SeatPlan(name=f"player {seat}") for seat in range(seats - bot)] + [SeatPlan(bot="greedy")] * bot
        command, key = new_game(name, plan), self.new_key() if keyed else None
        self.accepted[name] = []
        with self.losing(process, fates) as games:
            outcome = games.create(command, key)
        self.accept(name, command, key, outcome, Game())

    @rule(
        pick=picks,
        process=processes,
        seed=seeds,
        actions=st.integers(1, 3),
        keyed=st.booleans(),
        strict=st.booleans(),
        fates=fates,
    )
    def act(
        self, *, pick: int, process: int, seed: int, actions: int, keyed: bool, strict: bool, fates: list[str]
    ) -> None:
        """A player acts on the state in a process's cache, sometimes only if that is the present version."""
        name = self.name(pick)
        seen = self.processes[process].games.load_cached(name).game
        truth, key = self.states[name], self.new_key() if keyed else None
        command = self.act_on(seen, seed, actions)
        matches = partial(eq, seen.version) if strict else None
        with self.losing(process, fates) as games:
            if strict and seen != truth:
                with pytest.raises(StaleVersion) as stale:
                    games.handle(name, command, key=key, matches=matches)
                assert seen.version < stale.value.version == truth.version
                return
            if self.refuses(command, truth):
                with pytest.raises(Refused):
                    games.handle(name, command, key=key, matches=matches)
                return
            outcome = games.handle(name, command, key=key, matches=matches)
        self.accept(name, command, key, outcome, truth)

    @rule(pick=picks, process=processes, keyed=st.booleans(), fates=fates)
    def say(self, pick: int, process: int, keyed: bool, fates: list[str]) -> None:
        name, command = self.name(pick), PostMessage(seat=0, text=f"message {next(self.keys)}")
        key = self.new_key() if keyed else None
        with self.losing(process, fates) as games:
            outcome = games.handle(name, command, key=key)
        self.accept(name, command, key, outcome, self.states[name])

    @rule(pick=picks, process=processes, seed=seeds, length=st.integers(10, 60))
    def play_on(self, pick: int, process: int, seed: int, length: int) -> None:
        """People play for a while, until the game waits for a worker at the latest."""
        name = self.name(pick)
        goal = self.states[name].version + length

        def enough(now: Game) -> bool:
            return now.version >= goal or now.seats[now.turn_seat].bot is not None

        for ack in play(self.processes[process].games, name, Random(seed), enough):
            self.note(name, ack)

    @precondition(lambda self: self.keyed)
    @rule(pick=picks, process=processes, fates=fates)
    def repeat(self, pick: int, process: int, fates: list[str]) -> None:
        """A request with a key is sent again, to any process: the first answer, no effect."""
        name, command, key, events = self.keyed[pick % len(self.keyed)]
        with self.losing(process, fates) as games:
            again = (
                games.create(command, key) if isinstance(command, CreateGame) else games.handle(name, command, key=key)
            )
        assert again.repeated
        assert again.events == events
        assert again.head == self.states[name]
        self.touched.add(name)

    @precondition(lambda self: self.keyed)
    @rule(pick=picks, process=processes)
    def reuse_a_key(self, pick: int, process: int) -> None:
        name, _, key, _ = self.keyed[pick % len(self.keyed)]
        with pytest.raises(KeyReused):
            self.processes[process].games.handle(
                name, Act(seat=0, actions=(Draw(),)), key=replace(key, body="another body")
            )
        self.touched.add(name)

    @rule(pick=picks, process=processes)
    def look(self, pick: int, process: int) -> None:
        """The state in a process's cache, brought up to date, equals the fold of the log."""
        name = self.name(pick)
        games = self.processes[process].games
        assert games.load_cached(name).game.version <= self.states[name].version
        assert games.load(name).game == self.states[name]

    # Workers

    @precondition(lambda self: self.jobs)
    @rule(pick=picks, process=processes, times=st.integers(0, 3))
    def run_a_job(self, pick: int, process: int, times: int) -> None:
        """A job runs in any order, never, once or several times; it does its work at once or finds it done."""
        function, arguments = self.jobs.pop(pick % len(self.jobs))
        job = bind_jobs(self.processes[process].services)[function]
        for _ in range(times):
            job(*arguments)
        self.adopt(arguments[0])
        if times and function.endswith("score_round"):
            state = self.states[arguments[0]]
            assert len(state.rounds) >= arguments[1]

    @rule(process=processes)
    def reconcile(self, process: int) -> None:
        Reconciler(self.processes[process].services).run_once()

    @rule(pick=picks, process=processes)
    def play_for_a_bot(self, pick: int, process: int) -> None:
        """By what this process knows of the game, which may be old, or no bot's turn."""
        name = self.name(pick)
        play_turn(self.processes[process].services, name)
        self.adopt(name)

    @rule(pick=picks, process=processes)
    def finish(self, pick: int, process: int) -> None:
        name = self.name(pick)
        finish(self.processes[process].games, name)
        self.adopt(name)

    @rule(pick=picks, process=processes, kind=st.sampled_from(["store", "files"]), fates=fates)
    def archive(self, pick: int, process: int, kind: str, fates: list[str]) -> None:
        """A game is archived if it is over; every read stays the same."""
        name = self.name(pick)
        before = [entry[:4] for entry in self.store.read(name).entries]
        with self.losing(process, fates):
            compact(self.processes[process].games.store, name, kind, LATER)
        assert [entry[:4] for entry in self.store.read(name).entries] == before
        assert (self.store.place(name) is not None) == self.states[name].over
        self.touched.add(name)

    # Accidents

    @rule(process=processes, jobs_too=st.booleans())
    def restart(self, process: int, jobs_too: bool) -> None:
        """A process loses its cache; sometimes the queue is lost too."""
        self.processes[process] = self.process(process)
        if jobs_too:
            self.jobs.clear()

    @rule(pick=picks, process=processes, seed=seeds, gap=st.sampled_from(GAPS), keyed=st.booleans())
    def crash(self, pick: int, process: int, seed: int, gap: str, keyed: bool) -> None:
        """A process ends at a gap: before the append nothing is stored, after it all is."""
        name, dying = self.name(pick), self.processes[process]
        command, key = self.act_on(self.states[name], seed, 2), self.new_key() if keyed else None
        dying.crash_at = gap
        try:
            dying.games.handle(name, command, key=key)
        except Refused:
            dying.crash_at = ""
            return
        except Crash:
            self.processes[process] = self.process(process)
        self.settle(name, command, key, written=gap != GAPS[0])

    @rule(pick=picks, seed=seeds, fate=st.sampled_from(["before", "after"]), keyed=st.booleans())
    def lose_the_store(self, pick: int, seed: int, fate: str, keyed: bool) -> None:
        """The store is unavailable for longer than the retries: the request is stored completely or not at all."""
        name, process = self.name(pick), self.process(0, patience=-1)
        command, key = self.act_on(process.games.load(name).game, seed, 2), self.new_key() if keyed else None
        self.client.script_load(store_module._COMMIT.text)
        process.client.plan.append(fate)
        try:
            with pytest.raises(StoreUnavailable):
                process.games.handle(name, command, key=key)
        except Refused:
            pytest.fail("refused although the store is unavailable")
        refused = self.refuses(command, self.states[name])
        self.settle(name, command, key, written=fate == "after" and not refused)

    @rule()
    def flush_scripts(self) -> None:
        self.client.script_flush()

    # Helpers of the rules

    def new_key(self) -> IdempotencyKey:
        number = next(self.keys)
        return key_of(f"key {number}", {"number": number})

    @staticmethod
    def act_on(seen: Game, seed: int, actions: int) -> Act:
        """An action that is legal in a game that can be played, else one that is refused."""
        return any_act(seen, Random(seed), actions) if seen.status == "playing" else Act(seat=0, actions=(Draw(),))

    @staticmethod
    def refuses(command: Command, game: Game) -> bool:
        try:
            decide(command, game)
        except Refused:
            return True
        return False

    def settle(self, name: str, command: Command, key: IdempotencyKey | None, *, written: bool) -> None:
        """Find out what became of a request without an answer; a repeat with its key must agree."""
        before = self.states[name]
        assert self.adopt(name) == written
        if not key or (not written and self.refuses(command, before)):
            return
        outcome = self.processes[1].games.handle(name, command, key=key)
        assert outcome.repeated == written
        if not written:
            self.accept(name, command, key, outcome, before)
        else:
            assert ack_of(outcome) == self.accepted[name][-1]
            self.keyed.append((name, command, key, outcome.events))

    def process(self, number: int, patience: float = 3.0) -> Process:
        return Process(self.client, self.jobs, number, patience, self.files)

    def losing(self, process: int, fates: list[str]) -> Losing:
        return Losing(self.processes[process], fates)

    def teardown(self) -> None:
        """At the end all games are checked, and every waiting round is scored once."""
        self.touched.update(self.accepted)
        self.judge()
        games = self.process(0).games
        for name, state in list(self.states.items()):
            if state.scoring is not None:
                command = CompleteScoring(round=state.scoring)
                self.accept(name, command, None, games.handle(name, command), state)
                assert games.handle(name, command).events == []
        self.judge()


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reader_module, "_PAUSE", 0.0)


def histories(share: float) -> settings:
    """Histories of 40 steps, so many that they are this share of the profile's examples."""
    return settings(examples(share), stateful_step_count=40, suppress_health_check=list(HealthCheck))


def test_the_log_against_its_model() -> None:
    run_state_machine_as_test(LogMachine, settings=histories(0.2))


def test_the_log_against_its_model_on_a_real_store(server: Server) -> None:
    class RealLogMachine(LogMachine):
        new_client = staticmethod(lambda: empty_client("valkey", server))

    run_state_machine_as_test(RealLogMachine, settings=histories(0.1))
