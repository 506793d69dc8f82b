"""`reibach import`: exported games into a store, each file by itself.

Rule: a file is untrusted input. It is imported whole and byte for byte, or refused with one line.
"""

import json
import secrets
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Final

import click

from config.settings import Settings
from domain.audit.checks import audit
from domain.audit.evidence import readable
from domain.audit.findings import Offence
from domain.bots import BOTS
from domain.clock.timestamps import timestamp
from domain.events import FIELDS, EventRecord
from domain.state import Game
from service.bootstrap import retention_of
from service.commands.errors import BadUsage, CommandFailed, print_error
from service.commands.source import LARGEST, SourceLog, parse_log, printable, read_file
from service.commands.store.forgotten import find_owed
from service.commands.store.opening import open_store, people_in
from service.commands.terminal import track
from service.gamelog.cache import EMPTY
from service.gamelog.copies.parents import load_parent
from service.gamelog.copies.transfer import import_entries, is_game_id, lines_of
from service.gamelog.history import History
from service.gamelog.integrity import check_integrity
from service.gamelog.log import GameLog
from service.gamelog.reactions import Reactions
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, GameExists, NotStorable
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.replies import Amendments
from service.gamelog.store.streams import Store
from service.signing.tokens import GENERATIONS_OF_A_PERSON, Tokens

_LONGEST_OPENING: Final = 64 * 1024
"""Bytes of a file's first line."""
_OPENINGS: Final = ("GameCreated", "PositionSet")
"""What names a game, or its parent."""
_CLOCK_SKEW_MS: Final = 10 * 60 * 1000
"""How far an event's time may lie ahead of the store's clock."""


class _NotImported(CommandFailed):
    """The game can't be imported."""


def import_games(settings: Settings, files: Sequence[Path], *, running: bool) -> int:
    """Import the games. Returns the exit code: 2 where a file can't be read, else 1 where a game is refused, else 0.

    `files`: also folders, for the files in them that an export has written. Files of forks come after those of their
    parents. Raises BadUsage for a folder without any, and CommandFailed for errors of the store.
    """
    code, ordered = 0, _parents_first(_files_of(files))
    with open_store(settings, new=True) as (store, deployment):
        tokens = Tokens(deployment.token_secrets)
        clock = StoreClock(store).now_ms
        games = GameLog(store, Reactions(lambda *_: None, settings.bot_delay, retention_of(settings)), clock=clock)
        for path in track(ordered, "Importing", len(ordered)):
            try:
                _import_file(games, tokens, path, clock(), running=running)
            except BadUsage as error:  # the message about a file that can't be read names its path already
                code = max(code, error.exit_code)
                print_error(error.format_message())
            except _NotImported as error:
                code = max(code, error.exit_code)
                print_error(f"{printable(path)}: {error.format_message()}")
        for command in find_owed(settings, store):
            click.echo(f"Run `{command}` again.")
    return code


def _files_of(paths: Sequence[Path]) -> Iterator[Path]:
    """The files, and those of each folder, by name. Raises BadUsage for a folder without any."""
    for path in paths:
        if not path.is_dir():
            yield path
            continue
        files = sorted(path.glob("*.ndjson"))
        if not files:
            raise BadUsage(f"there are no files *.ndjson in the folder {printable(path)}")
        yield from files


def _parents_first(files: Iterable[Path]) -> list[Path]:
    """The files in their order, but each fork after its parent, with which it is compared in the store."""
    openings = {path: _opening_of(path) for path in files}
    by_game = {game: path for path, (game, _) in openings.items() if game}
    ordered: dict[Path, None] = {}
    for path in openings:
        line: dict[Path, None] = {}
        next_one: Path | None = path
        while next_one and next_one not in ordered and next_one not in line:
            line[next_one] = None
            next_one = by_game.get(openings[next_one][1])
        ordered |= dict.fromkeys(reversed(line))
    return list(ordered)


def _opening_of(path: Path) -> tuple[str, str]:
    """The game and its parent, as the first line of a file names them; "": none. Nothing is checked yet."""
    try:
        with path.open("rb") as file:
            data = json.loads(file.readline(_LONGEST_OPENING))["data"]
        return str(data["game"]), str(data.get("parent", ""))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return "", ""


def _import_file(games: GameLog, tokens: Tokens, path: Path, now: int, *, running: bool) -> None:
    """Import one file, and print what became of it, for the people of a running game with their tokens.

    `now`: the store's time, in ms since 1970. Raises BadUsage, _NotImported and StoreUnavailable.
    """
    text = read_file(path, LARGEST + 1)
    if len(text) > LARGEST:
        raise _NotImported(f"the file is larger than {LARGEST} bytes, and no game is")
    played = _check_log(games.store, parse_log(text, str(path)), now, running=running)
    game, outcome = _write_game(games, played, text)
    people = {} if game.over else people_in(game.seats)
    stored = GameReader(games.store).load(game.id) if people else EMPTY
    click.echo(f"{printable(path)}: {game.id} {outcome}")
    for seat, name in people.items():
        token = tokens.issue(game.id, seat, stored.generation(seat))
        click.echo(f"{game.id} seat {seat} ({name or f'#{seat + 1}'}): {token}", err=True)


def _new_generations(game: Game) -> Amendments:
    """Of tokens that this deployment never issued, wherever the game was before.

    A generation of a token is counted from the version at which its person took the seat: these are beyond any version.
    """
    drawn = {seat: (1 << 24) + secrets.randbelow(1 << 31) for seat in people_in(game.seats)}
    return Amendments(generations={seat: number * GENERATIONS_OF_A_PERSON for seat, number in drawn.items()})


def _check_log(store: Store, log: SourceLog, now: int, *, running: bool) -> History:
    """The game of a log that passes every check there is without receipts. Raises _NotImported.

    A fork is compared with its parent if the store has it. `now`: as for `_import_file`.
    """
    if log.fault:
        raise _NotImported(log.fault)
    events = readable(log.events)
    data = events[0]["data"] if events else {}
    if data.get("server_seed", "") is None:
        raise _NotImported(
            "the log is redacted: its hidden cards are missing; export it with `reibach export`, or after the game"
        )
    for version, event in enumerate(events, 1):
        if event["type"] not in FIELDS:
            raise _NotImported(f"version {version} is a {printable(event['type'])[:40]}, unknown to this release")
    audited = audit(log.events, lines=log.lines, parent=load_parent(store, events), open_cards=True)
    if failing := audited.first_offence:
        raise _NotImported(f"{failing.name} fails at version {failing.version}")
    if not (audited.over or running):
        raise _NotImported("the game is running: stop the service that it comes from, and use --running")
    try:
        if offence := _find_invalid(events, now, over=audited.over):
            raise NotStorable(offence)
        return import_entries(events, audited.game)
    except NotStorable as refused:
        raise _NotImported(f"version {refused.offence.version}: expected {refused.offence.expected}") from None


def _find_invalid(events: Sequence[EventRecord], now: int, *, over: bool) -> Offence | None:
    """The first event that passes the audit, but that the API would have refused."""
    for event in events:
        kind, data = event["type"], event["data"]
        if kind in _OPENINGS and not all(is_game_id(data[name]) for name in ("game", "parent") if name in data):
            return Offence(event["version"], "a game id of 1 to 64 letters, digits, - and _")
        if kind == "PlayerJoined" and not over and data["bot"] not in {None, *BOTS}:
            return Offence(event["version"], f"one of the bots {', '.join(sorted(BOTS))}")
    if events[-1]["at"] > timestamp(now + _CLOCK_SKEW_MS):
        return Offence(events[-1]["version"], "a time that isn't in the future")
    return None


def _write_game(games: GameLog, played: History, text: bytes) -> tuple[Game, str]:
    """Write the game, if the store has none of its id; gives it, and what to print of it. Raises _NotImported."""
    game = played.head.game
    head = replace(played.head, amendments=_new_generations(game))
    try:
        games.import_game(replace(played, head=head))
    except GameExists:
        return game, _compare(games.store, game, text)
    except CorruptLog:
        raise _NotImported(f"the store has something else in the place of the game {game.id}") from None
    return game, f"imported, {game.version} events"


def _compare(store: Store, game: Game, text: bytes) -> str:
    """What the store has of the game already, if it is the same game. Raises _NotImported."""
    stored = check_integrity(store, game.id)
    kept = lines_of(stored.events)
    if stored.offence is None and kept == text:
        return "is there already"
    if stored.offence is None and kept.startswith(text):
        return f"is there already, and has gone on to version {len(stored.events)}"
    if kept and text.startswith(kept):
        raise _NotImported(f"the store has the game {game.id} itself, up to version {len(stored.events)} only")
    raise _NotImported(f"the store has another log of the game {game.id}")
