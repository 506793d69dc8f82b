"""How good the analysis of games is: what its best turns gain, and whether its chances hold.

Run: `python -m tests.bench.analysis [--seed 1] [--games 300] [--turns 12] [--repeats 3] [--results FILE]
[--write DOCUMENT]`. Bots play games of two to five seats: `shark`, `greedy`, and a careless one, a quarter of whose
actions are random. So many turns of each game are judged.

gains: from the first of them with a claimed loss of 1.5 or more `shark` plays all seats to the end, behind the turn as
it was played and behind the best one, with the true hidden cards and the same chance. What that gains beside what was
claimed; the interval is a bootstrap over games.
chances: in tenths, beside the share of seats that won.

With `--results` a run goes on where another has ended, and several processes may share the file.
"""

import argparse
import json
import os
from collections.abc import Iterator, Sequence
from functools import partial
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any, Final

from domain.analysis import judge_turn, played_turns
from domain.audit.evidence import evidence_of, fold
from domain.bots import choose_action
from domain.commands import Act, Action, CompleteScoring, CreateGame, SeatPlan
from domain.decide import decide
from domain.events import Event, EventRecord
from domain.orders.wishes import action_of
from domain.rules import NEWEST
from domain.state import Game
from tests.bench.common import Limit, show_ratio
from tests.bench.summary import replace_measured
from tests.support.play import numbered

COSTLY: Final = 1.5
KINDS: Final = ("shark", "greedy", "greedy", "careless")
CARELESS, RARE = 0.25, 0.15
"""How often a careless bot takes any action, and how often a variant is on."""


def play(game: Game, log: list[EventRecord], bots: Sequence[str], chance: Random, begin: Sequence[Action]) -> list[int]:
    """Play a game on to its end, with these actions first; each seat's money. The log gets what happens."""
    todo, turn = list(begin), game.turn
    while not game.over:
        if game.scoring is not None:
            done = decide(CompleteScoring(round=game.scoring), game)
        else:
            bot = bots[game.turn_seat]
            if bot == "careless":
                bot = "random" if chance.random() < CARELESS else "greedy"
            is_given = todo and game.turn == turn
            action = todo.pop(0) if is_given else choose_action(bot, game, chance, partial(list, log))
            done = decide(Act(seat=game.turn_seat, actions=(action,)), game)
        game = done.game
        log.extend(records(done.events, len(log)))
    return [place.total for place in game.seats]


def records(events: Sequence[Event], version: int) -> list[EventRecord]:
    """Events that follow a version as the log has them, but for their times and hashes."""
    return [event | {"version": version + event["version"], "at": "2026-01-01T00:00:00Z"} for event in numbered(events)]


def play_game(name: str, bots: Sequence[str] = ()) -> tuple[Sequence[str], list[EventRecord]]:
    """A whole game by these bots, or by some that its name draws, and its log."""
    chance = Random(name)
    bots = bots or [chance.choice(KINDS) for _ in range(chance.randint(2, 5))]
    command = CreateGame(
        game=sha256(name.encode()).hexdigest()[:24],
        server_seed=sha256(name.encode()).digest(),
        seats=tuple(SeatPlan(name=bot) for bot in bots),
        starting_seat=chance.randrange(len(bots)),
        variants=frozenset(variant for variant in sorted(NEWEST.variants) if chance.random() < RARE),
    )
    opened = decide(command, Game())
    log = records(opened.events, 0)
    play(opened.game, log, bots, chance, ())
    return bots, log


def real_gain(log: Sequence[EventRecord], judged: dict[str, Any], repeats: int) -> float:
    """What the best turn gains when `shark` plays on, in millions ahead of the best rival."""
    before, seat, gained = log[: judged["version"]], judged["seat"], 0
    game = fold(evidence_of(before), len(before))
    for number in range(repeats):
        for sign, name in ((1, "best"), (-1, "played")):
            chance = Random(f"{game.id} {judged['turn']} {number}")
            actions = [action_of(action) for action in judged[name]]
            money = play(game, list(before), ["shark"] * len(game.seats), chance, actions)
            gained += sign * (money[seat] - max(money[:seat] + money[seat + 1 :]))
    return gained / repeats


def measure(number: int, options: argparse.Namespace) -> dict[str, Any]:
    """One game: chances of some of its turns with what each seat has of the victory, and the gain at a costly one."""
    name = f"{options.seed}/{number}"
    bots, log = play_game(name)
    winners = log[-1]["data"]["winners"]
    turns = played_turns(log)
    found: dict[str, Any] = {"number": number, "won": [(seat in winners) / len(winners) for seat in range(len(bots))]}
    found |= {"chances": [], "gain": None}
    for played in Random(name).sample(turns, min(options.turns, len(turns))):
        judged = judge_turn(log, played)
        found["chances"].append(judged["chances"])
        if judged["loss"] >= COSTLY and not found["gain"]:
            real = real_gain(log, judged, options.repeats)
            found["gain"] = {"bot": bots[played.seat], "turn": played.turn, "claimed": judged["loss"], "real": real}
    return found


def read(results: Path | None) -> dict[int, dict[str, Any]]:
    lines = results.read_text("utf-8").splitlines() if results and results.exists() else []
    return {game["number"]: game for game in map(json.loads, lines)}


def ratio_of(gains: Sequence[dict[str, Any]]) -> float:
    return sum(gain["real"] for gain in gains) / sum(gain["claimed"] for gain in gains)


def gain_lines(gains: Sequence[dict[str, Any]]) -> Iterator[str]:
    """A table of costly turns by who played them, with the interval of all by a bootstrap."""
    chance = Random(1)
    ratios = sorted(ratio_of(chance.choices(gains, k=len(gains))) for _ in range(4000))
    yield from ("| played by | mistakes | claimed | gained | gained / claimed |", "|---|---|---|---|---|")
    for bot in (*sorted(set(KINDS)), "all"):
        if some := [gain for gain in gains if bot in ("all", gain["bot"])]:
            claimed, real = (sum(gain[name] for gain in some) / len(some) for name in ("claimed", "real"))
            likely = f" (95 %: {ratios[100]:.2f} to {ratios[-101]:.2f})" if bot == "all" else ""
            yield f"| {bot} | {len(some)} | {claimed:.2f} | {real:.2f} | {real / claimed:.2f}{likely} |"


def tenths_of(games: Sequence[dict[str, Any]]) -> list[tuple[int, float, float]]:
    """For each tenth of chances: how many were in it, their mean, and the share that won."""
    cells: list[list[tuple[float, float]]] = [[] for _ in range(10)]
    for game in games:
        for chances in game["chances"]:
            for chance, won in zip(chances, game["won"], strict=True):
                cells[min(9, round(100 * chance) // 10)].append((chance, won))
    means = [[sum(column) / len(cell) for column in zip(*cell, strict=True)] or [0.0, 0.0] for cell in cells]
    return [(len(cell), mean, won) for cell, (mean, won) in zip(cells, means, strict=True)]


def report(games: Sequence[dict[str, Any]], document: Path | None) -> None:
    """Print two tables, or put them between the marks of a document, and print what must hold."""
    gains, tenths = [game["gain"] for game in games if game["gain"]], tenths_of(games)
    lines = ["", *(gain_lines(gains) if gains else ())]
    lines += ["", f"| chances from, in {len(games)} games | mean | won | number |", "|---|---|---|---|"]
    lines += [
        f"| {tenth / 10} | {mean:.2f} | {won:.2f} | {number} |" for tenth, (number, mean, won) in enumerate(tenths)
    ]
    print("\n".join(lines))
    if document:
        document.write_text(replace_measured(document.read_text("utf-8"), [*lines, ""]), encoding="utf-8")
    if gains:
        show_ratio(f"gained / claimed at {len(gains)} mistakes", [ratio_of(gains)], Limit(relation=">=", bound=0.5))
    worst = max(abs(mean - won) for _, mean, won in tenths)
    show_ratio("largest difference of chances and wins in a tenth", [worst], Limit(relation="<=", bound=0.08))


def main(options: argparse.Namespace) -> None:
    """Measure the games that no process has measured yet, and print the report."""
    games = read(options.results)
    for number in Random(os.getpid()).sample(range(options.games), options.games):
        if number in games or number in (games := games | read(options.results)):
            continue
        games[number] = measure(number, options)
        if options.results:
            with options.results.open("a", encoding="utf-8") as file:
                file.write(json.dumps(games[number]) + "\n")
        gains = [game["gain"] for game in games.values() if game["gain"]]
        print(f"{len(games)} games, {len(gains)} costly turns: {ratio_of(gains) if gains else 0:.2f}", flush=True)
    report(list(games.values()), options.write)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", default="1")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--turns", type=int, default=12)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--write", type=Path, metavar="DOCUMENT")
    main(parser.parse_args())
