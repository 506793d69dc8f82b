"""`reibach simulate`: whole games by bots, without a server."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from random import Random
from time import perf_counter

from rich.console import Console
from rich.table import Table

from domain.bots import choose_action
from domain.commands import Act, CompleteScoring, CreateGame, SeatPlan
from domain.decide import decide
from domain.state import Game
from service.commands.terminal import Terminal, plural


@dataclass(slots=True)
class SeatSummary:
    """How one seat did over all games."""

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

    def count(self, game: Game, actions: int) -> None:
        """Add one finished game."""
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

    Same arguments, same games. The seats take turns at starting. `on_game` is called after each game.
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
    game = decide(
        CreateGame(
            game=seed,
            server_seed=sha256(seed.encode()).digest(),
            seats=tuple(SeatPlan(bot=bot) for bot in bots),
            starting_seat=starting_seat,
        ),
        Game(),
    ).game
    actions = 0
    while not game.over:
        if game.scoring is not None:
            game = decide(CompleteScoring(round=game.scoring), game).game
        else:
            action = choose_action(bots[game.turn_seat], game, chance)
            game = decide(Act(seat=game.turn_seat, actions=(action,)), game).game
            actions += 1
    return game, actions


def print_summary(summary: Summary, console: Console) -> None:
    """A line for each seat, then the average length of a game."""
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
