"""The store that a command works on: connected to, or started for the time of the command."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from redis.exceptions import RedisClusterException, RedisError

from config.settings import Settings
from domain.state import Seat
from service.commands.errors import CommandFailed
from service.commands.options import require_store
from service.commands.source import printable
from service.connections.clients import connect
from service.gamelog.copies.transfer import is_game_id
from service.gamelog.reader import GameReader
from service.gamelog.store.errors import CorruptLog, NoSuchGame, StoreUnavailable
from service.gamelog.store.form.places import open_archive_files
from service.gamelog.store.streams import Store
from service.runtime.embedded import EmbeddedStore, StoreError, StoreInUse
from service.signing.deployment import BadDeployment, Deployment, find_deployment, open_deployment


@contextmanager
def open_store(settings: Settings, *, new: bool = False) -> Iterator[tuple[Store, Deployment]]:
    """The store of the settings, whether or not it is being served, and its deployment; `new`: create what is missing.

    Raises BadUsage and CommandFailed, also for errors of the store in the block.
    """
    with translated_errors(), address_of(settings, new=new) as url, connect(url) as client:
        if new:
            deployment = open_deployment(client, settings.shards, settings.keys_file)
        else:
            deployment = find_deployment(client, settings.keys_file)
        files = open_archive_files(settings.archive_place)
        yield Store(client, deployment.shards, files=files, replicas=settings.replicas), deployment


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise CommandFailed in place of errors of the store and of its deployment."""
    try:
        yield
    except (BadDeployment, StoreError, StoreUnavailable) as error:
        raise CommandFailed(str(error)) from None
    except (RedisError, RedisClusterException) as error:
        raise CommandFailed(f"the store doesn't answer ({type(error).__name__})") from None


@contextmanager
def address_of(settings: Settings, *, new: bool = False) -> Iterator[str]:
    """The URL of the store of the settings; an embedded one that isn't running is started, and stopped afterwards.

    Raises BadUsage and CommandFailed where the store can't be used, and StoreError; unless `new`, also where the folder
    of the embedded store is missing.
    """
    if settings.redis_url:
        yield require_store(settings).redis_url
        return
    if settings.data.exists() and not settings.data.is_dir():
        raise StoreError(f"can't use the data folder {settings.data}: it is not a folder")
    if not new and not settings.data.is_dir():
        raise StoreError(
            f"there is no store in {settings.data}: run `reibach serve` first, or name its folder with --data"
        )
    store = EmbeddedStore(settings.data, settings.valkey_binary)
    try:
        store.start()
    except StoreInUse:
        if not store.socket_file.is_socket():
            raise
        yield store.url
        return
    try:
        yield store.url
    finally:
        store.stop()


def people_of(store: Store, game: str) -> dict[int, str]:
    """The seats of a game that people have taken, with their names. Raises CommandFailed."""
    try:
        if not is_game_id(game):
            raise NoSuchGame(game)
        seats = GameReader(store).load(game).game.seats
    except NoSuchGame:
        raise CommandFailed(f"the store has no game {printable(game)}") from None
    except CorruptLog as error:
        raise CommandFailed(str(error)) from None
    return people_in(seats)


def people_in(seats: Iterable[Seat]) -> dict[int, str]:
    """Of these seats those of people, with their names, which can be printed."""
    return {
        seat: printable(place.name) for seat, place in enumerate(seats) if place.name is not None and place.bot is None
    }
