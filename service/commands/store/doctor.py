"""`reibach doctor`: whether this release replays a store's games as they were played."""

from contextlib import suppress
from typing import Final

import click

from config.settings import Settings
from domain.audit.checks import audit
from domain.clock.waiting import WaitingFor, waiting_for
from service.bootstrap import retention_of
from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import plural, track
from service.gamelog.copies.parents import load_parent
from service.gamelog.copies.transfer import is_over
from service.gamelog.integrity import IntegrityReport, inspect_game
from service.gamelog.orders.book import OrderBook
from service.gamelog.reactions import Reactions
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame
from service.gamelog.store.form.listing import make_listing
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.listings import is_in_list
from service.gamelog.store.streams import Store
from service.gamelog.waiting_lists import WaitingLists, is_waiting

_FOR_WORKERS: Final = (WaitingFor.SCORING, WaitingFor.BOT)


def check_games(settings: Settings, *, every: bool, relist: bool = False) -> None:
    """Replay the running games (`every`: all) of a store, and print a line for each that would differ.

    A line holds a check's name and a version, or the list that lacks the game, and nothing else of the game, because it
    is running. `relist`: first put games back that are missing from the lists of what waits. Raises BadUsage, and
    CommandFailed also where a game would differ.
    """
    replayed = differ = missing = 0
    with open_store(settings) as (store, _):
        if relist:
            reactions = Reactions(lambda *_: None, settings.bot_delay, retention_of(settings))
            lists = WaitingLists(store, reactions, OrderBook(GameReader(store)), StoreClock(store).now_ms)
            count = lists.rebuild()
            click.echo(f"Put {plural(count, 'game')} back into the lists of games that wait for a worker.")
        games = store.ids()
        for game in track(games, "Replaying", len(games)):
            report = inspect_game(GameReader(store), game)
            if is_over(report.events) and not every:
                continue
            replayed += 1
            difference = _find_difference(store, report)
            missing_from = "" if difference else _missing_from(store, game)
            differ += bool(difference)
            missing += bool(missing_from)
            if said := difference or missing_from:
                click.echo(f"{printable(game)}: {said}")
    if differ:
        raise CommandFailed(f"{differ} of {plural(replayed, 'game')} would differ")
    if missing:
        raise CommandFailed(f"{missing} of {plural(replayed, 'game')} are missing from a list")
    click.echo(f"Replayed {plural(replayed, 'game')}: none differs.")


def _find_difference(store: Store, report: IntegrityReport) -> str:
    """The first check of a game that fails; empty: none. Raises StoreUnavailable."""
    parent = load_parent(store, report.events)
    findings = audit(report.events, stored=report.offence, served=report.served, parent=parent, open_cards=True)
    first = findings.first_offence
    return f"{first.name} fails at version {first.version}" if first else ""


def _missing_from(store: Store, name: str) -> str:
    """Which list of the store lacks the game; empty: none. Raises StoreUnavailable."""
    with suppress(NoSuchGame, CorruptLog):  # it was deleted, or damaged, since it was replayed
        game = GameReader(store).load(name).game
        waiting, listing = waiting_for(game), make_listing(game)
        is_due = waiting and (waiting.reason in _FOR_WORKERS or waiting.until is not None)
        if is_due and not is_waiting(store, name, game.version):
            return "waits for a worker, and is in no due list; `reibach doctor --relist` puts it back"
        if listing and not is_in_list(store, name, game.version, listing.status):
            return "is listed, and missing from the list of games"
    return ""
