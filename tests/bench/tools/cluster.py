"""A deployment of many machines on this one.

Run: `python -m tests.bench.tools.cluster [--kills N] [--seed N] [--replicas N]`.

Six nodes (three primaries, each with a replica), the job queue's server, two web servers, two workers, all in one
folder that is deleted at the end. Without `--kills` it prints the addresses, and runs until Ctrl-C. With it, people
play over HTTP through both web servers while primaries are killed; then every game is compared with its answers by a
check that computes hashes, states and scores itself. The exit status is 1 where anything is lost, doubled or torn.
"""

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Any, Final

import httpx

from service.connections.clients import connect
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.streams import Store
from service.runtime.lifeline import tied
from tests.gamelog.ledger import Ack, check_log
from tests.support.client import Api, Table
from tests.support.ports import free_port
from tests.support.servers import Cluster, Server, running, running_cluster
from tests.support.waiting import wait_until
from tests.support.world import new_log

ROOT: Final = Path(__file__).resolve().parents[3]
_PLAYERS: Final = 6
_SHARDS: Final = 16
_OPENING: Final = 5
"""Events of a new game of two."""
_SETTINGS: Final = {"REIBACH_RATE_LIMIT": "0", "REIBACH_WEB_PROCESSES": "1", "REIBACH_BOT_DELAY": "0"}


@contextmanager
def running_part(command: str, settings: dict[str, str]) -> Iterator[None]:
    """`reibach web` or `reibach worker`, until the block ends."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("REIBACH_")}
    argv = tied([sys.executable, "-m", "service.cli", *command.split()], signal.SIGTERM)
    process = subprocess.Popen(argv, cwd=ROOT, env=clean | _SETTINGS | settings)
    try:
        yield
    finally:
        process.terminate()
        process.wait()


@contextmanager
def deployment(folder: Path, replicas: int) -> Iterator[tuple[Cluster, list[str]]]:
    """The cluster, and the addresses of two web servers that are ready."""
    queue = Server(folder / "queue", {"appendonly": "no"})
    with running_cluster(folder, 3, 1) as cluster, running(queue), ExitStack() as stack:
        settings = {"REIBACH_REDIS_URL": cluster.url, "REIBACH_QUEUE_URL": queue.url, "REIBACH_REPLICAS": str(replicas)}
        ports = [free_port() for _ in range(2)]
        for port in ports:
            stack.enter_context(running_part(f"web --port {port}", settings))
        for _ in range(2):
            stack.enter_context(running_part("worker", settings))
        urls = [f"http://127.0.0.1:{port}" for port in ports]
        wait_until(lambda: all(is_ready(url) for url in urls), 60, poll=0.1)
        yield cluster, urls


def is_ready(url: str) -> bool:
    try:
        return httpx.get(f"{url}/readyz", timeout=5).status_code == httpx.codes.OK
    except httpx.TransportError:
        return False


class Player:
    """Plays both seats of one game after the other, at both web servers in turns, until it is told to stop.

    Each request has a key, and is repeated, perhaps elsewhere, until it is answered.
    """

    def __init__(self, urls: list[str], number: int, seed: int) -> None:
        self.apis = [Api(httpx.Client(base_url=url, timeout=30)) for url in urls]
        self.chance = Random(f"{seed} {number}")
        self.name = f"{seed}-{number}"
        self.games: dict[str, list[Ack]] = {}
        self.accepted = self.refused = 0
        self.answered_at = time.monotonic()
        self.stop = Event()
        self.error: Exception | None = None
        self.thread = Thread(target=self.run)

    def run(self) -> None:
        try:
            while not self.stop.is_set():
                self.play()
        except Exception as error:  # noqa: BLE001 - `main` tells it
            self.error = error
        for api in self.apis:
            api.http.close()

    def ask(self, request: Callable[[Api], httpx.Response]) -> httpx.Response:
        """The first answer that is none of an outage."""
        while True:
            try:
                answer = request(self.chance.choice(self.apis))
            except httpx.TransportError:
                self.refused += 1
                continue
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                self.answered_at = time.monotonic()
                return answer
            self.refused += 1

    def play(self) -> None:
        """A game, to its end or until the stop."""
        key = {"Idempotency-Key": f"a-new-game-of-player-{self.name}-{len(self.games)}"}
        body = {"seats": [{"name": "Anna"}, {"name": "Bert"}]}
        content = self.expect(201, self.ask(lambda api: api.post("/v1/games", json=body, headers=key)))
        table = Table(content["game"]["id"], {seat["seat"]: seat["token"] for seat in content["seats"]}, content)
        acks = self.games.setdefault(table.id, [])
        while not self.stop.is_set():
            view = self.expect(200, self.ask(lambda api: api.get(table.path)))
            if view["status"] == "over":
                return
            if view["status"] == "playing":
                self.act(table, view["turn"]["seat"], acks)

    def act(self, table: Table, seat: int, acks: list[Ack]) -> None:
        path, token = f"{table.path}/legal-actions", table.tokens[seat]
        legal = self.expect(200, self.ask(lambda api: api.get(path, token)))["actions"]
        if not legal:
            return
        action, key = self.chance.choice(legal), {"Idempotency-Key": f"{len(acks)}"}
        events = self.expect(201, self.ask(lambda api: api.act(table, seat, action, headers=key)))["events"]
        acks.append(Ack(table.id, events[0]["version"], events[-1]["version"], events[-1]["hash"]))
        self.accepted += 1

    @staticmethod
    def expect(status: int, answer: httpx.Response) -> dict[str, Any]:
        """The answer's body; any other status is an error of the service."""
        if answer.status_code != status:
            raise AssertionError(
                f"{answer.request.method} {answer.request.url.path}: {answer.status_code} {answer.text}"
            )
        content: dict[str, Any] = answer.json()
        return content


def kill(cluster: Cluster, victim: Server, players: list[Player]) -> float:
    """Kill a primary, start it again once its replica is one; the seconds until each player had another answer."""
    before = [player.accepted for player in players]
    victim.kill()
    began = time.monotonic()
    wait_until(lambda: len(cluster.primaries()) == len(cluster.nodes) // 2, 60)
    victim.start()
    wait_until(
        lambda: all(one.error or one.accepted > old for one, old in zip(players, before, strict=True)), 60, poll=0.05
    )
    seconds = time.monotonic() - began
    wait_until(cluster.has_replicas, 60, poll=0.05)
    return seconds


def judge(cluster: Cluster, players: list[Player]) -> list[str]:
    """What is wrong with the games: of each the first thing that contradicts its answers."""
    wrong = [f"player {player.name}: {player.error}" for player in players if player.error]
    with connect(cluster.url) as client:
        games = new_log(Store(client, _SHARDS))
        for player in players:
            for game, acks in player.games.items():
                try:
                    wait_until(lambda game=game: games.load(game).game.scoring is None, 30)
                    state = check_log(games.store, game, acks)
                    told = sum(ack.last - ack.first + 1 for ack in acks)
                    scored = sum(len(rounds) for rounds in (state.rounds,))
                    if told > state.version or (not scored and told + 5 != state.version):
                        wrong.append(f"{game}: {state.version} events, {told} were told")
                except (AssertionError, StoreUnavailable) as error:
                    wrong.append(f"{game}: {type(error).__name__} {error}")
    return wrong


def attack(cluster: Cluster, urls: list[str], kills: int, seed: int) -> list[str]:
    """Kill primaries while people play; prints the figures, returns what is wrong."""
    chance, away = Random(seed), []
    players = [Player(urls, number, seed) for number in range(_PLAYERS)]
    began = time.monotonic()
    for player in players:
        player.thread.start()
    try:
        wait_until(lambda: all(player.error or player.accepted for player in players), 60)
        while len(away) < kills and not any(player.error for player in players):
            least = sum(player.accepted for player in players) + chance.randint(1, 200)
            wait_until(lambda least=least: sum(player.accepted for player in players) >= least, 60)
            away.append(kill(cluster, chance.choice(cluster.primaries()), players))
            print(f"kill {len(away)}: all players went on after {away[-1]:.1f} s", flush=True)
    finally:
        for player in players:
            player.stop.set()
        for player in players:
            player.thread.join()
    accepted, refused = sum(one.accepted for one in players), sum(one.refused for one in players)
    games = sum(len(one.games) for one in players)
    print(
        f"seed {seed}: {len(away)} kills, {accepted} actions acknowledged in {time.monotonic() - began:.0f} s,", end=" "
    )
    print(f"{games} games, {refused} x 503 or reset, longest {max(away, default=0):.1f} s")
    return judge(cluster, players)


def main() -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.tools.cluster", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--kills", type=int, default=0, help="kill so many primaries while people play")
    parser.add_argument("--seed", type=int, default=20261122)
    parser.add_argument("--replicas", type=int, default=1, choices=(0, 1), help="REIBACH_REPLICAS [1]")
    options = parser.parse_args()
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as Ctrl-C: nothing is left behind
    status = int(bool(options.kills))
    with (
        suppress(KeyboardInterrupt),
        tempfile.TemporaryDirectory(prefix="reibach-") as folder,
        deployment(Path(folder), options.replicas) as (cluster, urls),
    ):
        print("nodes:", *(node.url for node in cluster.nodes))
        print("Reibach & Co. is played in the browser at", " and ".join(urls), flush=True)
        if options.kills:
            wrong = attack(cluster, urls, options.kills, options.seed)
            print(*(wrong or ["nothing lost, doubled or torn"]), sep="\n")
            status = 1 if wrong else 0
        else:
            Event().wait()
    return status


if __name__ == "__main__":
    raise SystemExit(main())
