"""What `/metrics` says: valid, of the whole deployment, and nothing about players."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import redis
from prometheus_client.metrics_core import Metric
from prometheus_client.parser import text_string_to_metric_families
from werkzeug.test import TestResponse

from config.settings import Settings
from service.api.exposition import render_metrics
from service.connections.clients import Client, connect_queue
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.health.heartbeat import POST, Alive, Readiness, send_heartbeat
from service.gamelog.store.streams import Store
from service.jobs import PLAY_ORDERS, SCORE_ROUND, TIME_OUT, JobQueues
from service.runtime.clock import now_ms
from service.runtime.shared import SHARED_FOLDER_VARIABLE, make_shared_folder
from service.status import Backlog, DeploymentStatus, StatusReader, report
from tests.api.worlds import World
from tests.conftest import Service
from tests.gamelog.ledger import SHARDS, open_games
from tests.support.cases import cases
from tests.support.client import Api
from tests.support.stores import Server
from tests.support.waiting import patience, wait_until
from tests.support.world import http_of, new_services
from workers.counts import PLAY_TURN, Counts, counted_job
from workers.threads.reporter import Reporter


def families(text: str) -> dict[str, Metric]:
    found = list(text_string_to_metric_families(text))
    assert len({family.name for family in found}) == len(found), "a family twice"
    return {family.name: family for family in found}


def value(text: str, name: str, **labels: str) -> float | None:
    """A sample, by its whole name and its labels; None if there is none."""
    samples = (sample for family in families(text).values() for sample in family.samples)
    return next((sample.value for sample in samples if (sample.name, sample.labels) == (name, labels)), None)


def check_histogram(family: Metric) -> None:
    """Buckets are cumulative, and the last one is the count."""
    series: dict[tuple[tuple[str, str], ...], list[tuple[float, float]]] = {}
    counts = {}
    for sample in family.samples:
        labels = tuple(sorted((name, text) for name, text in sample.labels.items() if name != "le"))
        if sample.name.endswith("_bucket"):
            series.setdefault(labels, []).append((float(sample.labels["le"]), sample.value))
        elif sample.name.endswith("_count"):
            counts[labels] = sample.value
    assert series.keys() == counts.keys()
    for labels, buckets in series.items():
        values = [amount for _, amount in sorted(buckets)]
        assert values == sorted(values)
        assert values[-1] == counts[labels]


def test_the_answer_is_valid(api: Api) -> None:
    """Every family has a type and a meaning, units are base units, no sample comes twice."""
    found = families(api.get("/metrics").text)
    assert len(found["reibach_build_info"].samples) == 1
    for name, family in found.items():
        assert name.startswith("reibach_")
        assert family.documentation
        assert family.type in {"counter", "gauge", "histogram"}
        assert name.endswith("_seconds") or "seconds" not in name
        keys = [(sample.name, *sorted(sample.labels.items())) for sample in family.samples]
        assert len(set(keys)) == len(keys)
        if family.type == "histogram":
            check_histogram(family)
        if family.type == "counter":
            assert all(sample.name.endswith("_total") for sample in family.samples)


def test_no_label_tells_what_players_do(api: Api) -> None:
    """Every label and value is of a small fixed list: no route, no refusal, no game and no address is among them."""
    for path in ("/v1/games/nowhere/legal-actions", "/v1/games/nowhere", "/nowhere"):
        api.get(path)
    allowed = cases(__file__, "labels")
    for family in families(api.get("/metrics").text).values():
        for sample in family.samples:
            for label, text in sample.labels.items():
                assert label in {"le", "version", "commit"} or text in allowed[label], sample


def test_a_game_of_bots_moves_the_metrics(service: Service, api: Api) -> None:
    """What web and workers count, over both: requests by group, jobs, turns, events and the end."""

    def read(name: str, **labels: str) -> float:
        return value(api.get("/metrics").text, name, **labels) or 0.0

    opened = read("reibach_request_seconds_count", group="games", status="2xx")
    refused = read("reibach_request_seconds_count", group="games", status="4xx")
    before = {name: read(name) for name in ("reibach_games_over_total", "reibach_bot_turns_total")}
    scored = read("reibach_jobs_total", function="score_round", outcome="done")
    api.create([{"bot": "greedy"}, {"bot": "random"}])
    api.http.post("/v1/games", json={"seats": []})
    assert read("reibach_request_seconds_count", group="games", status="2xx") > opened
    assert read("reibach_request_seconds_count", group="games", status="4xx") > refused
    wait_until(lambda: read("reibach_jobs_total", function="score_round", outcome="done") >= scored + 3, 30)
    wait_until(lambda: read("reibach_games_over_total") > before["reibach_games_over_total"], 30)  # in a later report
    assert read("reibach_bot_turns_total") > before["reibach_bot_turns_total"]
    assert read("reibach_worker_events_appended_total") > 30
    assert read("reibach_workers_alive") >= 1
    wait_until(lambda: read("reibach_post_alive") == 1, 30)
    assert read("reibach_store_up") == 1
    assert read("reibach_store_memory_used_bytes", node="0") > 1e5
    assert read("reibach_store_writing", node="0") == 1
    assert read("reibach_store_write_seconds_count") >= 1
    assert read("reibach_clock_steady") == 1
    assert read("reibach_clock_error_seconds") < 60


@pytest.fixture
def reader(real_client: Client, server: Server) -> Iterator[StatusReader]:
    jobs = JobQueues(connect_queue(server("valkey")))
    yield StatusReader(Store(real_client, SHARDS), jobs)
    jobs.connection.close()


def test_what_waits(real_client: Client, reader: StatusReader) -> None:
    """Due games of all shards and queued jobs, with the age of the oldest; jobs that can't be read are counted."""
    now = now_ms()
    for shard, key in enumerate(reader._store.shard_keys("due")):
        real_client.zadd(key, {f"late{shard}": now - 60_000 - shard, f"early{shard}": now + 3600_000})
        real_client.zadd(key.replace("due", "quiet"), {f"quiet{shard}": now, f"late{shard}": now + 3600_000})
        real_client.zadd(key.replace("due", "bots"), {f"bots{shard}": now + 3600_000})
    assert reader._jobs is not None
    reader._jobs.enqueue(PLAY_ORDERS, ["g"], "orders-g-1")
    real_client.hset("rq:job:orders-g-1", "enqueued_at", "2026-01-31T18:05:09.123456Z")
    reader._jobs.enqueue(SCORE_ROUND, ["g", 1], "score-g-1")
    reading = reader.read()
    assert reading is not None
    assert reading.jobs is not None
    assert (reading.due.count, reading.of_bots, reading.live) == (SHARDS, SHARDS, 2 * SHARDS)
    assert 60 <= reading.due.oldest_s < 3600
    assert reading.jobs.count == 2
    assert reading.jobs.oldest_s > 3600
    real_client.flushall()
    for number, time in enumerate(("soon", b"\xff", "0001-01-01T00:00:00")):  # not written by the service
        real_client.hset(f"rq:job:{number}", "enqueued_at", time)
    real_client.set("rq:job:no-hash", "")
    real_client.rpush("rq:queue:reibach", "0", "1", "2", "no-hash", "missing")
    reading = StatusReader(reader._store, reader._jobs).read()
    assert reading is not None
    assert reading.jobs == Backlog(5, 0.0)


def test_workers_add_up(real_client: Client, reader: StatusReader) -> None:
    """Counts of two machines are added; what no longer reports isn't alive; unknown counts are passed over."""
    report(real_client, "one", {"reibach_bot_turns": 3, "reibach_jobs play_turn done": 2, "future x": 1})
    report(real_client, "two", {"reibach_bot_turns": 4, "reibach_notices delivered": 5})
    counts = Counts()
    for seconds in (0.001, 0.2, 99):
        counts.observe("reibach_job_seconds", "play_turn", seconds=seconds)
    report(real_client, "two", counts.take())
    real_client.zadd("{reibach}:workers", {"one": now_ms() - 60_000})
    text = render_metrics(reader.read()).decode()
    assert value(text, "reibach_post_alive") == 0
    send_heartbeat(store := Store(real_client, SHARDS), POST)
    assert value(render_metrics(StatusReader(store).read()).decode(), "reibach_post_alive") == 1
    assert value(text, "reibach_workers_alive") == 1
    assert value(text, "reibach_bot_turns_total") == 7
    assert value(text, "reibach_notices_total", outcome="delivered") == 5
    assert value(text, "reibach_jobs_total", function="play_turn", outcome="done") == 2
    assert value(text, "reibach_job_seconds_count", function="play_turn") == 3
    assert value(text, "reibach_job_seconds_bucket", function="play_turn", le="0.3") == 2
    assert "future" not in text
    for family in families(text).values():
        if family.type == "histogram":
            check_histogram(family)


def test_a_scrape_is_kept_for_a_moment(real_client: Client, reader: StatusReader) -> None:
    def commands() -> int:
        return int(real_client.info("stats")["total_commands_processed"])

    reader.read()
    before = commands()
    assert all(reader.read() is reader.read() for _ in range(20))
    assert commands() - before <= 2 + 30  # those of this test, and of one more reading where a second has passed


def test_a_report_that_fails_is_made_later(real_client: Client, tmp_path: Path) -> None:
    """Nothing that was counted is lost while the store is away."""
    counts, nobody = Counts(), connect_queue(f"unix://{tmp_path}/nobody")
    services = new_services(open_games(nobody))
    counts.add("reibach_bot_turns", amount=5)
    with pytest.raises(redis.ConnectionError):
        Reporter(services, counts).run_once()
    assert counts.take() == {"reibach_bot_turns": 5}
    assert services.status.read() is None
    assert value(render_metrics(None).decode(), "reibach_store_up") == 0


def record_jump(client: Client, clock: StoreClock) -> None:
    client.set("{s00}:jumped", clock.now_ms())
    clock.measure()


def test_readyz_tells_what_is_missing_or_unsteady(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each in a member of its own: the service is ready, as games are played on; without its store it isn't."""
    services = new_services(open_games(real_client))
    monkeypatch.setattr(Readiness, "status", lambda _: "ready")
    monkeypatch.setattr(Readiness, "has_post", lambda _: True)
    http = http_of(services)
    assert http.get("/readyz").get_json() == {"status": "ready"}
    monkeypatch.setattr(Readiness, "has_post", lambda _: False)
    assert http.get("/readyz").get_json() == {"status": "ready", "post": "missing"}
    monkeypatch.setattr(Readiness, "has_post", lambda _: True)
    with monkeypatch.context() as patch:
        patch.setattr(services.readiness, "_alive", Alive(worker=True, post=True, was_set_back=True))
        assert http.get("/readyz").get_json() == {"status": "ready", "store": "set-back"}
    record_jump(real_client, services.clock)
    answer = http.get("/readyz")
    assert (answer.status_code, answer.get_json()) == (200, {"status": "ready", "clock": "unsteady"})
    text = render_metrics(services.status.read(), services.clock).decode()
    assert value(text, "reibach_clock_steady") == 0
    monkeypatch.setattr(Readiness, "status", lambda _: "no-store")
    answer = http.get("/readyz")
    assert (answer.status_code, answer.get_json()) == (503, {"status": "no-store"})


def test_a_worker_that_stops_reports_its_last_counts(real_client: Client) -> None:
    counts = Counts()
    services = new_services(open_games(real_client))
    reporter = Reporter(services, counts)
    reporter._stop.set()  # so that its thread ends without a report
    reporter.start()
    counts.add("reibach_bot_turns", amount=5)
    reporter.stop()
    reading = services.status.read()
    assert reading
    assert reading.counts["reibach_bot_turns"] == 5


def test_jobs_are_counted_with_their_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that raises has failed; one that isn't named in the metrics is among the others."""
    counts = Counts()
    monkeypatch.setattr("workers.counts.COUNTS", counts)

    def job(divisor: int) -> None:
        assert 1 / divisor

    counted = counted_job(PLAY_TURN, job)
    counted(1)
    with pytest.raises(ZeroDivisionError):
        counted(0)
    counted_job(TIME_OUT, job)(1)
    counted_job("workers.orders.carry_out", job)(1)
    taken = counts.take()
    assert taken["reibach_jobs play_turn done"] == taken["reibach_jobs play_turn failed"] == 1
    assert taken["reibach_jobs time_out done"] == taken["reibach_jobs other done"] == 1
    assert taken["reibach_job_seconds_sum play_turn"] > 0


@pytest.mark.nightly
def test_streams_of_a_killed_process_are_forgotten() -> None:
    before = os.environ.get(SHARED_FOLDER_VARIABLE)
    folder = make_shared_folder()
    try:
        die = (
            "import os; from service.api.protocol.metrics import STREAMS, _EVENTS; "
            "STREAMS.inc(3); _EVENTS.inc(2); os._exit(9)"
        )
        subprocess.run([sys.executable, "-c", die], check=False, timeout=patience(30))
        assert list(folder.glob("gauge_livesum_*.db"))
        text = render_metrics(DeploymentStatus(0, False, {}, 0, 0, Backlog(0, 0.0), Backlog(0, 0.0), (), None)).decode()
        assert value(text, "reibach_streams_open") in (None, 0)
        assert value(text, "reibach_events_appended_total") == 2
    finally:
        del os.environ[SHARED_FOLDER_VARIABLE]
        if before is not None:
            os.environ[SHARED_FOLDER_VARIABLE] = before
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()


TOKEN = "the operator's token"


@pytest.fixture(scope="module")
def guarded() -> World:
    return World(settings=Settings(rate_limit=0, metrics_token=TOKEN))


def read_metrics(world: World, headers: dict[str, str]) -> TestResponse:
    return world.ask("GET", "/metrics", headers=headers, environ_overrides={"REMOTE_ADDR": "127.0.0.1"})


@pytest.mark.parametrize("host", ["localhost", "localhost:8000", "127.0.0.1:8000", "[::1]:8000"])
def test_the_machine_itself_may_read_the_metrics(guarded: World, host: str) -> None:
    assert read_metrics(guarded, {"Host": host}).status_code == 200


@pytest.mark.parametrize("headers", cases(__file__, "what_came_through_a_proxy_needs_the_token"), ids=str)
def test_what_came_through_a_proxy_needs_the_token(guarded: World, headers: dict[str, str]) -> None:
    sent = {"Host": "127.0.0.1:8000"} | headers
    refused = read_metrics(guarded, sent)
    assert (refused.status_code, refused.get_json()["type"]) == (403, "/problems/forbidden")
    assert read_metrics(guarded, sent | {"Authorization": f"Bearer {TOKEN}"}).status_code == 200
