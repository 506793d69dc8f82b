"""The benchmarks do what they say: modules import, the client plays whole games, and a short run prints its table."""

import json
import os
import re
import subprocess
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib import import_module
from itertools import islice
from pathlib import Path
from random import Random
from threading import Event, Thread, Timer

import httpx
import pytest

from service.connections.clients import connect
from tests.bench import bare_app
from tests.bench.beside import RATIOS
from tests.bench.capacity import Visitors
from tests.bench.common import HOST, ROOT
from tests.bench.games import random_plans
from tests.bench.players import Played, Players, Step
from tests.bench.services import bare_route
from tests.bench.services import service as running_service
from tests.bench.summary import BEGIN, END
from tests.bench.tables import Stock, Table, bare_steps, open_table, post

MODULES = sorted(path.stem for path in Path(__file__).parent.glob("*.py") if not path.stem.startswith("test_"))
PLANS = list(islice(random_plans(Random(11)), 3))


@pytest.mark.parametrize("module", MODULES)
def test_every_benchmark_imports(module: str) -> None:
    """What a benchmark takes from the service is still there."""
    assert import_module(f"tests.bench.{module}").__doc__


def test_the_bare_route_writes_to_the_store(valkey: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answers 201, and its append is in the store."""
    monkeypatch.setenv("REIBACH_REDIS_URL", valkey)
    answer = bare_app.create().test_client().post("/append", json={"type": "take"})
    assert (answer.status_code, answer.get_json()["version"]) == (201, 2)
    assert connect(valkey).exists(f"{{s00}}:game:{answer.get_json()['game']}") == 1


@pytest.mark.parametrize("plan", PLANS, ids=lambda plan: plan.create.game)
def test_a_turn_is_a_list_of_its_actions(plan) -> None:
    """Lists hold all actions in their order, up to three of one seat; a scoring round ends its list."""
    table = Table(plan, "g", [f"token {seat}" for seat in range(5)])
    singles, turns = table.steps(), table.turns()
    contents = [json.loads(step.request.partition(b"\r\n\r\n")[2]) for step in turns]
    alone = [json.loads(step.request.partition(b"\r\n\r\n")[2]) for step in singles]
    assert [action for content in contents for action in content["actions"]] == alone
    assert all(len(content["actions"]) == step.actions <= 3 for content, step in zip(contents, turns, strict=True))
    assert len(turns) < len(singles)
    assert sum(bool(step.poll) for step in turns) == sum(bool(step.poll) for step in singles) == 3
    ends = [sum(step.actions for step in turns[: place + 1]) for place, step in enumerate(turns) if step.poll]
    assert ends == plan.scoring_actions


def test_the_bare_route_gets_requests_of_the_same_size() -> None:
    """Both sides' requests differ by the length of the path and of the token only."""
    plan = PLANS[0]
    ours = Table(plan, "0" * 20, ["t" * 60] * 5).steps()
    bare = bare_steps(plan)
    assert [step.actions for step in bare] == [step.actions for step in ours]
    longer = len("/v1/games//actions") + 20 - len("/append")
    assert {len(one.request) - len(two.request) for one, two in zip(ours, bare, strict=True)} == {longer}


@pytest.mark.nightly
def test_players_play_whole_games() -> None:
    """Single actions and turns: each game reaches its planned end, with all of its scoring rounds."""
    with running_service() as running, bare_route(running) as bare, httpx.Client() as http:
        http.base_url = httpx.URL(f"http://127.0.0.1:{running.port}")
        for script in (Table.steps, Table.turns):
            tables = [open_table(http, plan) for plan in PLANS]
            games = [script(table) for table in tables]
            fillers = Stock(running.port, PLANS, script)
            fillers.fill(24)
            left = games[::-1]
            players = Players(running.port, 1, lambda left=left, more=fillers: left.pop() if left else more.take())
            runs: list[Played] = []
            while left or not is_over(http, tables[-1]):
                runs.append(players.play(0.5, running.used))
            for table in tables:
                assert http.get(f"/v1/games/{table.game}").json()["version"] == len(table.plan.events)
            assert sum(len(run.pauses) for run in runs) >= 3
            assert not list(running.store.scan_iter("*:analysis:*"))  # it would be measured, too
            assert {"web us", "worker us", "store us", "client us", "all us", "p99 ms"} <= runs[-1].figures().keys()
        steps = bare_steps(PLANS[0])
        assert Players(bare.port, 4, lambda: steps).play(0.2, bare.used).actions > 0
        refused = [Step(post("/v1/games/none/actions", "", {"type": "take", "slot": 0}))]
        with pytest.raises(RuntimeError, match=r"^HTTP/1.1 40[14]"):
            Players(running.port, 1, lambda: refused).play(0.2)


@pytest.mark.nightly
def test_no_time_is_of_the_burst_at_the_beginning() -> None:
    """All connections ask at once at first, which no visitors do: what is measured begins when that is answered."""

    class Slow(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            burst.wait()
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_arguments: object) -> None:
            """Print nothing."""

    burst = Event()
    with ThreadingHTTPServer((HOST, 0), Slow) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        Timer(0.5, burst.set).start()
        steps = [Step(post("/", "", {}))]
        visitors = Visitors(server.server_port, 4, lambda: steps)  # no more than wait to be accepted
        visitors.rate = 100
        times = visitors.play(0.5).times
        server.shutdown()
    assert times
    assert max(times) < 400  # the burst's take 500


def is_over(http: httpx.Client, table: Table) -> bool:
    """Whether the game has ended."""
    return http.get(f"/v1/games/{table.game}").json()["status"] == "over"


@pytest.mark.nightly
@pytest.mark.timeout(600)
def test_the_short_form_fills_the_document(tmp_path: Path) -> None:
    """Every side that is here is measured, and ours loses nothing."""
    document = tmp_path / "performance.md"
    document.write_text(f"before\n{BEGIN}\nold\n{END}\nafter\n", encoding="utf-8")
    command = [sys.executable, "-m", "tests.bench", "--short", "--write", str(document)]
    ended = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert ended.returncode == 0, ended.stderr
    text = document.read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n\n- **What")
    assert text.endswith(f"\n</details>\n\n{END}\nafter\n")
    assert re.search(r"`kill -9` during play, it lost 0 of \d+", text)
    assert "| not measured |" not in text.partition(RATIOS[2].name)[0]
