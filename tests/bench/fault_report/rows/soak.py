"""Long runs: everything at random, R28, and without any fault, for what grows."""

import json
import signal
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import pairwise
from math import inf
from pathlib import Path
from random import Random
from threading import Event, Thread
from typing import Final, Self

import httpx

from tests.bench.fault_report.load import Connection, Load
from tests.bench.fault_report.rows.kills import PARTS
from tests.bench.fault_report.scene import MOST_CACHED, Run, Scene, end, store_version
from tests.faults.parts import descendants
from tests.support.waiting import patience, wait_until

LOOKS: Final = 8
"""Views of each game in the warm-up, each over a connection of its own: so nearly every web process is asked for it."""
FLAT: Final = 0.05
"""Growth by which what must be flat may differ over the run."""
Sample = dict[str, float]


def everything(run: Run) -> None:
    """R28: kills and pauses of all parts at random, for hours."""
    seconds, chance = run.size(25, 8 * 3600), run.chance
    with run.serve() as scene, scene.load(8) as load:
        run.outcome.store = store_version(scene.client())
        until, done, worst = time.monotonic() + seconds, 0, 0.0
        while time.monotonic() < until and not (load.errors or load.unexpected):
            load.wait_for(chance.randint(8, 120))
            worst = max(worst, load.wait_for_recovery(_hurt(scene, chance)))
            done += 1
        scene.judge(load)
    run.outcome.recovery = worst
    run.outcome.how = f"{done} kills and pauses of all parts at random, {seconds} s"


def _hurt(scene: Scene, chance: Random) -> float:
    """Kill a part, or have it stand still for a moment; when that was over."""
    victim = scene.part(chance.choice(PARTS))
    if chance.random() < 0.5:
        return end(victim)
    end(victim, signal.SIGSTOP)
    time.sleep(chance.uniform(0.1, 3))  # no waiting for a condition: the length of the fault
    return end(victim, signal.SIGCONT)


def calm(run: Run) -> None:
    """Half of the requests that the machine can take: what must be flat is flat, and no answer is a fault.

    The long form begins with a warm-up at full speed, until each process has cached as many games as it ever does.
    Growth is judged there alone: in the short form caches fill all the time.
    """
    seconds, clients = run.size(120, 3600), 8
    with run.serve(REIBACH_ARCHIVE_AFTER="60") as scene:
        run.outcome.store = store_version(scene.client())
        most, before = _warm_up(run, scene, clients)
        load = scene.load(clients, seed="calm", interval=2 * clients / most)
        load.journals = run.folder / "games.journals" / "calm"
        with load, Spectators(load, run.chance) as spectators:
            samples = _samples(run, scene, load, before, seconds)
            rate = len(load.times) / seconds
        scene.judge(load)
    meant = {status for status in load.counts if status[0] in "23"}
    run.need(
        set(load.counts) == meant,
        f"other answers than 2xx and 304: {sorted(set(load.counts) - meant)} {load.losses[:3]}",
    )
    growth = growths(samples)
    told = ", ".join(f"{name} {share:+.1%}" for name, share in growth.items())
    judged = f"limit {FLAT:.0%}" if run.is_long else "not judged, caches were still filling"
    run.outcome.notes.append(f"growth by a fitted line ({judged}): {told}")
    run.outcome.notes.append(
        "mean memory in each quarter of the time: " + ", ".join(f"{mean:,.0f}" for mean in quarters(samples)) + " MB"
    )
    run.outcome.notes.append(
        "at first and at last: "
        + ", ".join(f"{name} {value:,.0f} and {samples[-1][1][name]:,.0f}" for name, value in samples[0][1].items())
    )
    run.outcome.notes.append(
        f"meanwhile {len(load.games):,} games, "
        + ", ".join(f"{count:,} {what}" for what, count in spectators.looks.items())
    )
    if run.is_long:
        run.need(rate >= 0.9 * most / 2, f"only {rate:.0f} of {most:.0f} requests a second")
        for name, share in growth.items():
            run.need(share <= FLAT, f"{name} grew by {share:.1%}")
    run.outcome.how = f"{seconds} s at {rate:.0f} of {most:.0f} requests a second, {rate / most:.0%}"


def _warm_up(run: Run, scene: Scene, clients: int) -> tuple[float, int]:
    """Play without a pause; in the long form until caches are full. Accepted requests a second, and games."""
    load, games = scene.load(clients, seed="warm-up"), run.size(0, MOST_CACHED + MOST_CACHED // 10)
    with load, Spectators(load, run.chance):
        load.wait_for(50)
        begin, began = len(load.times), time.monotonic()
        load.stopping.wait(run.size(8, 60))
        wait_until(lambda: len(load.games) >= games or load.errors or load.unexpected, 3600, poll=1)
        rate = (len(load.times) - begin) / (time.monotonic() - began)
    if games:
        for game in list(load.games)[-games:] * LOOKS:
            http = Connection(load.urls, load.counts)
            http.settle("GET", f"/v1/games/{game}")
            http.close()
        run.outcome.notes.append(f"warm-up: {len(load.games):,} games; a process caches {MOST_CACHED:,}")
    return rate, len(load.games)


class Spectators:
    """Two streams of games that are played, and once a second a recap and a replay of any game. A context manager.

    Statuses are counted as those of players are.
    """

    def __init__(self, load: Load, chance: Random) -> None:
        """Nobody looks yet."""
        self.looks = Counter[str]()
        self._load, self._chance, self._done = load, chance, Event()
        looks = (self._follow, self._follow, self._look_back)
        self._threads = [Thread(target=self._repeat, args=(look,)) for look in looks]

    def __enter__(self) -> Self:
        """Begin when there is a game."""
        wait_until(lambda: self._load.games or self._load.errors, 30)
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        """End; a stream looks for that when it gets a line."""
        self._done.set()
        for thread in self._threads:
            thread.join()

    def _repeat(self, look: Callable[[], None]) -> None:
        try:
            while not self._done.is_set():
                look()
        except BaseException as error:  # noqa: BLE001 - the run tells of it
            self._load.errors.append(error)

    def _follow(self) -> None:
        games = dict(self._load.games)
        game = self._chance.choice([game for game, is_over in games.items() if not is_over] or list(games))
        path, headers = f"{self._load.urls[0]}/v1/games/{game}/events", {"Accept": "text/event-stream"}
        with httpx.stream("GET", path, headers=headers, timeout=patience(15)) as answer:
            self._load.counts[str(answer.status_code)] += 1
            self.looks["streams"] += 1
            for line in answer.iter_lines():
                self.looks["events of streams"] += line.startswith("data:")
                if self._done.is_set():
                    return

    def _look_back(self) -> None:
        http = Connection(self._load.urls, self._load.counts, losses=self._load.losses)
        game = self._chance.choice(list(self._load.games))
        for what in ("recap", "replay"):
            http.settle("GET", f"/v1/games/{game}/{what}")
            self.looks[f"{what}s"] += 1
        http.close()
        self._done.wait(1)


def _samples(run: Run, scene: Scene, load: Load, before: int, seconds: float) -> list[tuple[float, Sample]]:
    """What the parts use, at intervals, with the seconds since the beginning; also in a file of the row's folder.

    `before`: games that were in the store before the load's.
    """
    began, samples = time.monotonic(), list[tuple[float, Sample]]()
    with (run.folder / "samples.ndjson").open("w", encoding="utf-8", buffering=1) as file:
        while (passed := time.monotonic() - began) < seconds and not load.errors:
            samples.append((passed, sample(scene, max(1, before + len(load.games)))))
            file.write(json.dumps(samples[-1]) + "\n")
            load.stopping.wait(max(0.5, seconds / 400))
    return samples


def sample(scene: Scene, games: int) -> Sample:
    """Memory in MB, files and threads of all processes but the store; of the store, by game: keys and KB."""
    rss, files, threads = 0.0, 0.0, 0.0
    store = scene.part("store")
    for pid in (scene.service.process.pid, *descendants(scene.service.process.pid)):
        with suppress(OSError):
            if pid != store:
                status = Path(f"/proc/{pid}/status").read_text()
                rss += int(status.partition("VmRSS:")[2].split()[0]) / 1024
                threads += int(status.partition("Threads:")[2].split()[0])
                files += len(list(Path(f"/proc/{pid}/fd").iterdir()))
    with scene.client() as client:
        keys, used = client.dbsize(), client.info("memory")["used_memory"]
    return {
        "memory": rss,
        "files": files,
        "threads": threads,
        "keys a game": keys / games,
        "store a game": used / games,
    }


def growths(samples: Sequence[tuple[float, Sample]]) -> dict[str, float]:
    """Of each figure, by which share of its mean it grew, by a line through all samples."""
    return {name: slope([(at, figures[name]) for at, figures in samples]) for name in samples[0][1]}


def quarters(samples: Sequence[tuple[float, Sample]]) -> list[float]:
    """The mean memory, in MB, of each quarter of the time.

    By a line alone, what rises to a limit looks like what rises forever.
    """
    begin, end = samples[0][0], samples[-1][0]
    bounds = [begin + (end - begin) * number / 4 for number in range(4)] + [inf]
    parts = [[one["memory"] for at, one in samples if low <= at < high] for low, high in pairwise(bounds)]
    return [sum(part) / len(part) for part in parts if part]


def slope(points: Sequence[tuple[float, float]]) -> float:
    """The growth of a fitted line (least squares) from the first point to the last, as a share of the mean."""
    xs, ys = zip(*points, strict=True)
    x_mean, y_mean = sum(xs) / len(xs), sum(ys) / len(ys)
    spread = sum((x - x_mean) ** 2 for x in xs)
    if not spread or not y_mean:
        return 0.0
    rise = sum((x - x_mean) * (y - y_mean) for x, y in points) / spread
    return rise * (xs[-1] - xs[0]) / y_mean
