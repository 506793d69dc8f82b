"""`reibach simulate`: whole games by bots, without a server."""

import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from importlib import import_module
from math import sqrt
from pathlib import Path
from random import Random
from typing import Final, TypeAlias

import click
import orjson

from domain.bots import choose_action
from domain.commands import LONGEST_NAME, Act, Action, CompleteScoring, CreateGame, SeatPlan
from domain.decide import decide
from domain.events import Event, EventRecord, payload_of, type_of
from domain.fairness.chain import chain_key, first_hash
from domain.legality import legal_actions
from domain.orders.wishes import json_of
from domain.state import Game
from domain.view import view_of
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import printable
from service.commands.terminal import plural, print_columns, track
from service.gamelog.copies.transfer import lines_of
from service.gamelog.store.form.codec import hash_rows, row_of_event

Choose: TypeAlias = Callable[[Game, Random, Callable[[], Iterable[EventRecord]]], Action]
_BEGIN_MS: Final = 1_767_225_600_000
"""When each game begins: 2026-01-01T00:00:00Z."""
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


def simulate(games: int, players: int, bots: Sequence[str], seed: str, to: Path | None = None) -> Summary:
    """Play `games` games; seat s is `bots[s]`, from the first again where there are fewer bots than players.

    Same arguments, same games. The seats take turns at starting, so no bot has an advantage of place.
    `to`: a folder for a file of each. Raises BadUsage for a bot that isn't there, or takes no legal action; OSError.
    """
    names = [bots[seat % len(bots)] for seat in range(players)]
    chosen = {name: _own_bot(name) if ":" in name else partial(choose_action, name) for name in set(names)}
    summary = Summary([SeatSummary(name) for name in names])
    for index in track(range(games), "Playing", games):
        game, actions, log = _play(names, chosen, f"{seed}/{index}", index % players)
        summary.count(game, actions)
        if to is not None:
            to.joinpath(f"{game.id}.ndjson").write_bytes(log.export(game))
    return summary


def _own_bot(name: str) -> Choose:
    """The function of the user's, found from the folder of the command. Raises BadUsage."""
    module, _, function = name.partition(":")
    sys.path.insert(0, str(Path.cwd()))
    try:
        choose = getattr(import_module(module), function)
    except Exception as error:  # noqa: BLE001 - whatever a module does when it is imported
        raise BadUsage(f"can't load the bot {printable(name)}: {printable(error)}") from None
    finally:
        sys.path.pop(0)

    def choose_legal(game: Game, _chance: Random, _history: object) -> Action:
        legal = list(legal_actions(game, game.turn_seat))
        forms = [json_of(action) for action in legal]
        view = orjson.loads(orjson.dumps(view_of(game, game.turn_seat, "")))  # a copy, which may be changed
        try:
            return legal[forms.index(choose(view, [dict(form) for form in forms]))]
        except ValueError:
            raise BadUsage(f"the bot {printable(name)} didn't take one of the legal actions") from None
        except Exception as error:  # noqa: BLE001 - whatever a bot does
            raise BadUsage(f"the bot {printable(name)} failed: {type(error).__name__}: {printable(error)}") from None

    return choose_legal


def _play(bots: Sequence[str], chosen: Mapping[str, Choose], seed: str, starting_seat: int) -> "tuple[Game, int, _Log]":
    """One whole game, the number of its actions, and its log."""
    chance = Random(seed)  # noqa: S311 - the bots' chance must repeat, and hides nothing
    salts = [sha256(f"{seed}/salt/{seat}".encode()).hexdigest()[:32] for seat in range(len(bots))]
    opened = decide(
        CreateGame(
            game=sha256(seed.encode()).hexdigest()[:24],
            server_seed=sha256(seed.encode()).digest(),
            seats=tuple(
                SeatPlan(name=bot[:LONGEST_NAME], salt=salt) if ":" in bot else SeatPlan(bot=bot, salt=salt)
                for bot, salt in zip(bots, salts, strict=True)
            ),
            starting_seat=starting_seat,
        ),
        Game(),
    )
    game, actions, log = opened.game, 0, _Log(opened.events)
    while not game.over:
        if game.scoring is not None:
            done = decide(CompleteScoring(round=game.scoring), game)
        else:
            action = chosen[bots[game.turn_seat]](game, chance, log.read)
            done = decide(Act(seat=game.turn_seat, actions=(action,)), game)
            actions += 1
        game = done.game
        log.append(done.events)
    return game, actions, log


class _Log:
    """The events of a game; their records are made when a bot asks for them."""

    def __init__(self, events: list[Event]) -> None:
        self.events = list(events)
        self._ends = [len(events)]
        """Versions of the last event of each append."""
        self._records: list[EventRecord] = []

    def append(self, events: list[Event]) -> None:
        self.events += events
        self._ends.append(len(self.events))

    def export(self, game: Game) -> bytes:
        """The game's log, in the bytes of `reibach export`; a second lies between two appends."""
        key = chain_key(game.server_seed)
        previous, first, lines = first_hash(key, game.id), 0, []
        for number, end in enumerate(self._ends):
            rows = [row_of_event(event) for event in self.events[first:end]]
            records, previous = hash_rows(rows, version=first, at=_BEGIN_MS + 1000 * number, key=key, previous=previous)
            lines.append(lines_of(records))
            first = end
        return b"".join(lines)

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


def print_summary(summary: Summary) -> None:
    rows = [["seat", "bot", "wins", "shared", "wins %", "average", "lowest", "highest"]]
    for index, seat in enumerate(summary.seats):
        share, average = 100 * seat.wins / summary.games, sum(seat.totals) / summary.games
        figures = [str(seat.wins), str(seat.shared), f"{share:.1f}", f"{average:.2f}"]
        rows.append([str(index), seat.bot, *figures, str(min(seat.totals)), str(max(seat.totals))])
    print_columns(rows, left=2)
    if len(summary.bots) > 1:
        for bot, wins in summary.bots.items():
            low, high = interval(wins, summary.games)
            share = 100 * wins / summary.games
            click.echo(f"{bot} won {share:.1f} % (95 % confidence: {100 * low:.1f} to {100 * high:.1f} %)")
    turns, actions, events = (count / summary.games for count in (summary.turns, summary.actions, summary.events))
    click.echo(f"A game took {turns:.1f} turns, {actions:.1f} actions and {events:.1f} events on average.")


def run_simulation(games: int, players: int, bots: Sequence[str], seed: str, to: Path | None = None) -> None:
    """Simulate and print a summary. Raises BadUsage and CommandFailed."""
    click.echo(f"{plural(games, 'game')}, {players} players, seed {seed}")
    try:
        if to is not None:
            to.mkdir(parents=True, exist_ok=True)
        summary = simulate(games, players, bots, seed, to)
    except OSError as error:
        raise CommandFailed(f"can't write to {printable(to)}: {error.strerror}") from None
    print_summary(summary)
