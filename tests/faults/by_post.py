"""People who play by post: each plays a turn when its notice arrives, and now and then one that nobody has told them.

Some have standing orders that play their turns, and some ask once for the game's end.
They are patient: a request is repeated under its key until it is answered.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from threading import Event, Lock, Thread
from typing import Any

import httpx

from domain.orders.wishes import json_of
from domain.state import Game
from service.gamelog.log import GameLog
from service.gamelog.store.errors import StoreUnavailable
from tests.faults.hearing import Doors, Hearing
from tests.faults.served import Served, accepted_body, patiently
from tests.gamelog.ledger import any_act
from tests.support.client import Api, Table
from tests.support.waiting import outcome_of, patience, wait_until

PACE = {"turn_seconds": 3600, "reminder_seconds": 60}
KINDS = (("webhook", "webhook"), ("webhook", "bot"), ("webhook", "mail"), ("mail", "bot", "webhook"))
KINDS += (("webhook", "orders"), ("mail", "orders", "webhook"))
"""Of the seats of games, in turns."""
TAKE = {"do": [{"type": "take", "slot": slot} for slot in range(3)], "repeat": True, "if_none": "skip"}
HASTY = 0.2
"""The share of turns that are played without waiting for their notice."""


@dataclass
class Crowd:
    service: Served
    hearing: Hearing
    doors: Doors
    seed: int
    threads: int
    tables: dict[str, Table] = field(default_factory=dict)
    kinds: dict[str, tuple[str, ...]] = field(default_factory=dict)
    """By game: of each seat."""
    hasty: set[tuple[str, int]] = field(default_factory=set)
    """Turns that were played without their notice: game, version."""
    asking: set[str] = field(default_factory=set)
    """Games in which the seat 0 will ask for the end: all others of a game in it can be told of that by now."""
    errors: list[BaseException] = field(default_factory=list)
    stopping: Event = field(default_factory=Event)
    _claimed: set[tuple[str, int]] = field(default_factory=set)
    _lock: Lock = field(default_factory=Lock)
    _running: list[Thread] = field(default_factory=list)

    def start(self, count: int) -> None:
        for number in range(self.threads):
            self._begin(self._play, Random(f"{self.seed} {number}"))
        self._begin(self._confirm)
        with httpx.Client(base_url=self.service.url, timeout=patience(10)) as http:
            for number in range(count):
                self._open(Api(http), number, KINDS[number % len(KINDS)])

    def stop(self) -> None:
        """End each turn that somebody plays, and begin none."""
        self.stopping.set()
        for _ in range(self.threads):
            self.hearing.turns.put(None)
        self.hearing.confirmations.put(None)
        for thread in self._running:
            thread.join()

    def check(self) -> None:
        """Raise what has gone wrong in a thread."""
        for error in self.errors:
            raise error

    def count_turns(self) -> int:
        with self._lock:
            return len(self._claimed)

    def _begin(self, run: Callable[..., None], *arguments: Any) -> None:
        def kept() -> None:
            try:
                run(*arguments)
            except BaseException as error:  # noqa: BLE001 - the test raises it
                self.errors.append(error)

        self._running.append(Thread(target=kept))
        self._running[-1].start()

    def _open(self, api: Api, number: int, kinds: tuple[str, ...]) -> None:
        seats = [{"bot": "greedy"} if kind == "bot" else {"name": f"{kind} {seat}"} for seat, kind in enumerate(kinds)]
        body = {"seats": seats, "pace": PACE, "starting_seat": 0}
        headers = {"Idempotency-Key": f"crowd-{self.seed}-{number:020}"}
        content = accepted_body(patiently(lambda: api.post("/v1/games", json=body, headers=headers))[0])
        game, tokens = content["game"]["id"], {seat["seat"]: seat.get("token", "") for seat in content["seats"]}
        self.tables[game], self.kinds[game] = Table(game, tokens, content), kinds
        for seat in (seat for seat, kind in enumerate(kinds) if kind == "orders"):
            self._put(api, f"/v1/games/{game}/orders", tokens[seat], {"steps": [TAKE] * 3})
        for seat, kind in enumerate(kinds):
            wish: dict[str, Any] = {"email": f"player-{seat}@club-{number}.example.com"}  # a domain gets few mails
            if kind in {"webhook", "orders"}:
                wish = {"webhook": {"url": self.doors.webhooks(2 * number + seat)}}
            if kind != "bot":
                self._put(api, f"/v1/games/{game}/notifications", tokens[seat], wish)
        if {"webhook", "orders"} & set(kinds[1:]):
            with self._lock:
                self.asking.add(game)

    def _put(self, api: Api, path: str, token: str, wish: dict[str, Any]) -> None:
        answer, _ = patiently(lambda: api.request("PUT", path, token, json=wish))
        assert answer.status_code == 200, answer.text

    def _confirm(self) -> None:
        with httpx.Client(base_url=self.service.url, timeout=patience(10)) as http:
            while (path := self.hearing.confirmations.get()) is not None:
                answer, _ = patiently(lambda path=path: http.post(path))
                assert answer.status_code == 200, answer.text

    def _play(self, chance: Random) -> None:
        games = self.service.games()
        with httpx.Client(base_url=self.service.url, timeout=patience(10)) as http:
            while (told := self.hearing.turns.get()) is not None:
                if told.game not in self.tables:  # one of those who never play
                    continue
                following: tuple[int, int] | None = (told.seat, told.version)
                while following and not self.stopping.is_set():
                    following = self._play_turn(Api(http), games, told.game, following, chance)

    def _play_turn(
        self, api: Api, games: GameLog, game: str, turn: tuple[int, int], chance: Random
    ) -> tuple[int, int] | None:
        """Play a turn (seat, version) to its end, once; now and then the next one that is to be played at once."""
        seat, version = turn
        with self._lock:
            if (game, version) in self._claimed:
                return None
            self._claimed.add((game, version))
        table = self.tables[game]
        while (now := _load(games, game)).turn_version == version and not now.over:
            if now.scoring is not None:
                wait_until(lambda: _load(games, game).scoring is None, 60)
                continue
            headers = {"Idempotency-Key": f"{version}-{now.version}"}
            action = json_of(any_act(now, chance).actions[0])
            accepted_body(patiently(lambda: api.act(table, seat, action, headers=headers), 60)[0])  # noqa: B023
        follower = now.turn_seat
        with self._lock:
            asks = seat == 0 and not now.over and game in self.asking
            self.asking -= {game} if asks else set()
        if asks:  # once; the others never agree
            headers = {"Idempotency-Key": f"cancel-{game}"}
            accepted_body(patiently(lambda: api.post(f"/v1/games/{game}/cancel", table.tokens[0], headers=headers))[0])
        if now.over or self.kinds[game][follower] in {"bot", "orders"} or chance.random() >= HASTY:
            return None
        with self._lock:
            if (game, now.turn_version) not in self._claimed:
                self.hasty.add((game, now.turn_version))
        return follower, now.turn_version


def _load(games: GameLog, game: str) -> Game:
    """The game as it is, however long the store is away."""
    return outcome_of(lambda: games.load(game).game, StoreUnavailable, 60)
