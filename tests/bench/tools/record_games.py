"""Records games until the folder shows every clause.

Run: `python -m tests.bench.tools.record_games`, from the repository's root.

Recorded games never change; games are only added, and the same folder always gets the same ones. A file holds the
games of one number of players and one set of variants, so a new variant fills new files by itself.

It also chooses a few games that show every clause together: `cover.txt`, for the checks of every run.

`python -m tests.bench.tools.record_games hashes` is for a changed payload: it writes the hashes anew, provided that
every move, refusal and score is as recorded.
"""

import sys
from collections.abc import Collection, Iterator, Sequence
from itertools import count
from pathlib import Path
from typing import Final

from domain.cards import REIBACH
from domain.fairness.shuffle import deal
from domain.rules import rules_of
from tests.bench.tools.writer import CASTS, Writer, hashed
from tests.games.clauses import CLAUSES, EXCUSED, TABLES, clauses_of
from tests.games.played import Played
from tests.games.recorded import COVER, GAMES, Recorded, line_of, read, table_name

PER_TABLE: Final = 26
ATTEMPTS: Final = 6000


def lucky(writer: Writer) -> bool:
    """Whether the cards of a full table lie so that a refill or a draw brings two rounds."""
    plans = writer.recorded.creation.seats
    if any(plan.name is None and plan.bot is None for plan in plans):
        return False
    *_, pile = deal(rules_of("standard@1"), bytes.fromhex(writer.seed), [plan.entropy for plan in plans])
    at = [index for index, card in enumerate(pile) if card == REIBACH]
    return at[6] - at[3] == 3 or at[9] - at[6] == 3


def fill(path: Path, players: int, variants: Collection[str]) -> list[Recorded]:
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
            missing -= clauses_of(Played.of(recorded))
    print(f"missing before the search: {sorted(missing)}")
    tried = 0
    for games, writer in candidates(tables):
        if not missing or tried == ATTEMPTS:
            break
        if all(name.startswith("rounds") for name in missing) and not lucky(writer):
            continue
        tried += 1
        recorded = writer.write()
        found = missing & clauses_of(Played.of(recorded))
        if found:
            games.append(recorded)
            missing -= found
            print(f"{recorded.game} shows {sorted(found)} (attempt {tried})")
    return missing


def chosen(games: Sequence[Recorded]) -> list[str]:
    """Names of a few games that together show all that these games show: each shows most of what is missing."""
    shown = {recorded.game: clauses_of(Played.of(recorded)) for recorded in games}
    missing, names = set().union(*shown.values()), []
    while missing:
        names.append(max(shown, key=lambda name: len(shown[name] & missing)))
        missing -= shown[names[-1]]
    return sorted(names)


def _path(players: int, variants: Collection[str]) -> Path:
    return GAMES / f"{table_name(players, variants)}.jsonl"


def _write(path: Path, games: Sequence[Recorded]) -> None:
    path.write_text("".join(map(line_of, games)), "utf-8")


def main() -> int:
    """Fill the files, search for what is missing, and write them. Returns 1 where something is missing still."""
    tables = [(players, variants, fill(_path(players, variants), players, variants)) for players, variants in TABLES]
    missing = cover(tables)
    for players, variants, games in tables:
        _write(_path(players, variants), games)
    names = chosen([recorded for _, _, games in tables for recorded in games])
    COVER.write_text("".join(f"{name}\n" for name in names), "utf-8")
    print(f"{sum(len(games) for _, _, games in tables)} games; missing: {sorted(missing)}")
    return 1 if missing else 0


def write_hashes() -> int:
    """Work out the last hash of every game anew."""
    for path in sorted(GAMES.glob("*.jsonl")):
        _write(path, [hashed(recorded) for recorded in read(path)])
    return 0


if __name__ == "__main__":
    sys.exit(write_hashes() if sys.argv[1:] == ["hashes"] else main())
