"""The analysis of a finished game: who may have one, what workers make of it, and what it costs others."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import inf
from pathlib import Path
from random import Random
from typing import Any

import orjson
import pytest
import redis
from jsonschema import Draft202012Validator
from rq.timeouts import JobTimeoutException

from domain.analysis import PlayedTurn, answer_of, judge, judge_turn
from domain.commands import GiveConsent, SeatPlan
from domain.events import EventRecord
from domain.forks.position import fork_of_running
from service.gamelog.archive.compaction import compact
from service.gamelog.erasing import delete_game, erase_words
from service.gamelog.store import analyses
from service.gamelog.store.errors import NoSuchGame
from service.jobs import SCORE_ROUND
from tests.api.desks import House
from tests.gamelog.ledger import finish, new_game, play_until
from tests.support import shell
from tests.support.client import refused
from tests.support.play import salt_of
from tests.support.world import BEGIN
from workers import analysis, scoring
from workers.__main__ import bind_jobs
from workers.threads.reconciler import Reconciler

NDJSON = {"Accept": "application/x-ndjson"}


def path_of(game: str) -> str:
    return f"/v1/games/{game}/analysis"


def play(house: House, game: str) -> str:
    """The id of a finished game of few turns: a fork of one that is nearly over, which is finished, too."""
    log, parent = house.log, f"{game}-parent"
    log.create(new_game(parent))
    late = play_until(log, parent, Random(game), lambda now: now.revealed >= 9 and now.scoring is None)
    plan = new_game(game)
    plan = replace(plan, seats=tuple(replace(seat, salt=salt_of(game, seat.name)) for seat in plan.seats))
    log.create(fork_of_running(late, late.turn_seat, plan))
    finish(log, game)
    finish(log, parent)
    return game


def work(house: House, slices: int = 1000) -> int:
    """Let a worker that knows nothing yet judge so many slices, if there are; how many there were."""
    process = House(house.log.store)
    reconciler, functions = Reconciler(process.services), bind_jobs(process.services)
    for number in range(slices):
        reconciler.run_once()
        if not process.jobs:
            return number
        function, arguments = process.jobs.pop()
        functions[function](*arguments)
    return slices


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> None:
    """A turn is a slice by itself."""
    monkeypatch.setattr(analysis, "_SLICE_S", 0)
    monkeypatch.setattr(analysis, "judge_steps", lambda events, turn: iter([judge_turn(events, turn)]))


def print_analysis(house: House, game: str, folder: Path) -> bytes:
    """What `reibach analyse` prints of the game's export."""
    file = folder / "game.ndjson"
    file.write_bytes(house.api.get(f"/v1/games/{game}/events", headers=NDJSON).content)
    ended = shell.raw("analyse", file, "--jobs", 1)
    assert (ended.returncode, ended.stderr) == (0, b"")
    return ended.stdout


@pytest.mark.usefixtures("slow")
def test_workers_make_what_the_command_prints(house: House, tmp_path: Path) -> None:
    """Turn by turn, each by another process, one twice and late; two who ask at once get one. It is kept as long as
    the game, says the same when words are erased, and then isn't sent again."""
    game = play(house, "g")
    first = house.api.post(path_of(game), headers={"Idempotency-Key": "k"})
    waiting = {"status": "waiting", "progress": 0.0, "engine": analyses.ENGINE, "turns": [], "seats": []}
    assert (first.status_code, first.json()) == (202, waiting)
    assert house.api.get(path_of(game)).json() == house.api.post(path_of(game)).json() == waiting
    assert work(house, 1) == 1
    found = house.services.analyses.find(game)
    assert found is not None
    total = found.total
    assert total > 3
    running = waiting | {"status": "running", "progress": round(1 / total, 2)}
    assert house.api.get(path_of(game)).json() == running
    kept = house.services.analyses.turns(game)
    assert kept is not None
    ((number, turn),) = kept.items()
    work(house, 1)
    house.services.analyses.add(game, number, orjson.loads(turn), total)  # of a process that was thought to be dead
    assert house.api.post(path_of(game)).status_code == 202
    assert work(house) == total - 2
    done = house.api.get(path_of(game))
    house.services.analyses.add(game, number, orjson.loads(turn), total)
    assert house.api.post(path_of(game)).status_code == 200
    assert house.api.post(path_of(game)).content == done.content
    document = house.api.get("/v1/openapi.json").json()
    schema = {"$ref": "#/components/schemas/Analysis", "components": document["components"]}
    Draft202012Validator(schema).validate(done.json())
    assert (done.json()["status"], len(done.json()["turns"])) == ("done", total)
    assert [seat["seat"] for seat in done.json()["seats"]] == [0, 1]
    assert compact(house.log.store, game, "store", BEGIN * 2)
    assert erase_words(house.log.store, game, 0, lambda: BEGIN) == 1
    assert house.api.get(path_of(game)).content == print_analysis(house, game, tmp_path) == done.content
    tag = done.headers["ETag"]
    again = house.api.get(path_of(game), headers={"If-None-Match": tag})
    assert (tag[:3], again.status_code, again.content) == ('W/"', 304, b"")
    delete_game(house.log.store, game)
    refused(house.api.get(path_of(game)), 404, "no-such-game")
    assert not [key for key in house.log.store.client.scan_iter() if b"analys" in key]


def test_only_a_finished_game_has_one(house: House) -> None:
    """None that was cancelled, nor a fork of a running one, at any remove, while that runs: it would be advice."""
    log, api = house.log, house.api
    log.create(new_game("running"))
    log.create(new_game("cancelled"))
    for seat in (0, 1):
        log.handle("cancelled", GiveConsent(seat=seat, to="cancel"))
    near = play_until(log, "running", Random(1), lambda now: now.turn > 2)
    log.create(fork_of_running(near, near.turn_seat, new_game("fork")))
    far = play_until(log, "fork", Random(1), lambda now: now.turn > 4)
    log.create(fork_of_running(far, far.turn_seat, new_game("fork-of-fork")))
    finish(log, "fork-of-fork")
    finish(log, "fork")
    for game, code in (
        ("running", "game-not-over"),
        ("cancelled", "no-analysis"),
        ("fork", "no-analysis"),
        ("fork-of-fork", "no-analysis"),
    ):
        for answer in (api.get(path_of(game)), api.post(path_of(game))):
            refused(answer, 409, code, log.load(game).game.version)
    finish(log, "running")
    for game in ("running", "fork", "fork-of-fork"):
        refused(api.get(path_of(game)), 404, "not-found", log.load(game).game.version)
        assert api.post(path_of(game)).status_code == 202
    delete_game(log.store, "fork")  # what it was a fork of isn't known any more
    refused(api.get(path_of("fork-of-fork")), 409, "no-analysis", log.load("fork-of-fork").game.version)
    refused(api.get(path_of("nowhere")), 404, "no-such-game")
    with pytest.raises(NoSuchGame):  # deleted meanwhile
        house.services.analyses.begin("nowhere", None)


def test_that_of_a_game_with_people_begins_at_its_end(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """None where no person plays, of a fork of a running game, and where many are under way: these can be asked for."""
    log, score = house.log, bind_jobs(house.services)[SCORE_ROUND]
    bots = new_game("bots", [SeatPlan(bot="greedy"), SeatPlan(bot="random")])
    for plan in (new_game("people"), bots, new_game("parent"), new_game("full")):
        log.create(plan)
    late = play_until(log, "parent", Random(1), lambda now: now.turn > 2)
    log.create(fork_of_running(late, late.turn_seat, new_game("fork")))
    monkeypatch.setattr(scoring, "MOST_UNASKED", 2)
    for game, begins in (("people", True), ("bots", False), ("parent", True), ("fork", False), ("full", False)):
        for number in (1, 2, 3):
            play_until(log, game, Random(game), lambda now, number=number: now.scoring == number)
            assert house.services.analyses.find(game) is None
            score(game, number)
            score(game, number)
        assert house.api.get(path_of(game)).status_code == (200 if begins else 404)
    assert [house.api.post(path_of(game)).status_code for game in ("people", "bots", "fork", "full")] == [202] * 4


def test_few_are_under_way(limited: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """Three of a client, and so many in all; what is asked for again doesn't count, and what is done no longer."""
    games = [play(limited, name) for name in ("g", "half", "g1", "g2")]
    for game in games[:3] * 2:
        assert limited.api.post(path_of(game)).status_code == 202
    told = refused(limited.api.post(path_of(games[3])), 429, "too-many-requests")
    assert "3 games are being analysed for you" in told["detail"]
    monkeypatch.setattr(analyses, "MOST_OF_CLIENT", 9)
    monkeypatch.setattr(analyses, "MOST_UNDER_WAY", 3)
    told = refused(limited.api.post(path_of(games[3])), 429, "too-many-requests")
    assert "No more than 3 games" in told["detail"]
    monkeypatch.undo()
    limited.services.analyses.finish(games[0], orjson.dumps(answer_of([], 2)))
    assert [limited.api.post(path_of(game)).status_code for game in games] == [200, 202, 202, 202]


@pytest.mark.usefixtures("slow")
def test_who_asks_first_is_served_first(house: House) -> None:
    """However many others ask meanwhile, they don't slow it down."""
    for game in ("z", "a"):
        assert house.api.post(path_of(play(house, game))).status_code == 202
    work(house, 3)
    assert [house.api.get(path_of(game)).json()["status"] for game in ("z", "a")] == ["running", "waiting"]


def test_a_slice_ends_for_another_job(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """It looks whether one waits before its first step, and after each sixteenth."""
    steps: list[int] = []
    monkeypatch.setattr(analysis, "_SLICE_S", inf)
    monkeypatch.setattr(analysis, "judge_steps", lambda *_: map(steps.append, range(100)))
    game, waiting = play(house, "g"), iter([0, 0, 0, 1])
    assert house.api.post(path_of(game)).status_code == 202
    monkeypatch.setattr(house.services, "count_queued", lambda: next(waiting))
    analysis.TurnJudge(house.services).judge("g")
    assert steps == [*range(33)]


@pytest.mark.parametrize("fault", [redis.ConnectionError("Connection refused"), JobTimeoutException("too long")])
def test_what_ends_a_slice_loses_no_analysis(house: House, monkeypatch: pytest.MonkeyPatch, fault: Exception) -> None:
    """An outage of the queue, or a worker that was halted for longer than a job may take: the next slice goes on."""
    answers = iter([0])

    def count_queued() -> int:
        for waiting in answers:
            return waiting
        raise fault

    game = play(house, "g")
    assert house.api.post(path_of(game)).status_code == 202
    monkeypatch.setattr(house.services, "count_queued", count_queued)
    with pytest.raises(type(fault)):
        analysis.TurnJudge(house.services).judge(game)
    assert house.api.get(path_of(game)).json()["status"] == "waiting"


def test_a_long_turn_is_made_in_many_slices(house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Of one step each here; a worker that crashes begins the turn again, and the bytes are the same."""
    monkeypatch.setattr(judge, "CHOOSING", 1)
    monkeypatch.setattr(judge, "JUDGING", 2)
    monkeypatch.setattr(analysis, "_SLICE_S", 0)
    steps: list[int] = []

    def count(events: Sequence[EventRecord], turn: PlayedTurn) -> Iterator[dict[str, Any] | None]:
        for result in judge.judge_steps(events, turn):
            steps.append(turn.turn)
            yield result

    monkeypatch.setattr(analysis, "judge_steps", count)
    game = play(house, "g")
    assert house.api.post(path_of(game)).status_code == 202
    assert (work(house, 2), len(set(steps))) == (2, 1)
    slices = work(house)
    assert (len(steps), slices > 3 * len(set(steps))) == (2 + slices, True)
    assert house.api.get(path_of(game)).content == print_analysis(house, game, tmp_path)


@pytest.mark.nightly
def test_workers_share_a_game(house: House, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """While one judges a turn another begins at once, and may finish all; the late result changes nothing."""
    others = [lambda: work(house)]

    def judge_late(events: Sequence[EventRecord], turn: PlayedTurn) -> Iterator[dict[str, Any]]:
        if others:
            assert others.pop()() > 0
            assert house.api.get(path_of(game)).json()["status"] == "done"
        return iter([judge_turn(events, turn)])

    monkeypatch.setattr(analysis, "judge_steps", judge_late)
    game = play(house, "g")
    assert house.api.post(path_of(game)).status_code == 202
    assert (work(house), others) == (1, [])
    assert house.api.get(path_of(game)).content == print_analysis(house, game, tmp_path)


@pytest.mark.nightly
def test_another_engine_makes_it_anew(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it is asked for; until then that of the other is shown, and one that it has left half done begins anew."""
    game, half = play(house, "g"), play(house, "half")
    with monkeypatch.context() as earlier:
        earlier.setattr(analyses, "ENGINE", "shark@0")
        for one in (game, half):
            assert house.api.post(path_of(one)).json()["engine"] == "shark@0"
        house.services.analyses.finish(game, orjson.dumps(answer_of([], 2) | {"engine": "shark@0"}))
    old, anew = house.api.get(path_of(game)).json(), house.api.post(path_of(game)).json()
    assert (old["status"], old["engine"]) == ("done", "shark@0")
    assert (anew["status"], anew["engine"]) == ("waiting", analyses.ENGINE)
    work(house)
    for one in (game, half):
        made = house.api.get(path_of(one)).json()
        assert (made["status"], made["engine"], bool(made["turns"])) == ("done", analyses.ENGINE, True)


def test_one_that_fails_is_dropped(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    """It would fail again, and hold up those of others; it can be asked for once more."""
    game = play(house, "g")
    assert house.api.post(path_of(game)).status_code == 202
    with monkeypatch.context() as broken:
        broken.setattr(analysis, "judge_steps", "no engine")
        with pytest.raises(TypeError):
            work(house, 1)
    refused(house.api.get(path_of(game)), 404, "not-found")
    assert work(house) == 0
    assert house.api.post(path_of(game)).status_code == 202
    delete_game(house.log.store, game)
    assert work(house) == 0
    house.log.store.client.zadd(house.log.store.analysis(game)[1], {game: 0})  # by a process that knew it still
    assert [work(house), work(house)] == [1, 0]  # that finds nothing, once
