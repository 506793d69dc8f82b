"""`reibach doctor`: whether this release replays a store's games as they were played."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final, NamedTuple, TextIO

import click

from config.settings import Settings
from domain.audit.checks import audit
from domain.clock.waiting import WaitingFor, waiting_for
from service.bootstrap import retention_of
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import printable
from service.commands.store.heads import Head, read_heads
from service.commands.store.opening import open_store
from service.commands.store.parallel import for_each
from service.commands.terminal import plural, track
from service.gamelog.archive.places import open_private
from service.gamelog.audit.integrity import inspect_game
from service.gamelog.audit.parents import load_parent
from service.gamelog.copies.transfer import is_game_id, is_over
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.listing import make_listing
from service.gamelog.orders.book import OrderBook
from service.gamelog.reactions import Reactions
from service.gamelog.reader import GameReader
from service.gamelog.store.clock import StoreClock
from service.gamelog.store.listings import is_in_list
from service.gamelog.store.streams import Store
from service.gamelog.waiting_lists import WaitingLists, is_waiting
from service.signing.deployment import Deployment

_TITLE: Final = "reibach doctor of release"
"""How the first line of a file of sound games begins; the release, and what was to be checked, follow."""


_FOR_WORKERS: Final = (WaitingFor.SCORING, WaitingFor.BOT)


class _ReplayResult(NamedTuple):
    head: Head
    replayed: bool
    """False for a finished game that wasn't to be checked."""
    difference: str = ""
    """The first check that fails; empty: none."""
    missing: str = ""
    """A list that lacks the game; empty: none."""


def check_games(
    settings: Settings, *, every: bool, jobs: int | None = None, resume: Path | None = None, relist: bool = False
) -> None:
    """Replay the running games (`every`: all) of a store, and print a line for each that would differ.

    A line holds a check's name and a version, or the list that lacks the game, and nothing else of the game, because it
    is running. `resume`: a file of games that were found sound, which gets those that are found now; one that is still
    where the file says is not replayed again. `relist`: first put games back that are missing from the lists of what
    waits. Raises BadUsage, and CommandFailed also where a game would differ.
    """
    replayed = differ = missing = 0
    with open_store(settings) as (store, deployment, address), _Sound.open(resume, every=every) as sound:
        if relist:
            count = sum(_waiting_lists(settings, store, deployment).rebuild(range(store.shards)))
            click.echo(f"Put {plural(count, 'game')} back into the lists of games that wait for a worker.")
        heads = list(read_heads(store, store.ids()))
        to_do = [head for head in heads if head not in sound.known]
        found = for_each(address, partial(_check, every=every), to_do, jobs)
        for finding in track(found, "Replaying", len(to_do)):
            replayed += finding.replayed
            if finding.difference:
                differ += 1
                click.echo(f"{printable(finding.head.game)}: {finding.difference}")
            elif finding.missing:
                missing += 1
                click.echo(f"{printable(finding.head.game)}: {finding.missing}")
            else:
                sound.add(finding.head)
    if differ:
        raise CommandFailed(f"{differ} of {plural(replayed, 'game')} would differ")
    if missing:
        raise CommandFailed(f"{missing} of {plural(replayed, 'game')} are missing from a list")
    earlier = f" {plural(len(heads) - len(to_do), 'game')} were replayed before." if resume else ""
    click.echo(f"Replayed {plural(replayed, 'game')}: none differs.{earlier}")


def _waiting_lists(settings: Settings, store: Store, deployment: Deployment) -> WaitingLists:
    reactions = Reactions(lambda *_: None, settings.bot_delay, retention_of(settings))
    orders = OrderBook(GameReader(store), deployment.repeat_secret)
    return WaitingLists(store, reactions, orders, StoreClock(store).now_ms)


def _check(store: Store, head: Head, *, every: bool) -> _ReplayResult:
    """Replay one game. Raises StoreUnavailable."""
    report = inspect_game(GameReader(store), head.game)
    if is_over(report.events) and not every:
        return _ReplayResult(head, replayed=False)
    parent = load_parent(store, report.events)
    found = audit(report.events, stored=report.offence, served=report.served, parent=parent, open_cards=True)
    first = found.first_offence
    if first:
        return _ReplayResult(head, replayed=True, difference=f"{first.name} fails at version {first.version}")
    return _ReplayResult(head, replayed=True, missing=_missing_from(store, head.game))


def _missing_from(store: Store, name: str) -> str:
    """Which list of the store lacks the game; empty: none. Raises StoreUnavailable."""
    try:
        game = GameReader(store).load(name).game
        waiting, listing = waiting_for(game), make_listing(game)
        is_due = waiting and (waiting.reason in _FOR_WORKERS or waiting.until is not None)
        if is_due and not is_waiting(store, name, game.version):
            return "waits for a worker, and is in no due list; `reibach doctor --relist` puts it back"
        if listing and not is_in_list(store, name, game.version, listing.status):
            return "is listed, and missing from the list of games"
    except (NoSuchGame, CorruptLog):  # it was deleted, or damaged, since it was replayed
        return ""
    return ""


class _Sound:
    """The games that were found sound, in a file that grows with each: an interrupted command goes on from there."""

    def __init__(self, known: frozenset[Head], file: TextIO | None) -> None:
        """`file`: None keeps nothing."""
        self.known = known
        self._file = file

    @classmethod
    @contextmanager
    def open(cls, path: Path | None, *, every: bool) -> Iterator["_Sound"]:
        """The file at the path, made if missing; None: no file. Raises BadUsage."""
        if path is None:
            yield cls(frozenset(), None)
            return
        title = f"{_TITLE} {version('reibach')}{' --all' if every else ''}"
        try:
            with open(path, "a+", encoding="utf-8", opener=open_private) as file:
                file.seek(0)
                lines = file.read().split("\n")
                if lines == [""]:
                    file.write(f"{title}\n")
                elif lines[0] != title:
                    raise BadUsage(f"{printable(path)} isn't of `{title}`: name another file, or delete it")
                elif lines.pop():  # the last line was cut off
                    file.write("\n")
                yield cls(frozenset(filter(None, map(_read_head, lines[1:]))), file)
        except (OSError, UnicodeDecodeError) as error:
            reason = error.strerror if isinstance(error, OSError) else "it is not a text"
            raise BadUsage(f"can't use {printable(path)}: {reason}") from None

    def add(self, head: Head) -> None:
        if self._file is not None and is_game_id(head.game):
            self._file.write(f"{head.game} {head.version} {head.hash}\n")
            self._file.flush()


def _read_head(line: str) -> Head | None:
    """The head that a line of the file names; None for another line."""
    words: list[Any] = line.split(" ")
    return Head(words[0], int(words[1]), words[2]) if len(words) == 3 and words[1].isdigit() else None
