"""`reibach doctor`: whether this release replays a store's games as they were played."""

from collections import defaultdict
from datetime import UTC, datetime

import click

from config.settings import Settings
from domain.audit.checks import audit
from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.commands.terminal import Terminal, plural
from service.gamelog.audit.integrity import inspect_game
from service.gamelog.audit.parents import load_parent
from service.gamelog.copies.transfer import is_over
from service.gamelog.losses.ledger import RecordedLoss, read_losses
from service.gamelog.reader import GameReader
from service.gamelog.store.reader import StoreReader


def check_games(settings: Settings, *, every: bool) -> None:
    """Replay the running games (`every`: all) of a store, and print a line for each that would differ.

    A line holds a check's name and a version, and nothing else of the game, because it is running. Raises BadUsage, and
    CommandFailed also where a game would differ.
    """
    replayed = differ = 0
    with open_store(settings) as (store, _):
        _print_losses(store)
        games = GameReader(store)
        with Terminal().progress("Replaying") as progress:
            for game in progress.track(store.ids()):
                report = inspect_game(games, game)
                if is_over(report.events) and not every:
                    continue
                replayed += 1
                parent = load_parent(store, report.events)
                if first := audit(
                    report.events, stored=report.offence, served=report.served, parent=parent, open_cards=True
                ).first_offence:
                    differ += 1
                    progress.console.print(
                        f"{printable(game)}: {first.name} fails at version {first.version}", soft_wrap=True
                    )
    if differ:
        raise CommandFailed(f"{differ} of {plural(replayed, 'game')} would differ")
    click.echo(f"Replayed {plural(replayed, 'game')}: none differs.")


def _print_losses(store: StoreReader) -> None:
    """A line for each game that has lost acknowledged events, by what processes have noticed in the last 90 days."""
    games: defaultdict[str, list[RecordedLoss]] = defaultdict(list)
    for loss in read_losses(store):
        games[loss.game].append(loss)
    for game, losses in sorted(games.items()):
        first, last = min(loss.version for loss in losses), max(loss.version for loss in losses)
        noticed = datetime.fromtimestamp(max(loss.noticed for loss in losses), UTC)
        events = plural(sum(loss.events for loss in losses), "acknowledged event")
        click.echo(
            f"{printable(game)}: lost {events} of versions {first} to {last}, noticed {noticed:%Y-%m-%d %H:%M} UTC"
        )
