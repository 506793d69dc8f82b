"""`reibach doctor`: only games that today's code would play differently are named."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from domain.commands import Act, SeatPlan
from domain.events import EventRecord
from service.gamelog.copies.transfer import import_entries
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import import_game, new_game, open_games, play
from tests.oracle.play import rechain
from tests.support.logs import log_of
from tests.support.play import steps
from tests.support.shell import assert_refused, run

Change = Callable[[list[EventRecord]], object]


def put(store: Store, log: list[EventRecord], change: Change = lambda _: None) -> str:
    """Store the game as another release might have played it: its hashes fit."""
    copied = json.loads(json.dumps(log))
    change(copied)
    new = import_entries(rechain(copied))
    game = new.head.game.id
    assert import_game(store, new)
    return game


def running_log(seed: str) -> list[EventRecord]:
    decisions = []
    acted = 0
    for command, decision in steps(3, seed):
        decisions.append(decision)
        acted += isinstance(command, Act)
        if acted == 30:
            break
    return log_of(decisions)


def first_take(log: list[EventRecord]) -> EventRecord:
    return next(event for event in log if event["type"] == "CardTaken")


def test_other_rules(store: Store, address: str) -> None:
    """A game that was played by other rules is named, once, with the first version that differs."""
    put(store, running_log("sound"))
    log = running_log("cheap")
    version = first_take(log)["version"]
    game = put(store, log, lambda log: first_take(log)["data"].update(cost=0))
    ended = run("doctor", REIBACH_REDIS_URL=address)
    assert (ended.returncode, ended.stderr) == (1, "reibach: 1 of 2 games would differ\n")
    assert ended.stdout == f"{game}: rules fails at version {version}\n"


def test_another_shuffle(store: Store, address: str) -> None:
    """The deal is worked out again, too, although the game is running."""
    log = running_log("dealt")
    version = next(event["version"] for event in log if event["type"] == "GameStarted")

    def swap(log: list[EventRecord]) -> None:
        pile = log[version - 1]["data"]["draw_pile"]
        pile[-3:] = [*pile[-2:], pile[-3]] if len(set(pile[-3:])) > 1 else ["gold", *pile[-2:]]

    game = put(store, log, swap)
    ended = run("doctor", REIBACH_REDIS_URL=address)
    assert (ended.returncode, ended.stdout) == (1, f"{game}: shuffle fails at version {version}\n")


def test_games_that_a_list_lacks(store: Store, address: str) -> None:
    """One that waits for a worker, and a listed one, are named; a game that waits for nothing is in no list."""
    games = open_games(store.client)
    bots = (SeatPlan(name="a", bot="greedy"), SeatPlan(name="b", bot="random"))
    for command in (new_game("plain"), replace(new_game("shown"), listed=True), new_game("bots", bots)):
        games.create(command)
    games.create(new_game("scored"))
    play(games, "scored", Random(1), lambda _: False)
    ended = run("doctor", REIBACH_REDIS_URL=address)
    assert (ended.returncode, ended.stdout) == (0, "Replayed 4 games: none differs.\n")
    store.client.delete(store.keys("scored").due, store.keys("bots").bots, store.keys("shown").listed["playing"])
    ended = run("doctor", REIBACH_REDIS_URL=address)
    assert (ended.returncode, ended.stderr) == (1, "reibach: 3 of 4 games are missing from a list\n")
    waits = "waits for a worker, and is in no due list; `reibach doctor --relist` puts it back"
    assert ended.stdout == (f"bots: {waits}\nscored: {waits}\nshown: is listed, and missing from the list of games\n")
    ended = run("doctor", "--relist", REIBACH_REDIS_URL=address)
    assert ended.stderr == "reibach: 1 of 4 games are missing from a list\n"
    assert ended.stdout.splitlines() == [
        "Put 2 games back into the lists of games that wait for a worker.",
        "shown: is listed, and missing from the list of games",
    ]


@pytest.mark.parametrize("damage", ["header", "no header", "stream", "entry", "body"])
def test_a_damaged_log(store: Store, address: str, damage: str) -> None:
    """The damaged game is named, also half of one, and isn't exported; the other games are still checked."""
    bad, good = put(store, running_log("bad")), put(store, running_log("good"))
    stream, head = store.stream(bad), f"{store.tag(bad)}:head:{bad}"
    last, fields = store.client.xrevrange(stream, count=1)[0]
    if damage == "header":
        store.client.hset(head, "hash", bytes(32))
    elif damage in ("stream", "no header"):
        store.client.delete(stream if damage == "stream" else head)
    else:
        body = b'["started",[1],2,3]' if damage == "body" else b"["
        store.client.xdel(stream, last)
        later = f"{int(last.split(b'-')[0])}-{int(last.split(b'-')[1]) + 1}"
        store.client.xadd(stream, {**fields, b"e": body}, id=later)
    ended = run("doctor", REIBACH_REDIS_URL=address)
    assert (ended.returncode, ended.stderr) == (1, "reibach: 1 of 2 games would differ\n")
    assert ended.stdout.startswith(f"{bad}: chain fails at version ")
    assert good not in ended.stdout
    exported = run("export", bad, "--running", REIBACH_REDIS_URL=address)
    assert_refused(exported, 1, "damaged")


def test_wrong_use(tmp_path: Path, store: Store, address: str) -> None:
    assert_refused(run("doctor", "--data", tmp_path / "nowhere"), 1, "nowhere")
    assert_refused(run("doctor", "game"), 2)
    store.client.flushall()
    assert_refused(run("doctor", REIBACH_REDIS_URL=address), 1, "no keys yet")
    assert_refused(run("doctor", REIBACH_REDIS_URL=f"unix://{tmp_path}/nobody"), 1, "can't be reached")
