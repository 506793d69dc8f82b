"""One client that asks as much as it can, beside others who play: row `flood`.

As a program it is that client: `python -m tests.bench.fault_report.rows.floods PORT REQUEST`, until its input ends.
"""

import selectors
import socket
import statistics
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

import httpx

from tests.bench.fault_report.load import Load
from tests.bench.fault_report.scene import Run, judge, store_version
from tests.support.shell import ROOT
from tests.support.waiting import patience, wait_until

CONNECTIONS: Final = 250
ADDRESS: Final = "127.0.0.2"
"""Of the flood; the players have another one."""
PART: Final = 0.25
"""Of a processor that the flood uses at most: what it takes from the service by itself is not the question."""
MOST_SLOWER: Final = 3.0
_FORM: Final = "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 0\r\n"
REQUESTS: Final = {
    "the plain table": f"POST /g/{{}} HTTP/1.1\r\nHost: reibach\r\n{_FORM}\r\n",
    "the score sheet": "GET /g/{}/sheet HTTP/1.1\r\nHost: reibach\r\nAccept-Encoding: gzip\r\n\r\n",
}


def flood(run: Run) -> None:
    """Others' requests beside it, in blocks that take turns with quiet ones: both see the same machine."""
    blocks, actions = run.size(3, 20), run.size(60, 200)
    with run.serve(REIBACH_RATE_LIMIT="1000") as scene, scene.load(2, interval=0.04) as load:
        run.outcome.store = store_version(scene.client())
        game = _finish_game(scene.url)
        load.wait_for(actions)
        for name, request in REQUESTS.items():
            ratios, medians, told = list[float](), list[float](), Counter[str]()
            for _ in range(blocks):
                quiet = _median(load, actions)
                with _flooding(scene.url, request.format(game), told):
                    beside = _median(load, actions)
                ratios.append(beside / quiet)
                medians += [quiet, beside]
            ratio = statistics.median(ratios)
            quiet, beside = (1000 * statistics.median(medians[side::2]) for side in (0, 1))
            run.need(told["200"] and told["429"], f"{name}: the flood was answered only {dict(told)}")
            run.need(ratio <= MOST_SLOWER, f"{name}: requests took {ratio:.1f} times as long")
            run.outcome.notes.append(
                f"{name}: p50 {beside:.0f} ms beside {told['200']:,} answers and {told['429']:,} refusals,"
                f" {quiet:.0f} ms without, {ratio:.1f} times in the median of {blocks} pairs; the flood used"
                f" {told['processor'] / told['wall']:.0%} of a processor"
            )
        judge(run, [load], {"REIBACH_DATA": str(scene.data)}, [scene.url])
    run.outcome.how = (
        f"{CONNECTIONS} connections of one client, {PART:.0%} of a processor, ask for {', '.join(REQUESTS)}"
    )


def _median(load: Load, actions: int) -> float:
    """Seconds, of the next so many accepted requests."""
    begin = len(load.times)
    load.wait_for(actions)
    return statistics.median(received - sent for sent, received in load.times[begin:])


def _finish_game(url: str) -> str:
    seats = [{"bot": "random"}] * 5
    game: str = httpx.post(f"{url}/v1/games", json={"seats": seats}).raise_for_status().json()["game"]["id"]
    wait_until(lambda: httpx.get(f"{url}/v1/games/{game}").json()["status"] == "over", 120)
    return game


@contextmanager
def _flooding(url: str, request: str, told: Counter[str]) -> Iterator[None]:
    """Flood until the block ends; adds to `told` the answers by status, and ms of processor and wall time."""
    words = [sys.executable, "-m", __name__, str(httpx.URL(url).port), request]
    child = subprocess.Popen(words, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    try:
        assert child.stdout.readline() == "begun\n"
        yield
    finally:
        said, _ = child.communicate("", timeout=patience(30))
    told.update({name: int(count) for name, _, count in (line.partition(" ") for line in said.splitlines())})


class _Flood:
    def __init__(self, port: int, request: bytes) -> None:
        self._port, self._request = port, request
        self._selector = selectors.DefaultSelector()
        self.told = Counter[str]()
        for _ in range(CONNECTIONS):
            self._connect()

    def _connect(self) -> None:
        with suppress(OSError):
            connection = socket.create_connection(("127.0.0.1", self._port), 30, (ADDRESS, 0))
            connection.setblocking(False)
            self._selector.register(connection, selectors.EVENT_READ)
            connection.send(self._request)

    def run(self) -> None:
        """Ask again as soon as an answer is there, until the standard input ends."""
        self._selector.register(sys.stdin, selectors.EVENT_READ)
        began, used = time.monotonic(), time.process_time()
        while True:
            for key, _ in self._selector.select():
                if key.fileobj is sys.stdin:
                    self.told["wall"] = round(1000 * (time.monotonic() - began))
                    self.told["processor"] = round(1000 * (time.process_time() - used))
                    return
                assert isinstance(key.fileobj, socket.socket)
                self._answer(key.fileobj)
            time.sleep(max(0.0, (time.process_time() - used) / PART - (time.monotonic() - began)))

    def _answer(self, connection: socket.socket) -> None:
        try:
            text = connection.recv(1 << 18)
            for answer in text.split(b"HTTP/1.1 ")[1:]:
                self.told[answer[:3].decode()] += 1
                connection.send(self._request)
        except OSError:
            text = b""
        if not text:
            self._selector.unregister(connection)
            connection.close()
            self._connect()


if __name__ == "__main__":
    flooding = _Flood(int(sys.argv[1]), sys.argv[2].encode())
    print("begun", flush=True)
    flooding.run()
    for status, number in flooding.told.items():
        print(status, number)
