"""Processes that stand still, R17, and clocks that jump, R16."""

import signal
import time
from typing import Final

import httpx

from domain.clock.pace import Pace
from domain.commands import CreateGame, SeatPlan
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.runtime.clock import now_ms
from tests.bench.fault_report.load import Load
from tests.bench.fault_report.scene import Run, Scene, ask, build_shim, end, store_program, store_version
from tests.bench.fault_report.verifier import read_logs
from tests.faults.verdict import AIM_MS, find_turns, read_events
from tests.support.waiting import patience, wait_until

DAYS: Final = (1, -1, 10, 0)
"""By which clocks are off, one after the other."""
TURN_S: Final = 60
"""What a turn has at least."""
SLOW = 2.0
"""Seconds within which `/healthz` must answer, whatever the store does, on a quiet machine."""


def pause(run: Run) -> None:
    """R17: a process that stood still, or is thought dead, spoils nothing when it goes on."""
    plan = [("store", 0.1), ("store", 0.5), ("store", 3), ("worker", 6), ("web process", 2), ("store", 8)]
    plan += run.size(0, 1) * [("store", 30), ("worker", 60), ("web process", 60), ("post", 60), ("store", 60)]
    with run.serve() as scene, scene.load(16) as load:
        run.outcome.store = store_version(scene.client())
        waits, alive = [], 0.0
        for name, seconds in plan:
            load.wait_for(40)
            victim = scene.part(name)
            end(victim, signal.SIGSTOP)
            alive = max(alive, _probe(scene, seconds))
            waits.append((load.wait_for_recovery(end(victim, signal.SIGCONT)), name, seconds))
            load.wait_for(40)
        scene.judge(load)
    run.outcome.recovery = max(waits)[0]
    run.need(max(waits)[0] <= patience(2.5), "after {2} s of a {1} it took {0:.1f} s".format(*max(waits)))
    run.need(alive <= patience(SLOW), f"/healthz took {alive:.1f} s")
    run.outcome.how = "SIGSTOP and SIGCONT: " + ", ".join(f"{name} {seconds} s" for name, seconds in plan)


def _probe(scene: Scene, seconds: float) -> float:
    """The slowest of the answers of `/healthz` for so long; a web process that stands still answers none."""
    until, slowest = time.monotonic() + seconds, 0.0
    while (began := time.monotonic()) < until:
        try:
            httpx.get(f"{scene.url}/healthz", timeout=max(0.2, until - began))
            slowest = max(slowest, time.monotonic() - began)
        except httpx.TransportError:
            continue
        time.sleep(0.05)  # no waiting for a condition: probes at intervals
    return slowest


def jump(run: Run) -> None:
    """R16: clocks of machines that are a day off, and a store's clock that jumps: play goes on, times never go back.

    Deadlines are kept while other clocks are off, and none passes because the store's clock has jumped.
    """
    shim = build_shim(run.folder)
    store_clock, others = run.folder / "store-clock", run.folder / "other-clocks"
    program = store_program(run, preload=shim, FAULTS_CLOCK=str(store_clock))
    settings = {"REIBACH_VALKEY_BINARY": program, "LD_PRELOAD": str(shim), "FAULTS_CLOCK": str(others)}
    with run.serve(**settings) as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        late = []
        for days in DAYS:
            game, deadline = _leave(scene, 3)
            others.write_text(str(days * 86400))
            _play_on(run, load, f"web and workers {days:+d} d")
            _need_clock(run, scene, None, f"web and workers {days:+d} d")
            late.append(_time_out(scene, game) - deadline)
        waiting, _ = _leave(scene, TURN_S - 1)
        for days in DAYS:
            store_clock.write_text(str(days * 86400))
            _play_on(run, load, f"store {days:+d} d")
            _need_clock(run, scene, "unsteady", f"store {days:+d} d")
        turn = _bots_play(scene)
        scene.judge(load)
    logs = read_logs(run.folder / "exports")
    times = [[event["at"] for event in log] for log in logs.values()]
    run.need(all(one == sorted(one) for one in times), "times in a log go back")
    run.need(turn <= patience(5), f"a bot that was on turn played after {turn:.1f} s")
    run.need(min(late) >= 0, f"a turn timed out {-min(late)} ms before its deadline")
    run.need_within("a turn timed out after its deadline by", max(late) / 1000, AIM_MS / 1000)
    early = [event["version"] for event in logs[waiting] if event["type"] == "TurnTimedOut"]
    run.need(not early, f"the store's clock jumped, and a turn that had a minute left timed out at version {early}")
    run.outcome.notes.append("times in logs are the store's")
    if not run.outcome.faults:
        run.outcome.notes.append(
            f"{len(late)} deadlines were kept while the clocks of web and workers were off; none"
            " passed by jumps of the store's"
        )
    run.outcome.how = "clocks of web and workers, then of the store, +1, -1, +10, 0 days, under 8 clients"


def _leave(scene: Scene, seconds: float) -> tuple[str, int]:
    """A game whose player never plays, and its deadline so many seconds from now, in ms since 1970.

    A turn lasts a minute at least, so this one began a while ago.
    """
    chance, seats = scene.run.chance, (SeatPlan(name="Anna"), SeatPlan(bot="greedy"))
    ago, game = round(1000 * (TURN_S - seconds)), f"{chance.getrandbits(100):025x}"
    games = GameLog(scene.service.store, Reactions(lambda *_: None, 0.0), clock=lambda: now_ms() - ago)
    pace = Pace(turn_seconds=TURN_S)
    created = games.create(CreateGame(game=game, server_seed=chance.randbytes(32), seats=seats, pace=pace))
    return game, created.head.turn_since + 1000 * TURN_S


def _time_out(scene: Scene, game: str) -> int:
    """When the first turn of a game timed out, by its log, in ms since 1970."""
    found: list[int | None] = []

    def look() -> bool:
        found[:] = [turn.timed_out for turn in find_turns(read_events(scene.service.games(), game))[:1]]
        return any(found)

    wait_until(look, 20, poll=0.1)
    return found[0] or 0


def _need_clock(run: Run, scene: Scene, word: str | None, what: str) -> None:
    """`/readyz` says this of clocks before long, and that games can be played."""
    seen: list[tuple[int, str | None]] = []

    def says() -> bool:
        status, content = scene.get("/readyz")
        seen.append((status, content.get("clock") if isinstance(content, dict) else None))
        return seen[-1] == (200, word)

    try:
        wait_until(says, 5, poll=0.1)
    except AssertionError:
        run.need(None, f"{what}: /readyz answers {seen[-1]}, not {(200, word)}")


def _play_on(run: Run, load: Load, what: str) -> None:
    began = time.monotonic()
    load.wait_for(60, 30)
    taken = time.monotonic() - began
    run.outcome.recovery = max(run.outcome.recovery or 0, load.wait_for_recovery(began))
    run.need(taken < patience(15), f"{what}: 60 requests took {taken:.1f} s")


def _bots_play(scene: Scene) -> float:
    """Seconds until a bot that begins has played its first turn."""
    body = {"seats": [{"name": "Anna"}, {"bot": "greedy"}], "starting_seat": 1}
    began = time.monotonic()
    status, content = ask(scene.url, "POST", "/v1/games", body)
    assert status == 201, content
    game = content["game"]["id"]

    def is_people_turn() -> bool:
        view = scene.get(f"/v1/games/{game}")[1]
        return bool(view) and view["turn"]["seat"] == 0

    wait_until(is_people_turn, 30)
    return time.monotonic() - began
