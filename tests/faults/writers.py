"""Clients that play games while a store is killed, and judge afterwards what their answers were worth."""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from threading import Event
from typing import Final, TypeAlias

from domain.commands import Act, CompleteScoring
from domain.refusals import Refused
from domain.state import Game
from service.gamelog.errors import StoreUnavailable
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from tests.gamelog.ledger import Ack, ack_of, any_act, check_log, key_of, new_game

Request: TypeAlias = Callable[[IdempotencyKey | None], Outcome]
COMMON: Final = "common"
"""The game that all writers play, in addition to games of their own."""


@dataclass
class Writer:
    """Plays games of its own to their ends, one after the other, and now and then an action of the common game."""

    number: int
    games: GameLog
    chance: Random
    stop: Event
    keyed: bool = False
    """Whether each request of its own games has a key; else every second writer's have."""
    acks: list[Ack] = field(default_factory=list)
    """Of the own game that is being played."""
    common: list[Ack] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    """Finished games: the hash in their last answer."""
    accepted: int = 0
    away: int = 0
    """Requests that failed as the store was down for longer than the log retries."""
    error: Exception | None = None

    @property
    def game(self) -> str:
        return f"w{self.number}-{len(self.heads)}"

    def run(self) -> None:
        """Play until it is time to stop. An exception is kept for the test."""
        try:
            self.send(lambda key: self.games.create(new_game(self.game), key), self.acks, sure=True)
            while not self.stop.is_set():
                self.play_common() if self.chance.random() < 0.1 else self.play_own()
        except Exception as error:  # noqa: BLE001 - the test raises it
            self.error = error

    def play_own(self) -> None:
        """One action or scoring round of the own game; the next game when it is over."""
        now = self.games.load_cached(self.game).game
        command: Act | CompleteScoring
        if now.scoring is not None:
            command = CompleteScoring(round=now.scoring)
        else:
            command = any_act(now, self.chance, self.chance.randint(1, 3))
        self.send(lambda key: self.games.handle(self.game, command, key=key), self.acks, sure=True)
        if self.games.load_cached(self.game).game.over:
            state = _check_once_there(self.games, self.game, self.acks)
            assert state.version == sum(ack.last - ack.first + 1 for ack in self.acks), "an effect without a request"
            self.heads[self.game] = self.acks[-1].hash
            self.acks.clear()
            self.send(lambda key: self.games.create(new_game(self.game), key), self.acks, sure=True)

    def play_common(self) -> None:
        """One action of the common game, without any key; others play the same seats."""
        now = self.games.load_cached(COMMON).game
        if now.scoring is not None:
            self.send(lambda _: self.games.handle(COMMON, CompleteScoring(round=now.scoring or 0)), self.common)
        elif not now.over:
            act = any_act(now, self.chance)
            self.send(lambda _: self.games.handle(COMMON, act), self.common)

    def send(self, request: Request, acks: list[Ack], *, sure: bool = False) -> None:
        """Send the command and note what was acknowledged.

        A `sure` one must succeed: every second writer repeats it under a key until it does; the others rely on the
        log's own retries.
        """
        key = key_of(f"{self.game} {len(acks)}") if self.keyed or self.number % 2 else None
        while True:
            try:
                outcome = request(key)
            except Refused:
                return
            except StoreUnavailable:
                self.away += 1
                if sure and (key is None or self.stop.is_set()):
                    raise
                if sure:
                    continue
                return
            if outcome.events:
                acks.append(ack_of(outcome))
                self.accepted += 1
            return


def _check_once_there(games: GameLog, game: str, acks: list[Ack]) -> Game:
    """As `check_log`; a store that is away for longer than the log retries is asked again, until the test times out."""
    store = games.store
    while True:
        try:
            return store.with_retries(lambda: check_log(store, game, acks))
        except StoreUnavailable:
            continue


def judge(games: GameLog, writers: list[Writer]) -> None:
    """Every game holds exactly the events of its writer's answers, and the common game those of all writers."""
    for writer in writers:
        if writer.error:
            raise writer.error
        state = check_log(games.store, writer.game, writer.acks)
        assert state.version == sum(ack.last - ack.first + 1 for ack in writer.acks)
        for game, head in writer.heads.items():
            check_log(games.store, game)
            assert games.store.read(game, state.version + 10_000).hash.hex() == head
    common = [ack for writer in writers for ack in writer.common]
    state = check_log(games.store, COMMON, common)
    told = sum(ack.last - ack.first + 1 for ack in common)
    assert state.version == 5 + 3 + told or any(writer.away for writer in writers)
