"""A service that is killed on purpose, with direct access to its store, and games played to critical points."""

import os
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import httpx

from domain.commands import Act
from domain.decide import decide
from domain.state import Game
from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore
from tests.gamelog.ledger import any_act
from tests.support.waiting import patience, wait_until
from tests.support.world import new_log

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = {"REIBACH_RATE_LIMIT": "0", "REIBACH_BOT_DELAY": "0", "REIBACH_WEB_THREADS": "16", "REIBACH_POLL_LIMIT": "8"}
SHARDS = 16


@dataclass(frozen=True)
class Served:
    process: "subprocess.Popen[str]"
    url: str
    store: Store
    data: Path

    def games(self) -> GameLog:
        """A log of the test's own on the service's store; it calls no worker."""
        return new_log(self.store)


@contextmanager
def served(
    argv: Sequence[str], data: Path, *, folder: Path = ROOT, errors: Path | None = None, **settings: str
) -> Iterator[Served]:
    """The service that `argv` starts in `folder` over `data`; ended afterwards if it still runs.

    `errors`: the file that gets its standard error.
    """
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REIBACH_")}
    with errors.open("a", encoding="utf-8") if errors else nullcontext() as log:
        process = subprocess.Popen(
            [*argv, "--port", "0", "--data", str(data)],
            cwd=folder,
            env=clean | SETTINGS | settings,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
            process_group=0,
        )
    try:
        assert process.stdout is not None
        url = process.stdout.readline().rpartition(" ")[2].strip().rstrip("/")
        assert url.startswith("http://"), "the service didn't start"
        with connect(settings.get("REIBACH_REDIS_URL") or EmbeddedStore(data).url) as client:
            yield Served(process, url, Store(client, SHARDS, patience(3)), data)
    finally:
        with process:
            process.terminate()
            process.wait(patience(20))


def patiently(request: Callable[[], httpx.Response], seconds: float = 15.0) -> tuple[httpx.Response, int]:
    """The first answer that isn't 503, from the first connection that isn't lost; and how many tries failed."""
    answers: list[httpx.Response] = []
    failed = 0

    def tried() -> bool:
        nonlocal failed
        try:
            answers.append(request())
        except httpx.TransportError:
            failed += 1
            return False
        failed += answers[-1].status_code == 503
        return answers[-1].status_code != 503

    wait_until(tried, seconds)
    return answers[-1], failed


def before_scoring(games: GameLog, game: str, chance: Random) -> tuple[Game, Act]:
    """Play on until the next action brings a scoring round; the game, and that action."""
    while True:
        now = games.load(game).game
        assert now.status == "playing"
        act = any_act(now, chance)
        if any(type(event).__name__ == "ScoringStarted" for event in decide(act, now).events):
            return now, act
        games.handle(game, act)


def accepted_body(answer: httpx.Response) -> dict[str, Any]:
    assert answer.status_code == 201, answer.text
    content: dict[str, Any] = answer.json()
    return content
