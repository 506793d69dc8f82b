"""Processes die in every gap between two side effects: games continue by themselves, repeats get the first answer.

`REIBACH_TEST_ROUNDS` (1 to 3) is the number of deaths in each gap.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

from service.gamelog.log import GAPS
from tests.faults.gap_entry import WORKER_GAPS
from tests.faults.served import Served, accepted_body, before_scoring, patiently, send, served
from tests.gamelog.ledger import Ack, check_log
from tests.support.client import SEED, Api, Table
from tests.support.waiting import patience, wait_until

ROUNDS = range(1, 1 + int(os.environ.get("REIBACH_TEST_ROUNDS", "1")))
SOON = 10.0
"""Seconds within which a round must be scored, whichever process has died."""


@pytest.fixture(scope="module")
def markers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder whose files name the process to kill and the gap."""
    return tmp_path_factory.mktemp("markers")


@pytest.fixture(scope="module")
def fragile(tmp_path_factory: pytest.TempPathFactory, markers: Path) -> Iterator[Served]:
    """The service with fault injection: two web processes, two workers."""
    argv = [sys.executable, "-m", "tests.faults.gap_entry", str(markers), "serve"]
    settings = {"REIBACH_WORKER_PROCESSES": "2", "REIBACH_ALLOW_FIXED_SEED": "1"}
    with served(argv, tmp_path_factory.mktemp("fragile") / "games", **settings) as service:
        yield service


@pytest.fixture
def table(fragile: Served) -> Iterator[tuple[Api, Table]]:
    """A client and a new game of two people.

    Always the same: in other games a businessmaker is hidden with the round, and a repeat no longer shows it.
    """
    with httpx.Client(base_url=fragile.url, timeout=patience(10)) as http:
        api = Api(http)
        body = {"seats": [{"name": "Anna"}, {"name": "Bert"}], "server_seed": SEED}
        answer, _ = patiently(lambda: api.post("/v1/games", json=body))
        content = accepted_body(answer)
        yield api, Table(content["game"]["id"], {seat["seat"]: seat["token"] for seat in content["seats"]}, content)


def wait_for_score(service: Served, game: str, began: float) -> float:
    """Wait until the game's scoring round is over; the seconds since `began`."""
    games = service.games()
    wait_until(lambda: games.load(game).game.scoring is None, SOON - (time.monotonic() - began))
    return time.monotonic() - began


def die_at(marker: Path, request: Callable[[], httpx.Response]) -> None:
    """Have the process that serves this request die where `marker` says.

    The process must reach the gap, or the request be lost before it.
    """
    hit = marker.with_name(f"{marker.name}.hit")
    marker.touch()
    while not hit.exists():
        with pytest.raises(httpx.TransportError):  # a web server that lost two processes at once is just starting anew
            request()
    hit.unlink()


def ack_from(table: Table, content: dict[str, Any]) -> Ack:
    events = content["events"]
    return Ack(table.id, events[0]["version"], events[-1]["version"], events[-1]["hash"])


@pytest.mark.slow
@pytest.mark.parametrize("gap", GAPS)
def test_web_process_dies(fragile: Served, markers: Path, table: tuple[Api, Table], gap: str) -> None:
    """The gap decides whether a killed web process has stored the action; a repeat settles it; it is scored once."""
    api, game = table
    marker = markers / f"web {gap}"
    for number in ROUNDS:
        before, act = before_scoring(fragile.games(), game.id, Random(number))
        entries = len(fragile.store.read(game.id).entries)
        request = partial(send, api, game, act, f"round {number}")
        began = time.monotonic()
        die_at(marker, request)
        assert len(fragile.store.read(game.id).entries) >= entries + (gap != GAPS[0])
        if gap != GAPS[0]:
            wait_for_score(fragile, game.id, began)
        answer, _ = patiently(request)
        content = accepted_body(answer)
        assert answer.headers.get("Idempotency-Replayed") == (None if gap == GAPS[0] else "true")
        assert content["events"][0]["version"] == before.version + 1
        assert content["events"][-1]["type"] == "ScoringStarted"
        print(f"scored {wait_for_score(fragile, game.id, began):.2f} s after the action")
        assert accepted_body(patiently(request)[0]) == content
        check_log(fragile.store, game.id, [ack_from(game, content)])
        assert len(fragile.store.read(game.id).entries) == entries + 2
    assert len(check_log(fragile.store, game.id).rounds) == len(ROUNDS)


@pytest.mark.slow
@pytest.mark.parametrize("gap", [*GAPS, *WORKER_GAPS[:2]])
def test_worker_dies_in_a_scoring_job(fragile: Served, markers: Path, table: tuple[Api, Table], gap: str) -> None:
    api, game = table
    marker = markers / f"worker {gap}"
    for number in ROUNDS:
        _, act = before_scoring(fragile.games(), game.id, Random(number))
        entries = len(fragile.store.read(game.id).entries)
        marker.touch()
        began = time.monotonic()
        answer, _ = patiently(partial(send, api, game, act, f"round {number}"))
        wait_until(marker.with_name(f"{marker.name}.hit").exists)
        print(f"scored {wait_for_score(fragile, game.id, began):.2f} s after the action")
        check_log(fragile.store, game.id, [ack_from(game, accepted_body(answer))])
        assert len(fragile.store.read(game.id).entries) == entries + 2
        marker.with_name(f"{marker.name}.hit").unlink()
    assert len(check_log(fragile.store, game.id).rounds) == len(ROUNDS)


@pytest.mark.slow
def test_worker_dies_between_claim_and_call(fragile: Served, markers: Path, table: tuple[Api, Table]) -> None:
    """Web process and reconciler die one after the other for the same round: it is still scored, once."""
    api, game = table
    _, act = before_scoring(fragile.games(), game.id, Random(1))
    (markers / f"worker {WORKER_GAPS[2]}").touch()
    began = time.monotonic()
    die_at(markers / f"web {GAPS[1]}", partial(send, api, game, act, "first"))
    wait_until((markers / f"worker {WORKER_GAPS[2]}.hit").exists)
    print(f"scored {wait_for_score(fragile, game.id, began):.2f} s after the action")
    assert len(check_log(fragile.store, game.id).rounds) == 1


@pytest.mark.slow
@pytest.mark.parametrize("gap", GAPS)
def test_worker_dies_in_a_bots_turn(fragile: Served, markers: Path, gap: str) -> None:
    """A bot's turn that was interrupted by its worker's death continues, until the other player's turn."""
    marker = markers / f"worker {gap}"
    with httpx.Client(base_url=fragile.url, timeout=patience(10)) as http:
        api = Api(http)
        seats = [{"name": "Anna"}, {"bot": "greedy"}]
        marker.touch()
        answer, _ = patiently(lambda: api.post("/v1/games", json={"seats": seats, "starting_seat": 1}))
        game = accepted_body(answer)["game"]["id"]
        began = time.monotonic()
        wait_until(marker.with_name(f"{marker.name}.hit").exists)
        games = fragile.games()
        wait_until(lambda: games.load(game).game.turn_seat == 0, SOON)
        print(f"the bot's turn was over {time.monotonic() - began:.2f} s after its start")
    state = check_log(fragile.store, game)
    assert state.turn == 2
    marker.with_name(f"{marker.name}.hit").unlink()
