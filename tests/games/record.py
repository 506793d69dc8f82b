"""Records games until the folder shows every clause: `python -m tests.games.record`, from the repository's root.

What is recorded stays as it is; games are only added, and the same folder always gets the same ones. A file holds the
games of one number of players and one set of variants, so a new variant fills new files by itself.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from hashlib import sha256
from itertools import count
from pathlib import Path
from random import Random
from typing import Final

from domain.cards import HAND_CARDS, REIBACH
from domain.commands import Act, Action, Append, Draw, LayBusinessmaker, Take
from domain.decide import decide, legal_actions
from domain.fairness import deal
from domain.rules import rules_of
from domain.state import Game
from tests.games.clauses import CLAUSES, EXCUSED, TABLES, shown_by
from tests.games.played import Played
from tests.games.recorded import (
    GAMES,
    Recorded,
    attempt,
    command_of,
    entries_of,
    line_of,
    move_of,
    read,
    sheet_of,
    steps_of,
    table_name,
)
from tests.games.styles import STYLES

PER_TABLE: Final = 26
ATTEMPTS: Final = 6000
SLIPS: Final = 0.08
"""How often a move is preceded by one that is refused."""
NAMES: Final = ("Anna", "Bert", "Carla", "Dirk", "Elif")
CASTS: Final = (
    ("random",),
    ("by-kind",),
    ("greedy",),
    ("greedy", "random"),
    ("build", "double"),
    ("match",),
    ("strip",),
    ("clog",),
    ("hoard", "greedy"),
    ("collect", "by-kind"),
    ("pile-up", "build"),
    ("jest", "double"),
    ("match", "greedy", "hoard", "build", "strip"),
)
"""Who sits at a table; a short cast is repeated."""
ALL_BOTS: Final = (2, 3)
"""The casts that are played by bots; in some others seats are open at first, and in some the last one is a bot's."""


class Writer:
    """A game in the making."""

    def __init__(
        self, name: str, players: int, variants: Collection[str], cast: int, salt: str = "", *, first: int = 0
    ) -> None:
        """`cast`: its number; `salt`: another one gives another game of that name; `first`: the starting seat."""
        self.chance = Random(f"{name} {salt}")
        self.seed = sha256(f"recorded {name} {salt}".encode()).hexdigest()
        self.styles = [CASTS[cast][seat % len(CASTS[cast])] for seat in range(players)]
        self.people = [{"name": person, "entropy": f"{person}'s share"} for person in NAMES[:players]]
        self.seats = self._seats(cast)
        self.moves: list[str] = []
        self.recorded = Recorded(
            game=name,
            about=", ".join(self.styles),
            server_seed=self.seed,
            seats=self.seats,
            variants=sorted(variants),
            starting_seat=first,
            moves=self.moves,
            sheet=[],
            totals=[],
            winners=[],
            hash="",
        )
        self.game = decide(self.recorded.creation, Game()).game

    def _seats(self, cast: int) -> list[dict[str, str]]:
        if cast in ALL_BOTS:
            return [{"bot": style} for style in self.styles]
        if cast % 4 == 0:
            return [self.people[0] if seat == 1 else {} for seat in range(len(self.people))]
        if cast == len(CASTS) - 2:
            self.styles[-1] = "greedy"
            return [*self.people[:-2], {}, {"bot": "greedy"}]
        return [{"name": person["name"]} if cast % 4 == 1 else dict(person) for person in self.people]

    def send(self, move: str) -> None:
        """Carry out a move that is known to be accepted, or refused as it says."""
        command, _ = command_of(move)
        self.game = attempt(command, self.game)[0].game
        self.moves.append(move)

    def slip(self) -> None:
        """Send what is refused, each reason that is at hand as likely as the others."""
        chance, game = self.chance, self.game
        by_reason: dict[str, Act] = {}
        if game.started and chance.random() < 1 / 10:
            return self.send("join Zoe ! no-open-seat")
        seats = [*range(len(game.seats)), *[game.turn_seat] * 3]
        for _ in range(40):
            act = Act(seat=chance.choice(seats), actions=(self.wish(game),))
            _, reason = attempt(act, game)
            if reason:
                by_reason[reason] = act
        if by_reason:
            reason = chance.choice(sorted(by_reason))
            self.send(move_of(by_reason[reason], reason))
        return None

    def wish(self, game: Game) -> Action:
        """Any well-formed action, one with a card in hand more likely than others."""
        chance = self.chance
        place = game.seats[game.turn_seat]
        card = chance.choice([*HAND_CARDS, REIBACH, *place.hand * 2])
        return chance.choice(
            (
                Draw(),
                Take(slot=chance.randrange(3)),
                LayBusinessmaker(card=card),
                Append(card=card, row=chance.randrange(len(place.rows) + 1)),
                Append(card=card, row=chance.randrange(len(place.rows) + 1)),
            )
        )

    def turn(self) -> None:
        """One request of the seat whose turn it is: one to three actions, at times one too many."""
        chance, game, seat = self.chance, self.game, self.game.turn_seat
        actions: list[Action] = []
        for _ in range(chance.choice((1, 1, 2, 3))):
            action = STYLES[self.styles[seat]](game, list(legal_actions(game, seat)), chance)
            actions.append(action)
            game = decide(Act(seat=seat, actions=(action,)), game).game
            if game.scoring is not None or game.turn_seat != seat:
                break
        if len(actions) < 3 and chance.random() < SLIPS:
            too_many = Act(seat=seat, actions=(*actions, self.wish(game)))
            _, reason = attempt(too_many, self.game)
            return self.send(move_of(too_many, reason))
        return self.send(move_of(Act(seat=seat, actions=tuple(actions))))

    def write(self) -> Recorded:
        """The whole game."""
        while not self.game.over:
            if self.chance.random() < SLIPS:
                self.slip()
            if not self.game.started:
                person = self.people[next(index for index, seat in enumerate(self.game.seats) if seat.name is None)]
                entropy = f" {person['entropy']}" if self.chance.random() < 1 / 2 else ""
                self.send(f"join {person['name']}{entropy}")
            elif self.game.scoring is not None:
                if self.chance.random() < SLIPS:
                    self.slip()
                self.send(f"score {self.game.scoring}")
            else:
                self.turn()
        if self.chance.random() < SLIPS:
            self.slip()
        return self._finished()

    def _finished(self) -> Recorded:
        recorded, game = self.recorded, self.game
        _, last_hash = entries_of(steps_of(recorded))
        kept = {name: getattr(recorded, name) for name in recorded.__dataclass_fields__}
        return Recorded(
            **kept
            | {
                "sheet": sheet_of(game),
                "totals": [seat.total for seat in game.seats],
                "winners": game.winners,
                "hash": last_hash.hex(),
            }
        )


def lucky(writer: Writer) -> bool:
    """Whether the cards of a full table lie so that a refill or a draw brings two rounds."""
    plans = writer.recorded.creation.seats
    if any(plan.name is None and plan.bot is None for plan in plans):
        return False
    pile = deal(rules_of("standard@1"), bytes.fromhex(writer.seed), [plan.entropy for plan in plans]).draw_pile
    at = [index for index, card in enumerate(pile) if card == REIBACH]
    return at[6] - at[3] == 3 or at[9] - at[6] == 3


def fill(path: Path, players: int, variants: Collection[str]) -> list[Recorded]:
    """The games of a file, filled up to `PER_TABLE`."""
    games = read(path)
    for index in range(len(games), PER_TABLE):
        name = f"{path.stem}-{index:03}"
        games.append(Writer(name, players, variants, index % len(CASTS), first=index % players).write())
    return games


def candidates(tables: Sequence[tuple[int, frozenset[str], list[Recorded]]]) -> Iterator[tuple[list[Recorded], Writer]]:
    """Games to try, every table and cast in turn, each with the list that it would go to."""
    for number in count():
        players, variants, games = tables[number % len(tables)]
        cast = (number // len(tables)) % len(CASTS)
        name = f"{table_name(players, variants)}-{len(games):03}"
        yield games, Writer(name, players, variants, cast, str(number), first=number % players)


def cover(tables: Sequence[tuple[int, frozenset[str], list[Recorded]]]) -> set[str]:
    """Add games that show what no other shows. Returns what is still missing."""
    missing = CLAUSES.keys() - EXCUSED.keys()
    for _, _, games in tables:
        for recorded in games:
            missing -= shown_by(Played.of(recorded))
    print(f"missing before the search: {sorted(missing)}")
    tried = 0
    for games, writer in candidates(tables):
        if not missing or tried == ATTEMPTS:
            break
        if all(name.startswith("rounds") for name in missing) and not lucky(writer):
            continue
        tried += 1
        recorded = writer.write()
        found = missing & shown_by(Played.of(recorded))
        if found:
            games.append(recorded)
            missing -= found
            print(f"{recorded.game} shows {sorted(found)} (attempt {tried})")
    return missing


def main() -> int:
    """Fill the files, search for what is missing, and write them. Returns 1 where something is missing still."""
    tables = []
    for players, variants in TABLES:
        path = GAMES / f"{table_name(players, variants)}.jsonl"
        tables.append((players, variants, fill(path, players, variants)))
    missing = cover(tables)
    for players, variants, games in tables:
        path = GAMES / f"{table_name(players, variants)}.jsonl"
        path.write_text("".join(line_of(recorded) for recorded in games), "utf-8")
    print(f"{sum(len(games) for _, _, games in tables)} games; missing: {sorted(missing)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
