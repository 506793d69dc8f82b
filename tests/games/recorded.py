"""Recorded games: how they are written down, and how one is played again through the engine.

A file is JSON lines, a line is a game; its keys are the fields of `Recorded`. A move is one request, as text:

    join Anna tulip                       a player takes the lowest open seat; the entropy may be missing
    0 take 1, append oil 2                seat 0 sends a list of actions, in the words of the API
    0 append oil 2 ! wrong-business       the last action named is refused with this code, and nothing follows it
    0 says Good luck!                     seat 0 writes a message
    score 1                               the scoring round is completed

The clock is fixed: the game is created at `BEGAN`, and every move, a refused one too, comes `STEP` milliseconds after
the one before. So the hashes repeat.
"""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple

from domain.commands import (
    Act,
    Action,
    Append,
    Command,
    CompleteScoring,
    CreateGame,
    Draw,
    JoinGame,
    LayBusinessmaker,
    PostMessage,
    SeatPlan,
    Take,
)
from domain.decide import decide
from domain.decision import Decision
from domain.events import Event
from domain.fairness.chain import chain_key, first_hash
from domain.orders.wishes import json_of
from domain.refusals import Refused
from domain.state import Game
from service.gamelog.history import decode_events
from service.gamelog.store.form.codec import encode_rows, hash_rows, row_of_event
from service.gamelog.store.form.entry import CHECKED, REQUEST_ID, Entry

GAMES: Final = Path(__file__).parent / "standard@1"
COVER: Final = GAMES / "cover.txt"
"""Names of a few games that show every clause together, a line each; `record.py` chooses them."""
BEGAN: Final = 1_780_000_000_000
"""Milliseconds since 1970."""
STEP: Final = 250

_KINDS: Final[dict[str, type[Action]]] = {
    "take": Take,
    "draw": Draw,
    "lay_businessmaker": LayBusinessmaker,
    "append": Append,
}
_NUMBERS: Final = {"slot", "row"}
_SAYS: Final = "says "


@dataclass(frozen=True, slots=True, kw_only=True)
class Recorded:
    """One whole game. The rule set is the folder's name."""

    game: str
    about: str
    """Who played: a style for each seat."""
    server_seed: str
    seats: list[dict[str, str]]
    """As in the body of `POST /v1/games`; an open seat is {}."""
    variants: list[str]
    starting_seat: int
    moves: list[str]
    sheet: list[list[str]]
    """For each round each seat's score, as `score_as_text` writes it."""
    totals: list[int]
    winners: list[int]
    hash: str
    """Of the last event."""

    @property
    def creation(self) -> CreateGame:
        return CreateGame(
            game=self.game,
            server_seed=bytes.fromhex(self.server_seed),
            seats=tuple(SeatPlan(**seat) for seat in self.seats),
            variants=frozenset(self.variants),
            rules=GAMES.name,
            starting_seat=self.starting_seat,
        )


class Step(NamedTuple):
    move: str
    at: int
    """Milliseconds since 1970."""
    before: Game
    command: Command
    events: Sequence[Event]
    after: Game
    refusal: str | None


@dataclass(frozen=True)
class Replayed:
    recorded: Recorded
    steps: Sequence[Step]
    entries: Sequence[Entry]
    last_hash: bytes

    @cached_property
    def events(self) -> Sequence[dict[str, Any]]:
        return decode_events(self.entries)


def table_name(players: int, variants: Iterable[str]) -> str:
    """The file's name for a number of players and the variants that are on: `3-expensive_specials`."""
    return "-".join([str(players), *(sorted(variants) or ["plain"])])


def read(path: Path) -> list[Recorded]:
    lines = path.read_bytes().splitlines() if path.exists() else []  # of bytes: U+2028 ends no line
    return [Recorded(**json.loads(line)) for line in lines]


def line_of(recorded: Recorded) -> str:
    return json.dumps(asdict(recorded), ensure_ascii=False, separators=(",", ":")) + "\n"


def command_of(move: str) -> tuple[Command, str | None]:
    """The command that a move stands for, and the code with which its last action is refused."""
    said, _, refusal = move.partition(" ! ")
    who, _, what = said.partition(" ")
    if who == "join":
        name, _, entropy = what.partition(" ")
        return JoinGame(name=name, entropy=entropy), refusal or None
    if who == "score":
        return CompleteScoring(round=int(what)), refusal or None
    if what.startswith(_SAYS):
        return PostMessage(seat=int(who), text=what.removeprefix(_SAYS)), refusal or None
    return Act(seat=int(who), actions=tuple(map(_action, what.split(", ")))), refusal or None


@cache  # few different ones, in many games
def _action(said: str) -> Action:
    """By the rules' own reading, not the API's: some games try a row or a card that the API has refused since."""
    word, *values = said.split()
    kind = _KINDS[word]
    members: dict[str, Any] = dict(zip(kind.__dataclass_fields__, values, strict=True))
    return kind(**{name: int(value) if name in _NUMBERS else value for name, value in members.items()})


def move_of(act: Act, refusal: str | None = None) -> str:
    said = ", ".join(" ".join(str(value) for value in json_of(action).values()) for action in act.actions)
    return f"{act.seat} {said}" + (f" ! {refusal}" if refusal else "")


def attempt(command: Command, game: Game, now: int = 0) -> tuple[Decision, str | None]:
    """What the command makes of the game at `now`, and the code of its refusal, if any."""
    try:
        decision = decide(command, game, now)
    except Refused as refused:
        return Decision(game, game.at, game.at), str(refused.reason)
    return decision, str(decision.refusal.reason) if decision.refusal else None


def steps_of(recorded: Recorded) -> Iterator[Step]:
    """The game move by move. Raises AssertionError where a move has another outcome than it had."""
    decision = decide(recorded.creation, Game(), BEGAN)
    yield Step("create", BEGAN, Game(), recorded.creation, decision.events, decision.game, None)
    game = decision.game
    for number, move in enumerate(recorded.moves, 1):
        command, expected = command_of(move)
        decision, refusal = attempt(command, game, BEGAN + number * STEP)
        assert refusal == expected, f"{recorded.game}, move {number}, {move!r}: the refusal is {refusal}"
        if isinstance(command, Act):
            assert decision.applied == len(command.actions) - bool(refusal), f"{recorded.game}, move {number}: {move!r}"
        yield Step(move, BEGAN + number * STEP, game, command, decision.events, decision.game, refusal)
        game = decision.game
    assert game.over, f"{recorded.game}: it doesn't end"


def entries_of(steps: Iterable[Step]) -> tuple[list[Entry], bytes]:
    """The game as the log stores it, and the hash of its last event; request ids are zeros."""
    entries: list[Entry] = []
    key = previous = b""
    for step in steps:
        if not step.events:
            continue
        if not entries:
            key = chain_key(step.after.server_seed)
            previous = first_hash(key, step.after.id)
        rows = [row_of_event(event) for event in step.events]
        version = step.after.version - len(rows)
        _, previous = hash_rows(rows, version=version, at=step.at, key=key, previous=previous)
        elapsed = step.at - BEGAN if entries else step.at
        check = previous[:CHECKED] + bytes(REQUEST_ID)
        entries.append(Entry(step.after.version, len(rows), elapsed, encode_rows(rows), check))
    return entries, previous


@lru_cache(maxsize=1)
def replayed(path: Path) -> Sequence[Replayed]:
    """The games of a file, played again once for all tests of the file: not to be changed."""
    return [replay(recorded) for recorded in read(path)]


def replay(recorded: Recorded) -> Replayed:
    steps = list(steps_of(recorded))
    return Replayed(recorded, steps, *entries_of(steps))


def sheet_of(game: Game) -> list[list[str]]:
    return [[score_as_text(seat) for seat in done.seats] for done in game.rounds]


def score_as_text(seat: dict[str, Any]) -> str:
    """A seat's score in one round: `gold 8 monopoly 2 doubled, losses -2 -1, income 5`; the number before the reason
    is the income, the one after it the length, and losses are for businessmakers and for cards in hand.
    """
    rows = [
        f"{business} {row['income']} {row['reason']} {row['length']}" + (" doubled" if row["doubled"] else "")
        for business, row in seat["businesses"].items()
    ]
    losses = seat["penalties"]
    return ", ".join(
        [*rows, f"losses {losses['empty_businessmakers']} {losses['hand_cards']}", f"income {seat['income']}"]
    )
