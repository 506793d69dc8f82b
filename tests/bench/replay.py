"""All states of a game over HTTP, compared with its cold fold and the serialising of the same states.

Run: `python -m tests.bench.replay [--rounds 30]`. The service runs in processes of its own, on a durable store.
The fold begins with the entries as read; serialising makes of each state what a viewer may see, and JSON of that
(`dumps`: the JSON alone). They take turns; milliseconds, medians. Exit status 1 where the replay takes more than three
times fold and serialising together.
"""

import argparse
import http.client
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

import orjson

from domain.view import view_of
from service.connections.clients import connect
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.history import states
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.streams import Store
from tests.bench.common import HOST, accepts, durable_store, process, show
from tests.support.ports import free_port

PLAYERS = (2, 3, 5)
MOST = 3.0


def fetch(connection: http.client.HTTPConnection, path: str) -> bytes:
    """The body of a GET."""
    connection.request("GET", path)
    answer = connection.getresponse()
    assert answer.status == 200, answer.status
    return answer.read()


def timed(call: Callable[[], object]) -> float:
    """How long the call takes, in ms."""
    begun = time.perf_counter()
    call()
    return 1000 * (time.perf_counter() - begun)


def bots_game(connection: http.client.HTTPConnection, players: int) -> str:
    """The id of a game that bots have played to its end."""
    seats = orjson.dumps({"seats": [{"bot": "greedy"}] * players})
    connection.request("POST", "/v1/games", seats, {"Content-Type": "application/json"})
    game: str = orjson.loads(connection.getresponse().read())["game"]["id"]
    while orjson.loads(fetch(connection, f"/v1/games/{game}"))["status"] != "over":
        time.sleep(0.1)
    return game


def compare(connection: http.client.HTTPConnection, game: str, entries: Sequence[Entry], rounds: int) -> list[float]:
    """Replay, cold fold, serialising, and its last part alone; the median of each."""
    path = f"/v1/games/{game}/replay"
    found = [orjson.loads(line) for line in fetch(connection, path).splitlines()]
    folded = [game.copy() for game in states(entries)]
    head = folded[-1]
    runs = [
        (
            timed(lambda: fetch(connection, path)),
            timed(lambda: apply_entries(EMPTY, entries, b"")),
            timed(lambda: [orjson.dumps(view_of(game, None, "", head=head)) for game in folded]),
            timed(lambda: [orjson.dumps(one) for one in found]),
        )
        for _ in range(rounds)
    ]
    return [statistics.median(run) for run in zip(*runs, strict=True)]


def main(rounds: int) -> None:
    """One finished game for each number of players."""
    worst = 0.0
    with durable_store() as url, tempfile.TemporaryDirectory() as folder:
        port = free_port()
        command = [sys.executable, "-m", "service.cli", "serve", "--port", str(port), "--data", str(Path(folder))]
        environment = os.environ | {"REIBACH_REDIS_URL": url, "REIBACH_BOT_DELAY": "0"}
        with process(command, lambda: accepts(port), environment):
            connection = http.client.HTTPConnection(HOST, port)
            store = Store(connect(url), 16)
            for players in PLAYERS:
                game = bots_game(connection, players)
                entries = store.read(game).entries
                replay, fold, serialising, dumps = compare(connection, game, entries, rounds)
                ratio = replay / (fold + serialising)
                worst = max(worst, ratio)
                figures = {"replay": replay, "fold": fold, "serialising": serialising, "dumps": dumps}
                show(f"{players} players, {entries[-1].version} states", **figures, ratio=ratio)
    print(f"at most {worst:.2f} times; allowed: {MOST}")
    sys.exit(worst > MOST)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=30)
    main(parser.parse_args().rounds)
