"""Notices to 200 webhook receivers of which a fifth are broken: how late the good ones get theirs, and what it costs.

Run: `python -m tests.bench.post`. Each receiver is a host of its own (an address of this machine), told
the turns of one game. Broken ones hang, answer 500, redirect inward or answer with 10 MB. 20 turns a second begin in
these games, while 16 connections play others over HTTP as quickly as they can. Pairs of phases take turns: with a post
process, and with one that is stopped, while the same number of turns begin in games without receivers.

Last, 100 hosts more hang at their first notice, which are more than the post process has threads.
"""

import asyncio
import os
import secrets
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from itertools import islice
from random import Random
from threading import Thread
from typing import Final

from domain.commands import CompleteScoring
from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.gamelog.store.health.heartbeat import POST
from service.post.noticing.notice_queue import NoticeQueue
from service.post.outbox import Outbox
from service.post.subscriptions import Subscriptions, WebhookTarget
from service.runtime.clock import now_ms
from tests.bench.common import ROOT, durable_store, percentile, show, show_aim, web
from tests.bench.games import game_log, random_plans, store_of
from tests.bench.players import Players
from tests.bench.tables import Stock, Table
from tests.gamelog.ledger import any_act, new_game
from tests.post.processes import wish

RECEIVERS: Final = 200
KINDS: Final = ("hang", "500", "redirect", "huge")
"""Of broken receivers, every fifth: of each kind the same number."""
HANGING: Final = 100
RATE: Final = 20
"""Turns a second."""
PAIRS, SECONDS, CONNECTIONS, PLANS, PLANNED = 10, 3, 16, 40, 600
SETTLED: Final = 1.5
"""Seconds between two phases, for what is on its way."""
AIM_MS, AIM_RATIO = 2000, 1.05
Told = tuple[str, int]
"""Game and version."""


class Receivers(Thread):
    """All of them, on one port. The path says how one behaves."""

    def __init__(self) -> None:
        """Begins with `start`."""
        super().__init__(daemon=True)
        self.port = 0
        self.arrived: dict[Told, float] = {}
        """At good ones."""
        self.inward = 0
        """Requests that a redirect has led to."""

    def run(self) -> None:
        """Serve until the process ends."""
        asyncio.run(self._serve())

    def url(self, number: int, kind: str) -> str:
        """Of the receiver with that number."""
        return f"http://127.0.{number // 250 + 1}.{number % 250 + 1}:{self.port}/{kind}"

    async def _serve(self) -> None:
        server = await asyncio.start_server(self._answer, "0.0.0.0", 0, backlog=1000)
        self.port = server.sockets[0].getsockname()[1]
        await server.serve_forever()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            line, *headers = (await reader.readuntil(b"\r\n\r\n")).decode().split("\r\n")
            values = {name.lower(): value.strip() for name, _, value in (one.partition(":") for one in headers)}
            await reader.readexactly(int(values.get("content-length", "0")))
            await self._behave(line.split()[1], values, reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        finally:
            writer.close()

    async def _behave(
        self, path: str, headers: dict[str, str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        empty = "Content-Length: 0\r\n\r\n"
        match path:
            case "/good":
                game, version, *_ = headers["webhook-id"].split(".")
                self.arrived.setdefault((game, int(version)), time.perf_counter())
                writer.write(f"HTTP/1.1 204 No Content\r\n{empty}".encode())
            case "/hang":
                await reader.read(1)
            case "/500":
                writer.write(f"HTTP/1.1 500 Error\r\n{empty}".encode())
            case "/redirect":
                writer.write(f"HTTP/1.1 307 Away\r\nLocation: http://127.0.0.1:{self.port}/inward\r\n{empty}".encode())
            case "/huge":
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 10000000\r\n\r\n")
                for _ in range(100):
                    writer.write(bytes(100_000))
                    await writer.drain()
            case _:
                self.inward += 1
        await writer.drain()


class Tables:
    """Games of two people whose turns this process plays; those with a receiver tell it each turn."""

    def __init__(self, log: GameLog, name: str, count: int, chance: Random) -> None:
        """Open them."""
        self.log, self.chance = log, chance
        self.names = [f"{name}{number}" for number in range(count)]
        self.next = 0
        for one in self.names:
            log.create(new_game(one))

    def tell(self, urls: list[str]) -> None:
        """Have each game's turns told at the URL of its place."""
        queue = NoticeQueue(Outbox(self.log.store, now_ms), self.log)
        for name, url in zip(self.names, urls, strict=True):
            webhook = WebhookTarget(url=url, secret=f"whsec_{secrets.token_hex(16)}", format="standard")
            subscription = replace(wish(1, "turn"), webhook=webhook)
            for seat in (0, 1):
                Subscriptions(self.log.store).save(name, seat, subscription)
                queue.notify_turn(self.log.load(name).game, seat, subscription)

    def end_turn(self) -> tuple[Told, float]:
        """Play the turn of the next game to its end; the turn that follows, and when it was appended."""
        name = self.names[self.next % len(self.names)]
        self.next += 1
        turn = self.log.load(name).game.turn
        while (now := self.log.load_cached(name).game).turn == turn and not now.over:
            self.log.handle(
                name, any_act(now, self.chance) if now.scoring is None else CompleteScoring(round=now.scoring)
            )
        return (name, now.turn_version), time.perf_counter()

    def run(self, seconds: float) -> dict[Told, float]:
        """End turns at the rate, for so long; when each turn was appended."""
        began, appended = time.perf_counter(), {}
        for number in range(round(RATE * seconds)):
            time.sleep(max(0.0, began + number / RATE - time.perf_counter()))
            told, at = self.end_turn()
            appended[told] = at
        return appended


@contextmanager
def post_process(url: str) -> Iterator[int]:
    """`reibach post`, once it says that it works; gives its process id."""
    environment = os.environ | {"REIBACH_REDIS_URL": url, "REIBACH_WEBHOOK_ALLOW_PRIVATE": "1"}
    command = [sys.executable, "-m", "service.cli", "post"]
    with connect(url) as client:
        program = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.DEVNULL)
        try:
            until = time.monotonic() + 60
            while not client.exists(POST):
                if program.poll() is not None or time.monotonic() > until:
                    raise RuntimeError("the post process didn't start")
                time.sleep(0.02)
            yield program.pid
        finally:
            program.kill()
            program.wait()


def delays(appended: dict[Told, float], arrived: dict[Told, float], good: set[str]) -> tuple[list[float], int]:
    """Milliseconds from append to arrival of the notices to good receivers, and how many haven't arrived."""
    due = {told: at for told, at in appended.items() if told[0] in good}
    return [1000 * (arrived[told] - at) for told, at in due.items() if told in arrived], len(due.keys() - arrived)


def phase(stock: Stock, players: Players, tables: Tables) -> tuple[float, dict[Told, float]]:
    """Accepted actions a second of the players, while turns are ended in the tables; when those were appended."""
    stock.fill(PLANNED)
    appended: dict[Told, float] = {}
    turns = Thread(target=lambda: appended.update(tables.run(SECONDS)))
    turns.start()
    played = players.play(SECONDS)
    turns.join()
    return played.actions / played.seconds, appended


def show_delays(name: str, appended: dict[Told, float], receivers: Receivers, good: set[str]) -> float:
    """Print them; gives the 99th percentile in ms."""
    found, missing = delays(appended, receivers.arrived, good)
    p99 = percentile(found, 99)
    show(name, p50=statistics.median(found), p99=p99, worst=max(found), notices=len(found), missing=missing)
    return p99


def main() -> None:
    """Print the delays, the rates, and the ratios."""
    seed = secrets.randbits(32)
    print(f"seed {seed}; load {os.getloadavg()[0]:.1f}")
    chance, receivers = Random(seed), Receivers()
    receivers.start()
    with durable_store(in_memory=True) as url, web(url) as port, connect(url) as client, post_process(url) as pid:
        log = game_log(store_of(client))
        told, silent = Tables(log, "told", RECEIVERS, chance), Tables(log, "silent", RECEIVERS, chance)
        kinds = ["good" if number % 5 else KINDS[number // 5 % len(KINDS)] for number in range(RECEIVERS)]
        good = {name for name, kind in zip(told.names, kinds, strict=True) if kind == "good"}
        told.tell([receivers.url(number, kind) for number, kind in enumerate(kinds)])
        stock = Stock(port, list(islice(random_plans(chance), PLANS)), Table.opening)
        stock.fill(CONNECTIONS)
        players = Players(port, CONNECTIONS, stock.take)
        rates: dict[bool, list[float]] = {True: [], False: []}
        appended: dict[Told, float] = {}
        for number in range(PAIRS + 1):
            for has_post in (True, False) if number % 2 else (False, True):
                os.kill(pid, signal.SIGCONT if has_post else signal.SIGSTOP)
                time.sleep(SETTLED)
                rps, turns = phase(stock, players, told if has_post else silent)
                show(f"pair {number}, {'with' if has_post else 'without'} post", **{"actions a second": rps})
                if number:  # the first pair warms up
                    rates[has_post].append(rps)
                    appended |= turns if has_post else {}
                time.sleep(SETTLED)
        os.kill(pid, signal.SIGCONT)
        time.sleep(SETTLED)
        at_once = dict(told.end_turn() for _ in range(RECEIVERS))
        time.sleep(4 * SETTLED)
        Tables(log, "hanging", HANGING, chance).tell(
            [receivers.url(RECEIVERS + number, "hang") for number in range(HANGING)]
        )
        beside = told.run(SECONDS)
        time.sleep(10)
    p99 = show_delays("ms to a good receiver", appended, receivers, good)
    show_aim("p99 in ms", p99, "<=", AIM_MS)
    show_delays("200 turns at once", at_once, receivers, good)
    show_delays(f"while {HANGING} more hang", beside, receivers, good)
    with_post, without = (statistics.median(rates[has_post]) for has_post in (True, False))
    show("actions a second", **{"with post": with_post, "without": without})
    ratios = [alone / beside for alone, beside in zip(rates[False], rates[True], strict=True)]
    show_aim("without post / with (median pair)", statistics.median(ratios), "<=", AIM_RATIO)
    print(f"{receivers.inward} redirects followed")


if __name__ == "__main__":
    main()
