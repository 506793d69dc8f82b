"""`reibach games`, `reibach delete` and `reibach forget`: an operator finds, deletes and forgets."""

import time
from contextlib import suppress
from typing import Any, Final

import click
import orjson
import redis
from redis.exceptions import RedisError, ResponseError

from config.settings import Settings
from domain.clock.timestamps import timestamp
from domain.clock.waiting import WaitingFor, waiting_for
from domain.state import Game
from service.commands.errors import CommandFailed, print_error
from service.commands.source import printable
from service.commands.store.forgotten import note_forgotten
from service.commands.store.opening import open_store, people_of
from service.commands.terminal import plural, track
from service.connections.clients import servers_of
from service.gamelog.copies.transfer import is_game_id
from service.gamelog.erasing import Origin, copies_of, delete_game, ends_proof, erase_words
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame, StoreUnavailable
from service.gamelog.store.generations import convert_headers
from service.gamelog.store.health.clock import StoreClock
from service.gamelog.store.streams import Store
from service.post.outbox import Outbox
from service.post.subscriptions import Subscriptions
from service.runtime.clock import now_ms
from service.runtime.embedded import RESTORING

_DAY_MS: Final = 24 * 3600 * 1000
_PATIENCE_S: Final = 10.0
"""For a rewrite that is under way."""
_POLL_S: Final = 0.05
_END_OF_PROOF: Final = (
    "{game} was opened before words had salts: its proof, and that of its forks, ends with the first erased event, and "
    "the versions up to that can't be proved any more (--end-proof agrees to it)."
)
_TROUBLES: Final = frozenset({"retry", "refused", "dead"})


def list_games(settings: Settings, *, address: str, idle: float | None, as_json: bool, **wanted: Any) -> None:
    """Print a line for each game of a store that fits. Raises BadUsage and CommandFailed."""
    with open_store(settings) as (store, _):
        since = None if idle is None else StoreClock(store).now_ms() - int(idle * _DAY_MS)
        games, subscriptions = store.ids(), Subscriptions(store)
        for game in track(games, "Reading", len(games)):
            kept = subscriptions.load(game) if address else {}
            seats = [seat for seat, each in kept.items() if (each.email or "").casefold() == address.casefold()]
            if (seats or not address) and (description := _describe(store, game, since, **wanted)):
                click.echo(orjson.dumps(description).decode() if as_json else _line_of(description, seats))


def _describe(
    store: Store, name: str, quiet_since: int | None, *, player: str, status: str | None
) -> dict[str, Any] | None:
    """What is listed of a game; None for one that doesn't fit, or is gone.

    `player`: part of a name; `quiet_since`: the last event must have been before, in ms since 1970.
    """
    try:
        game = GameReader(store).load(name).game
    except NoSuchGame:
        return None
    except CorruptLog:
        if player or status or quiet_since is not None:
            return None
        return _listed(name, None, [], "damaged", None, None, [])
    names = [None if place.name is None else place.name or f"#{seat}" for seat, place in enumerate(game.seats, 1)]
    if player and not any(player.casefold() in (name or "").casefold() for name in names):
        return None
    if status not in (None, game.status) or (quiet_since is not None and game.at > quiet_since):
        return None
    waits_for, since = _wait_of(game, names)
    return _listed(name, game.name, names, game.status, waits_for, since, _trouble(store, game))


def _listed(*values: Any) -> dict[str, Any]:
    return dict(zip(("id", "name", "seats", "status", "waits_for", "since", "trouble"), values, strict=True))


def _wait_of(game: Game, names: list[str | None]) -> tuple[str | None, str | None]:
    """Whom or what a game waits for, and since when; of one that is over, when it ended."""
    waiting = waiting_for(game)
    if waiting is None:
        return None, timestamp(game.at)
    is_person = waiting.reason is WaitingFor.SEAT  # else a bot plays, perhaps for a person who is away
    return names[waiting.seat or 0] if is_person else str(waiting.reason), timestamp(waiting.since)


def _trouble(store: Store, game: Game) -> list[str]:
    """Of each seat and channel the last attempt to tell something, where it failed."""
    outbox, descriptions = Outbox(store, now_ms), []
    for seat in range(len(game.seats)):
        newest: dict[str, dict[str, Any]] = {}
        for attempt in outbox.list_deliveries(game.id, seat):
            newest.setdefault(attempt["channel"], attempt)
        for channel, attempt in newest.items():
            if attempt["status"] in _TROUBLES:
                descriptions.append(f"seat {seat} {channel} {attempt['status']}: {attempt['error'] or '?'}")
    return descriptions


def _line_of(description: dict[str, Any], of_address: list[int]) -> str:
    """`of_address`: the seats that have the address that was asked for."""
    seats = ["?" if name is None else printable(name) for name in description["seats"]]
    names = ", ".join(f"{seat} {name}" for seat, name in enumerate(seats))
    table = [printable(description["name"])] if description["name"] else []
    parts = [description["id"], f"{description['status']:8}", *table, names]
    if description["waits_for"]:
        parts.append(f"waits for {printable(description['waits_for'])}")
    if description["since"]:
        parts.append(f"since {description['since'][:16].replace('T', ' ')}")
    parts += [f"address of seat {seat} ({seats[seat]})" for seat in of_address if seat < len(seats)]
    return "  ".join([*parts, *map(printable, description["trouble"])])


def delete_games(settings: Settings, games: tuple[str, ...], *, yes: bool) -> None:
    """Delete games with all that belongs to them. Raises BadUsage and CommandFailed."""
    with open_store(settings) as (store, _):
        for game in games:
            if not is_game_id(game):
                raise CommandFailed(f"{printable(game)} is no id of a game; nothing was deleted")
        if not yes:
            click.confirm(f"Delete {plural(len(games), 'game')} forever?", abort=True, err=True)
        failed = False
        for game in games:
            try:
                is_deleted = delete_game(store, game)
            except (CorruptLog, StoreUnavailable) as error:  # of one game, or of its files: the others are deleted
                print_error(f"{game}: {error}; run the command again")
                failed = True
                continue
            told = "is deleted. Forks of it stay." if is_deleted else "isn't in the store; nothing of it is left."
            click.echo(f"{game} {told}")
        _tell_what_is_left(settings, store)
        if failed:
            raise CommandFailed("not all is deleted")


def forget_seat(settings: Settings, game: str, seat: int, *, yes: bool, end_proof: bool) -> None:
    """Erase what a seat's people have written, their orders and addresses. Raises BadUsage and CommandFailed.

    `yes`, and for a game from before salts `end_proof`: don't ask.
    """
    with open_store(settings) as (store, _):
        people = people_of(store, game)
        if seat not in people:
            taken = ", ".join(f"{number} ({name})" for number, name in people.items())
            raise CommandFailed(f"no person has taken this seat of game {printable(game)}; taken are: {taken}")
        convert_headers(store)
        try:
            ends = ends_proof(store, game, seat)
        except CorruptLog as error:
            raise CommandFailed(str(error)) from None
        if ends:
            click.echo(_END_OF_PROOF.format(game=game))
        if not (end_proof if ends else yes):
            person = f"seat {seat} ({people[seat]})"
            what = f"Erase name, messages, addresses, devices and orders of {person} of {game} forever?"
            click.confirm(what, abort=True, err=True)
        at, in_copies = StoreClock(store).now_ms(), 0
        note_forgotten(settings, game, seat, at)
        try:
            erased = erase_words(store, game, seat, lambda: at)
            for fork, until in copies_of(game, _origins(store)):
                in_copies += erase_words(store, fork, seat, lambda: at, until)
        except (CorruptLog, StoreUnavailable) as error:
            _tell_what_is_left(settings, store)
            raise CommandFailed(f"{error}; run the command again") from None
        click.echo(f"{plural(erased, 'event')} of {game} erased, {in_copies} in copies. The seat's token is revoked.")
        _tell_what_is_left(settings, store)


def _origins(store: Store) -> dict[str, Origin]:
    """Of the games of the store that hold events of another one."""
    games, forks = store.ids(), {}
    for name in track(games, "Looking for copies", len(games)):
        with suppress(NoSuchGame, CorruptLog):
            game = GameReader(store).load(name).game
            if game.parent and game.copied_until:
                forks[name] = Origin(game.parent, game.copied_until)
    return forks


def _tell_what_is_left(settings: Settings, store: Store) -> None:
    """Rewrite the append-only files, where the words still are, and name what no command reaches."""
    try:
        servers = [*servers_of(store.client)]
        for server in servers:
            _begin_rewrite(server)
        for server in servers:
            _await_rewrite(server)
    except RedisError as error:
        click.echo(f"The store's append-only file still holds it: rewrite it (BGREWRITEAOF; {error}).", err=True)
    else:
        click.echo("The store has rewritten its append-only file.")
    click.echo("Backups and exports made before now still hold it: delete them, or repeat the command after a restore.")
    for folder in sorted({*settings.data.glob("replaced-*"), *settings.data.glob(RESTORING)}):
        click.echo(f"What `restore` has left in {printable(folder)} may hold it: delete it.")


def _await_rewrite(server: redis.Redis) -> None:
    """Wait for the end of the rewrite: a store that was started for the command would kill it. Raises RedisError."""
    while (state := server.info("persistence")).get("aof_rewrite_in_progress") or state.get("aof_rewrite_scheduled"):
        time.sleep(_POLL_S)
    if state.get("aof_last_bgrewrite_status", "ok") != "ok":
        raise RedisError("the last rewrite has failed")


def _begin_rewrite(server: redis.Redis) -> None:
    """Begin a rewrite, after one that has begun before and has the words still. Raises redis-py's errors."""
    began = time.monotonic()
    while True:
        try:
            server.bgrewriteaof()
        except ResponseError as error:
            if "in progress" not in str(error) or time.monotonic() - began > _PATIENCE_S:
                raise
            time.sleep(_POLL_S)
        else:
            return
