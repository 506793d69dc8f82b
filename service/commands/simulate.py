"""`reibach simulate`: whole games by bots, without a server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from math import sqrt
from random import Random
from time import perf_counter
from typing import Final

from rich.console import Console
from rich.table import Table

from domain.bots import choose_action
from domain.commands import Act, CompleteScoring, CreateGame, SeatPlan
from domain.decide import decide
from domain.events import Event, EventRecord, payload_of, type_of
from domain.state import Game
from service.commands.terminal import Terminal, plural

_CONFIDENCE: Final = 1.959964
"""Standard deviations of the normal distribution between which 95 % of it lie on both sides of its middle."""


@dataclass(slots=True)
class SeatSummary:
    bot: str
    wins: int = 0
    """Games won alone."""
    shared: int = 0
    """Games won together with another seat (ruling 4)."""
    totals: list[int] = field(default_factory=list)
    """Millions at the end of each game."""


@dataclass(slots=True)
class Summary:
    """What a simulation found; numbers of turns, actions and events are sums over its games."""

    seats: list[SeatSummary]
    games: int = 0
    turns: int = 0
    actions: int = 0
    events: int = 0

    @property
    def bots(self) -> dict[str, int]:
        """Games that each bot has won alone, with any of its seats."""
        wins: dict[str, int] = {}
        for seat in self.seats:
            wins[seat.bot] = wins.get(seat.bot, 0) + seat.wins
        return wins

    def count(self, game: Game, actions: int) -> None:
        assert game.winners is not None
        self.games += 1
        self.turns += game.turn
        self.actions += actions
        self.events += game.version
        for index, (seat, place) in enumerate(zip(self.seats, game.seats, strict=True)):
            seat.totals.append(place.total)
            seat.wins += game.winners == [index]
            seat.shared += index in game.winners and len(game.winners) > 1


def simulate(games: int, players: int, bots: Sequence[str], seed: str, on_game: Callable[[], object]) -> Summary:
    """Play `games` games; seat s is `bots[s]`, from the first again where there are fewer bots than players.

    Same arguments, same games. The seats take turns at starting, so no bot has an advantage of place.
    `on_game` is called after each game.
    """
    names = [bots[seat % len(bots)] for seat in range(players)]
    summary = Summary([SeatSummary(name) for name in names])
    for index in range(games):
        game, actions = _play(names, f"{seed}/{index}", index % players)
        summary.count(game, actions)
        on_game()
    return summary


def _play(bots: Sequence[str], seed: str, starting_seat: int) -> tuple[Game, int]:
    """One whole game, and the number of its actions."""
    chance = Random(seed)  # noqa: S311 - the bots' chance must repeat, and hides nothing
    opened = decide(
        CreateGame(
            game=seed,
            server_seed=sha256(seed.encode()).digest(),
            seats=tuple(SeatPlan(bot=bot) for bot in bots),
            starting_seat=starting_seat,
        ),
        Game(),
    )
    game, actions, log = opened.game, 0, _Log(opened.events)
    while not game.over:
        if game.scoring is not None:
            done = decide(CompleteScoring(round=game.scoring), game)
        else:
            action = choose_action(bots[game.turn_seat], game, chance, log.read)
            done = decide(Act(seat=game.turn_seat, actions=(action,)), game)
            actions += 1
        game = done.game
        log.events += done.events
    return game, actions


class _Log:
    """The events of a game; their records are made when a bot asks for them."""

    def __init__(self, events: list[Event]) -> None:
        self.events = events
        self._records: list[EventRecord] = []

    def read(self) -> list[EventRecord]:
        """All of them; without times and hashes, which tell no bot anything."""
        self._records += [
            {"version": version, "type": type_of(event), "at": "", "data": payload_of(event), "hash": ""}
            for version, event in enumerate(self.events[len(self._records) :], len(self._records) + 1)
        ]
        return self._records


def interval(wins: int, games: int) -> tuple[float, float]:
    """Wilson's interval: with 95 % confidence the probability of a win lies in it."""
    share, square = wins / games, _CONFIDENCE**2 / games
    middle = share + square / 2
    spread = _CONFIDENCE * sqrt((share * (1 - share) + square / 4) / games)
    return max(0.0, (middle - spread) / (1 + square)), min(1.0, (middle + spread) / (1 + square))


def print_summary(summary: Summary, console: Console) -> None:
    table = Table("seat", "bot")
    for heading in ("wins", "shared", "wins %", "average", "lowest", "highest"):
        table.add_column(heading, justify="right")
    for index, seat in enumerate(summary.seats):
        table.add_row(
            str(index),
            seat.bot,
            str(seat.wins),
            str(seat.shared),
            f"{100 * seat.wins / summary.games:.1f}",
            f"{sum(seat.totals) / summary.games:.2f}",
            str(min(seat.totals)),
            str(max(seat.totals)),
        )
    console.print(table)
    if len(summary.bots) > 1:
        for bot, wins in summary.bots.items():
            low, high = interval(wins, summary.games)
            share = f"{100 * wins / summary.games:.1f} % (95 % confidence: {100 * low:.1f} to {100 * high:.1f} %)"
            console.print(f"{bot} won {share}")
    turns, actions, events = (count / summary.games for count in (summary.turns, summary.actions, summary.events))
    console.print(f"A game took {turns:.1f} turns, {actions:.1f} actions and {events:.1f} events on average.")


def run_simulation(games: int, players: int, bots: Sequence[str], seed: str) -> None:
    """Simulate and print a summary; with a progress bar and the speed where the output is a terminal."""
    console = Terminal()
    console.print(f"{plural(games, 'game')}, {players} players, seed {seed}")
    began = perf_counter()
    with console.progress("Playing") as progress:
        bar = progress.add_task("games", total=games)
        summary = simulate(games, players, bots, seed, lambda: progress.advance(bar))
    print_summary(summary, console)
    if console.is_terminal:  # elsewhere the same seed gives the same bytes
        console.print(f"{games / (perf_counter() - began):.0f} games a second")
