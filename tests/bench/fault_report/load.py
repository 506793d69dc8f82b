"""A load generator: people who play games over HTTP, and repeat each request under its key until it is settled.

Every 201 is noted in a journal, which `verifier.py` compares with the logs. A request is settled by any answer but 503
and 429; what isn't within `SETTLE` seconds is an error of the run.
"""

import http.client
import json
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from threading import Event, Lock, Thread
from typing import Any, Final, NamedTuple, Self, TextIO
from urllib.parse import urlsplit

from tests.bench.fault_report.verifier import ack_of, line_of
from tests.support.waiting import patience, wait_until

SETTLE: Final = 90.0
"""Seconds, on a quiet machine."""
BACK_OFF: Final = 0.02
"""Seconds before a try that follows a failed one."""
REPEATS: Final = 0.05
"""The share of accepted requests that are sent once more, though they were answered."""
BOTS: Final = 0.25
"""The share of games in which a bot plays, too."""
ANSWER: Final = 20.0
"""Seconds within which an answer must begin; else the connection counts as lost."""
_MOST_TOLD: Final = 20
"""Lost connections of a load that are described."""
_UNSETTLED: Final = frozenset({429, 503})


class Unsettled(AssertionError):
    """A request that was answered by nothing but 503, or not at all."""


class Answer(NamedTuple):
    """A settled request; times by the monotonic clock."""

    status: int
    headers: Mapping[str, str]
    text: bytes
    sent: float
    """When the try that was answered began."""
    received: float

    @property
    def content(self) -> Any:
        """The JSON."""
        return json.loads(self.text)


class Connection:
    """A client's connection, opened anew at need, each time to the next of the addresses."""

    def __init__(
        self,
        urls: Sequence[str],
        counts: Counter[str],
        seconds: Callable[[], float] = lambda: SETTLE,
        losses: list[str] | None = None,
    ) -> None:
        """Nothing is opened yet.

        `seconds`: how long a request may take to be settled, on a quiet machine. `losses`: takes what is known of the
        first lost connections.
        """
        self._urls, self._counts, self._seconds = list(urls), counts, seconds
        self._losses = [] if losses is None else losses
        self._open: http.client.HTTPConnection | None = None
        self._answered = time.monotonic()

    def settle(
        self,
        method: str,
        path: str,
        token: str | None = None,
        body: Any = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        """The answer, however many tries it takes. Raises Unsettled."""
        text = None if body is None else json.dumps(body)
        named = {} if body is None else {"Content-Type": "application/json"}
        named |= {} if token is None else {"Authorization": f"Bearer {token}"}
        named |= headers or {}
        began = time.monotonic()
        while True:
            answer = self._try(method, path, text, named)
            if answer and answer.status not in _UNSETTLED:
                return answer
            if time.monotonic() - began > patience(self._seconds()):
                raise Unsettled(f"{method} {path}: {answer.status if answer else 'no answer'} for too long")
            time.sleep(BACK_OFF)  # no waiting for a condition: a client's back-off

    def __del__(self) -> None:
        """Each client's thread ends with its own."""
        self.close()

    def close(self) -> None:
        """Hang up."""
        if self._open:
            self._open.close()
        self._open = None

    def _try(self, method: str, path: str, text: str | None, headers: dict[str, str]) -> Answer | None:
        sent = time.monotonic()
        try:
            if self._open is None:
                self._urls.append(self._urls.pop(0))
                place = urlsplit(self._urls[-1])
                self._open = http.client.HTTPConnection(place.hostname or "", place.port, timeout=patience(ANSWER))
            self._open.request(method, path, text, headers)
            answer = self._open.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            self._counts["lost connections"] += 1
            if len(self._losses) < _MOST_TOLD:
                waited, idle = time.monotonic() - sent, sent - self._answered
                self._losses.append(
                    f"{error!r} {waited:.3f} s after {method} {path}, sent {idle:.1f} s after an answer"
                )
            self.close()
            return None
        self._counts[str(answer.status)] += 1
        self._answered = time.monotonic()
        return Answer(answer.status, answer.headers, content, sent, self._answered)


@dataclass
class Load:
    """People at tables of their own, each in a thread, from `with` until `stop`, or the end of the block."""

    urls: Sequence[str]
    journals: Path
    """A folder."""
    seed: object
    clients: int = 8
    interval: float = 0.0
    """Seconds from one accepted request of a client to the next, on average; 0: as quickly as it can."""
    counts: Counter[str] = field(default_factory=Counter)
    """Tries by their status, lost connections included."""
    received: dict[str, float] = field(default_factory=dict)
    """When each key's answer came, by the monotonic clock."""
    times: list[tuple[float, float]] = field(default_factory=list)
    """Of accepted requests: when the try that was answered was sent, and when the answer came."""
    last_times: dict[int, tuple[float, float]] = field(default_factory=dict)
    """The same of each client's last accepted request."""
    games: dict[str, bool] = field(default_factory=dict)
    """Ids, and whether a client has seen the game's end."""
    tokens: dict[str, dict[int, str]] = field(default_factory=dict)
    """Of each game, those of its people, by seat."""
    unexpected: list[str] = field(default_factory=list)
    """Answers that a client who plays alone at its table can't get from a service without a fault."""
    excused: list[str] = field(default_factory=list)
    """The same while the store may lose what it has shown."""
    losses: list[str] = field(default_factory=list)
    """What is known of lost connections."""
    errors: list[BaseException] = field(default_factory=list)
    opened: Callable[[str, dict[int, str]], None] = lambda _game, _tokens: None
    """Called with each new game and its tokens, by the client that plays it."""
    stopping: Event = field(default_factory=Event)
    is_lossy: bool = False
    """The store may lose what it has shown: a client whose game went back is refused, and that is no fault."""
    is_broken: bool = False
    _threads: list[Thread] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def __enter__(self) -> Self:
        """Begin."""
        self.journals.mkdir(parents=True, exist_ok=True)
        for number in range(self.clients):
            self._threads.append(Thread(target=self._run, args=(number,), name=f"client {number}"))
            self._threads[-1].start()
        return self

    def __exit__(self, error: object, *_: object) -> None:
        """Stop; without settling what is under way, where the row has broken down."""
        self.is_broken = error is not None
        self.stop()

    def stop(self) -> None:
        """Have each client settle its last request, and end."""
        self.stopping.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, more: int, seconds: float = 60) -> None:
        """Wait until so many more requests were accepted."""
        aim = len(self.times) + more
        wait_until(lambda: len(self.times) >= aim or self.errors or self.unexpected, seconds)

    def wait_for_recovery(self, since: float, seconds: float = 60) -> float:
        """Wait for the first request that was sent and accepted since then; how many seconds later it was answered."""
        begin = len(self.times)

        def answered() -> list[float]:
            return [received for sent, received in self.times[max(0, begin - 200) :] if sent >= since]

        wait_until(lambda: answered() or self.errors, seconds)
        return min(answered(), default=time.monotonic()) - since

    def wait_for_all(self, since: float, seconds: float = 60) -> float:
        """Wait until each client has had a request accepted that was sent since then; seconds until the last had."""
        first: dict[int, float] = {}

        def is_done() -> bool:
            for number, (sent, received) in list(self.last_times.items()):
                if sent >= since:
                    first.setdefault(number, received)
            return len(first) == self.clients

        wait_until(lambda: is_done() or self.errors or self.unexpected, seconds)
        return max(first.values(), default=time.monotonic()) - since

    def durations(self) -> list[float]:
        """Of 201s: seconds that the last try took."""
        return [received - sent for sent, received in self.times]

    def p99(self, since: float) -> float:
        """Of 201s: seconds that the last try took, in 99 of 100 cases at most."""
        taken = sorted(received - sent for sent, received in self.times if since <= sent)
        return taken[len(taken) * 99 // 100] if taken else 0.0

    def accepted(self, client: "Client", key: str, game: str, answer: Answer) -> None:
        """Note a 201."""
        client.journal.write(line_of(ack_of(game, key, answer.content)))
        self.received[key] = answer.received
        self.times.append((answer.sent, answer.received))
        self.last_times[client.number] = answer.sent, answer.received

    def refuse(self, what: str) -> None:
        """Note an answer that shouldn't have been."""
        with self._lock:
            (self.excused if self.is_lossy else self.unexpected).append(what)

    def _run(self, number: int) -> None:
        try:
            http = Connection(self.urls, self.counts, lambda: 1.0 if self.is_broken else SETTLE, self.losses)
            with (self.journals / f"{number}.journal").open("a", encoding="utf-8", buffering=1) as journal:
                client = Client(self, http, Random(f"{self.seed} {number}"), journal, number)
                while not self.stopping.is_set():
                    client.play_game()
        except BaseException as error:  # noqa: BLE001 - the run tells of it
            self.errors.append(error)


@dataclass
class Client:
    """One person who plays all named seats of one game after the other."""

    load: Load
    http: Connection
    chance: Random
    journal: TextIO
    number: int
    sent: int = 0
    accepted: int = 0
    began: float = field(default_factory=time.monotonic)

    def play_game(self) -> None:
        """A game from its creation to its end, or until the load stops."""
        names = [{"name": f"client {self.number} seat {seat}"} for seat in range(self.chance.randint(2, 4))]
        seats = [*names, *([{"bot": "greedy"}] if self.chance.random() < BOTS else [])]
        answer = self._post("/v1/games", None, {"seats": seats, "listed": self.chance.random() < 0.1}, "")
        if answer is None:
            return
        view = answer.content["game"]
        game, tokens = view["id"], {seat["seat"]: seat["token"] for seat in answer.content["seats"]}
        self.load.games[game], self.load.tokens[game] = False, tokens
        self.load.opened(game, tokens)
        while not self.load.stopping.is_set() and view and view["status"] != "over":
            view = self._step(f"/v1/games/{game}", view, tokens)
            self.load.stopping.wait(max(0.0, self.began + self.accepted * self.load.interval - time.monotonic()))
        self.load.games[game] = bool(view) and view["status"] == "over"

    def _step(self, path: str, view: dict[str, Any], tokens: dict[int, str]) -> dict[str, Any] | None:
        """An action, or a wait until a worker has acted; the new view, None where the game can't go on."""
        seat = view["turn"] and view["turn"]["seat"]
        if view["status"] == "scoring" or seat not in tokens:
            return self._wait(path, view)
        legal = self.http.settle("GET", f"{path}/legal-actions", tokens[seat])
        if legal.status != 200:
            return self._refused("legal-actions", legal)
        actions = legal.content["actions"]
        if not actions:  # a worker has acted meanwhile
            return self._wait(path, view)
        if self.chance.random() < 0.02:
            answer = self._post(f"{path}/messages", tokens[seat], {"text": f"said {self.sent}"}, view["id"])
        else:
            some = [self.chance.choice(actions) for _ in range(1 + (self.chance.random() < 0.1))]
            body = some[0] if len(some) == 1 else {"actions": some}
            answer = self._post(f"{path}/actions", tokens[seat], body, view["id"])
        return answer.content["game"] if answer else None

    def _wait(self, path: str, view: dict[str, Any]) -> dict[str, Any] | None:
        """Until there is something newer than the view."""
        news = self.http.settle("GET", f"{path}?wait=2", headers={"If-None-Match": f'"{view["version"]}"'})
        if news.status == 304:
            return view
        return news.content if news.status == 200 else self._refused("view", news)

    def _post(self, path: str, token: str | None, body: Any, game: str) -> Answer | None:
        """An accepted request, now and then sent once more; None where it was refused."""
        self.sent += 1
        key = f"{self.load.seed}-{self.number}-{self.sent}".replace(" ", "-").ljust(24, ".")
        headers = {"Idempotency-Key": key}
        answer = self.http.settle("POST", path, token, body, headers)
        if answer.status != 201:
            self._refused(path.rpartition("/")[2], answer)
            return None
        self.accepted += 1
        content = answer.content
        self.load.accepted(self, key, game or content["game"]["id"], answer)
        if self.chance.random() < REPEATS:
            again = self.http.settle("POST", path, token, body, headers)
            if again.status != 201 or again.headers.get("Idempotency-Replayed") != "true":
                self._refused("a repeat", again)
            else:
                self.journal.write(line_of(ack_of(game or content["game"]["id"], key, again.content)))
        return answer

    def _refused(self, what: str, answer: Answer) -> None:
        code = ""
        with suppress(ValueError, AttributeError):
            code = answer.content.get("type", "")
        self.load.refuse(f"{what}: {answer.status} {code}")
