"""Options and settings that commands share. Imports little, because `--help` imports it."""

import json
import os
import time
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import click

from config.settings import BadSetting, Settings, UnreadableFile, read_environment_file
from service.commands.errors import BadUsage, CommandFailed, file_missing

PATIENCE_S: Final = 30.0
"""How long a part of a deployment that starts waits for its store: both may be starting."""
_PAUSE_S: Final = 0.25


def _load_settings(_context: click.Context, _option: click.Parameter, path: Path | None) -> None:
    """Put the file's variables into the environment: the processes that a command starts need them, too."""
    if path is not None:
        try:
            os.environ.update(read_environment_file(path))
        except UnreadableFile as error:
            raise file_missing(str(error)) from None
        except BadSetting as error:
            raise BadUsage(str(error)) from None


SETTINGS = click.option(
    "--settings",
    type=click.Path(path_type=Path),
    metavar="FILE",
    expose_value=False,
    callback=_load_settings,
    help="File of settings, a REIBACH_NAME=value a line, as a systemd unit reads it. It wins over variables.",
)
_FOLDER = click.option("--data", type=click.Path(path_type=Path), help="Folder of the embedded store. [reibach-data]")


def DATA(command: Callable[..., Any]) -> Callable[..., Any]:  # noqa: N802 - a decorator, as the others
    """Options of every command that opens a store."""
    return _FOLDER(SETTINGS(command))


def read_settings(**options: Any) -> Settings:
    """The settings, with the options of the command line. Raises BadUsage."""
    try:
        return Settings.read(**options)
    except UnreadableFile as error:
        raise file_missing(str(error)) from None
    except BadSetting as error:
        raise BadUsage(str(error)) from None


def log_line(form: str, text: str, level: str = "warning", **more: str) -> str:
    """The text, or (`form`: "json") a line of the log with it: a journal mixes them."""
    line = {"event": text, "level": level, "timestamp": datetime.now(UTC).isoformat(), **more}
    return json.dumps(line, sort_keys=True) if form == "json" else text


def require_store(settings: Settings, patience: float = 0.0, *, with_jobs: bool = False) -> Settings:
    """The settings, once the server of REIBACH_REDIS_URL has answered and has been checked.

    `patience`: seconds to wait for a server that can't be reached. `with_jobs`: for a process that queues jobs or runs
    them, which a cluster can't hold. Prints a warning where the store isn't durable. Raises BadUsage and CommandFailed.
    """
    if not settings.redis_url:
        raise BadUsage("no store is named: set REIBACH_REDIS_URL, or use `reibach serve`, which starts one")
    from redis.exceptions import ResponseError

    from service.connections.address import BadAddress
    from service.connections.clients import STORE_ERRORS, connect
    from service.runtime.embedded import StoreError
    from service.signing.deployment import BadDeployment, WrongStore, open_deployment

    try:
        is_cluster, warning = _await_store(settings, patience)
        if with_jobs:  # such a process awaits another store, but no other secrets
            with suppress(WrongStore, *STORE_ERRORS), connect(settings.redis_url) as client:
                open_deployment(client, settings.shards, settings.keys_file)
    except BadAddress as error:
        raise BadUsage(f"REIBACH_REDIS_URL: {error}") from None
    except ResponseError as error:
        raise CommandFailed(f"the store of REIBACH_REDIS_URL refuses the command: {error}") from None
    except STORE_ERRORS as error:
        raise CommandFailed(
            f"the store can't be reached ({type(error).__name__}): check REIBACH_REDIS_URL, and that it is running"
        ) from None
    except (BadDeployment, StoreError) as error:
        raise CommandFailed(str(error)) from None
    if with_jobs and is_cluster and not settings.queue_url:
        raise BadUsage("the store is a cluster: set REIBACH_QUEUE_URL to a single server for the job queue")
    if warning:
        click.echo(log_line(settings.log, f"reibach: {warning}"), err=True)
    return settings


def _await_store(settings: Settings, patience: float) -> tuple[bool, str | None]:
    """Whether the store is a cluster, and a warning where it isn't durable, once it can be reached.

    Raises BadAddress, StoreError, and one of STORE_ERRORS after `patience` seconds.
    """
    from redis.cluster import RedisCluster
    from redis.exceptions import AuthenticationError, ResponseError

    from service.connections.clients import STORE_ERRORS, connect, servers_of
    from service.runtime.durability import check_servers

    began, is_told = time.monotonic(), False
    while True:
        try:
            with connect(settings.redis_url) as client:
                return isinstance(client, RedisCluster), check_servers(servers_of(client), settings.replicas)
        except STORE_ERRORS as error:
            lasts = isinstance(error, ResponseError | AuthenticationError)
            if lasts or time.monotonic() - began >= patience:
                raise
            if not is_told:
                what = f"the store can't be reached ({type(error).__name__}): waiting up to {patience:.0f} s for it"
                click.echo(log_line(settings.log, f"reibach: {what}"), err=True)
            is_told = True
            time.sleep(_PAUSE_S)
