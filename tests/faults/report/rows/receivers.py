"""Receivers of webhooks that are slow, broken or hostile: R18."""

import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Final, NamedTuple

from service.gamelog.log import GameLog
from tests.faults.hearing import Doors, Hearing, listening
from tests.faults.report.load import Connection, Load
from tests.faults.report.scene import Run, Scene, store_version
from tests.faults.verdict import find_doubled, find_missing, find_turns, read_events
from tests.support.waiting import wait_until

KINDS: Final = ("hang", "500", "410", "redirect", "huge")
_NEVER: Final = 10**9
_MOST_SLOWER: Final = 1.5
"""How much longer a request may take beside bad receivers than beside good ones, in a run too short for 5 %."""


class _Bad(BaseHTTPRequestHandler):
    """Misbehaves as the path says."""

    ending: Event

    def do_POST(self) -> None:
        """One notice."""
        kind = self.path.strip("/")
        if kind == "hang":
            self.ending.wait(60)
            return
        self.send_response({"500": 500, "410": 410, "redirect": 302}.get(kind, 200))
        if kind == "redirect":
            self.send_header("Location", "http://127.0.0.1:1/")
        self.end_headers()
        while kind == "huge" and not self.ending.is_set():
            try:
                self.wfile.write(bytes(1 << 16))
            except OSError:
                return

    def log_message(self, *_: object) -> None:
        """Nothing."""


@contextmanager
def misbehaving() -> Iterator[str]:
    """The address of a server with a path for each kind."""
    ending = Event()
    handler = type("Bad", (_Bad,), {"ending": ending})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        server.daemon_threads = True
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            ending.set()
            server.shutdown()
            thread.join()


def misbehave(run: Run) -> None:
    """R18: one receiver of five misbehaves; requests are as quick as before, the others lose and double nothing."""
    hearing, actions = Hearing(_NEVER), run.size(250, 10_000)
    with run.serve(REIBACH_WEBHOOK_ALLOW_PRIVATE="1") as scene, listening(hearing) as doors, misbehaving() as bad:
        run.outcome.store = store_version(scene.client())
        seats: dict[str, Seats] = {}
        times: dict[bool, list[float]] = {False: [], True: []}
        loads = []
        for block in range(4):
            with_bad = block % 2 == 1
            load = scene.load(4, seed=f"block {block}")
            load.journals = run.folder / "games.journals" / str(block)
            _subscribe(load, doors, bad if with_bad else "", seats)
            with load:
                load.wait_for(actions)
            times[with_bad] += [received - sent for sent, received in load.times]
            loads.append(load)
        missing = _missing(scene, hearing, seats)
        for load in loads:
            scene.judge(load)
    run.need(not missing, f"{len(missing)} notices were not delivered: {missing[:2]}")
    run.need(not find_doubled(hearing.heard), "a notice came under two ids")
    ratio = statistics.median(times[True]) / statistics.median(times[False])
    run.need(ratio <= _MOST_SLOWER, f"requests took {ratio:.2f} times as long beside bad receivers")
    run.outcome.notes.append(
        f"{len(hearing.ids):,} notices delivered; median request {ratio:.2f} times that without bad ones"
    )
    run.outcome.how = f"one webhook of five is bad: {', '.join(KINDS)}"


class Seats(NamedTuple):
    """Of a game."""

    people: list[int]
    good: list[int]
    """Those whose receivers listen."""


def _subscribe(load: Load, doors: Doors, bad: str, seats: dict[str, Seats]) -> None:
    """Have each seat of each new game ask for notices."""
    numbers = iter(range(_NEVER))

    def opened(game: str, tokens: dict[int, str]) -> None:
        own, good = Connection(load.urls, load.counts), list[int]()
        for seat, token in tokens.items():
            number = next(numbers)
            is_bad = bad and number % 5 == 0
            url = f"{bad}/{KINDS[number // 5 % len(KINDS)]}" if is_bad else doors.webhooks(number)
            answer = own.settle("PUT", f"/v1/games/{game}/notifications", token, {"webhook": {"url": url}})
            assert answer.status == 200, answer.text
            if not is_bad:
                good.append(seat)
        seats[game] = Seats(list(tokens), good)
        own.close()

    load.opened = opened


def _missing(scene: Scene, hearing: Hearing, seats: dict[str, Seats]) -> list[tuple[str, int, str, int]]:
    """Notices that good receivers should have got, and haven't, when nothing arrives any more."""
    games, found = scene.service.games(), list[tuple[str, int, str, int]]()

    def is_complete() -> bool:
        heard = {(one.game, one.seat, one.type, one.version) for one in list(hearing.heard)}
        found[:] = [one for game, some in seats.items() for one in _due(games, game, some, heard)]
        return not found

    try:
        wait_until(is_complete, 30, poll=0.5)
    except AssertionError:
        return found
    return []


def _due(
    games: GameLog, game: str, seats: Seats, heard: set[tuple[str, int, str, int]]
) -> list[tuple[str, int, str, int]]:
    """Of a game. Turns that are over may have been over before their notice could leave."""
    over = {(game, turn.version) for turn in find_turns(read_events(games, game)) if turn.ended is not None}
    missing = find_missing(games, game, seats.people, heard, over)
    return [one for one in missing if one[1] in seats.good or one[1] not in seats.people]
