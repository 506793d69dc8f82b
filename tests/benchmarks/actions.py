"""Accepted actions a second over HTTP, compared with a bare Flask route on the same server, store and settings.

Run: `python -m tests.benchmarks.actions`. Needs wrk.
"""

import json
import secrets
import shutil
import subprocess
import tempfile
from pathlib import Path
from random import Random

import httpx

from domain.commands import Act, CreateGame, SeatPlan
from domain.decide import decide
from domain.legality import legal_actions
from domain.orders.wishes import json_of
from domain.state import Game
from tests.benchmarks.common import HOST, Load, durable_store, median, post_load, show, web

CONNECTIONS = 16
SECONDS = 3
ROUNDS = 3
SCRIPT = Path(__file__).with_name("actions.lua")


def planned_actions(seed: bytes, seats: int, chance: Random) -> list[tuple[int, str]]:
    """(seat, body) of the actions of a random game up to its first scoring round."""
    plans = tuple(SeatPlan(name=f"Player {seat}") for seat in range(seats))
    game = decide(CreateGame(game="planned", server_seed=seed, seats=plans), Game()).game
    planned: list[tuple[int, str]] = []
    while True:
        action = chance.choice(list(legal_actions(game, game.turn_seat)))
        decision = decide(Act(seat=game.turn_seat, actions=(action,)), game)
        if decision.game.scoring is not None:
            return planned
        planned.append((game.turn_seat, json.dumps(json_of(action))))
        game = decision.game


def plan_games(port: int, count: int, chance: Random) -> list[list[str]]:
    """Create games over HTTP with known seeds; for each what will be played in it: game, token and body a line."""
    plans = []
    with httpx.Client(base_url=f"http://{HOST}:{port}") as client:
        for _ in range(count):
            seed = chance.randbytes(32)
            seats = chance.randint(2, 5)
            names = [{"name": f"Player {seat}"} for seat in range(seats)]
            answer = client.post("/v1/games", json={"seats": names, "server_seed": seed.hex()}).json()
            game = answer["game"]["id"]
            tokens = [seat["token"] for seat in answer["seats"]]
            plans.append([f"{game}\t{tokens[seat]}\t{body}" for seat, body in planned_actions(seed, seats, chance)])
    return plans


def play(port: int, games: list[list[str]], connections: int = CONNECTIONS, seconds: int = SECONDS) -> Load:
    """Play the games for so many seconds, spread over the connections, each of which plays a game after the other."""
    with tempfile.TemporaryDirectory() as folder:
        for number in range(connections):
            mine = [line for game in games[number::connections] for line in game]
            Path(folder, str(number)).write_text("\n".join(mine) + "\n")
        threads = [f"-t{connections}", f"-c{connections}", f"-d{seconds}s"]
        command = ["wrk", *threads, "-s", str(SCRIPT), f"http://{HOST}:{port}", "--", folder]
        output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return Load(**json.loads(output.rpartition("RESULT ")[2]))


def main() -> None:
    """Interleaved rounds, medians, and the ratio."""
    if not shutil.which("wrk"):
        raise SystemExit("this benchmark needs wrk")
    seed = secrets.randbits(32)
    print(f"seed {seed}")
    chance = Random(seed)
    ours, bare = [], []
    with (
        durable_store() as store,
        web(store) as service,
        web(store, "tests.benchmarks.bare_app:create") as route,
    ):
        for number in range(ROUNDS + 1):
            played = play(service, plan_games(service, 500, chance))
            posted = post_load(route, "/append", {"type": "take", "slot": 1}, connections=CONNECTIONS, seconds=SECONDS)
            if number:  # the first round warms up
                ours.append(played)
                bare.append(posted)
    for name, runs in (("accepted actions", ours), ("bare route", bare)):
        figures = median(runs)
        show(name, rps=figures.rps, p50=figures.p50, p99=figures.p99, errors=figures.errors)
    show("accepted actions / bare route", ratio=median(ours).rps / median(bare).rps)


if __name__ == "__main__":
    main()
