"""`reibach doctor`: whether a store's games come out of the installed code as they came out when they were played."""

from dataclasses import dataclass
from typing import Any

import click
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

from config.settings import Settings
from domain.audit.chain import Offence
from domain.audit.checks import Served, audit
from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.commands.store import open_store
from service.commands.terminal import Terminal
from service.gamelog.cache import EMPTY, apply_entries
from service.gamelog.errors import CorruptLog
from service.gamelog.integrity import check_integrity, served_views
from service.gamelog.store.streams import Store
from service.gamelog.transfer import is_over


@dataclass(frozen=True, slots=True)
class _Found:
    """A game's log, and what is served of it here."""

    events: list[dict[str, Any]]
    served: Served | None
    offence: Offence | None
    """What its store contradicts first."""


def examine(settings: Settings, *, every: bool) -> None:
    """Decide and fold the running games (`every`: all) of a store again; a line for each that would differ.

    No line tells more of a game than a check's name and a version: the games are running. Raises BadUsage, and
    CommandFailed also where a game would differ.
    """
    console = Terminal()
    replayed = differ = 0
    with open_store(settings) as (store, _):
        columns = ("Replaying", BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        with Progress(*columns, console=console, transient=True, disable=not console.is_terminal) as progress:
            for game in progress.track(store.ids()):
                found = _read(store, game)
                if is_over(found.events) and not every:
                    continue
                replayed += 1
                if first := audit(
                    found.events, stored=found.offence, served=found.served, open_cards=True
                ).first_offence:
                    differ += 1
                    progress.console.print(
                        f"{printable(game)}: {first.name} fails at version {first.version}", soft_wrap=True
                    )
    if differ:
        raise CommandFailed(f"{differ} of {replayed} games would differ")
    click.echo(f"Replayed {replayed} games: none differs.")


def _read(store: Store, game: str) -> _Found:
    served, offence = None, None
    try:
        reading = store.read(game)
        head = apply_entries(EMPTY, reading.entries, reading.hash)
        if head is EMPTY:
            raise CorruptLog("a header without a log")
        served = served_views(head)
    except CorruptLog:
        offence = Offence(1, "a log that can be served")
    found = check_integrity(store, game)
    # What was appended since the first look is not in it.
    events = found.events if served is None else found.events[: head.game.version]
    return _Found(events, served, found.offence or offence)
