"""Options and settings that commands share. Imports little, because `--help` imports it."""

from pathlib import Path
from typing import Any

import click

from config.settings import BadSetting, Settings
from service.commands.errors import BadUsage, CommandFailed

DATA = click.option("--data", type=click.Path(path_type=Path), help="Folder of the embedded store. [reibach-data]")


JOBS = click.option(
    "--jobs", type=click.IntRange(1, 256), help="Processes that share the work.  [default: one for each core]"
)


def read_settings(**options: Any) -> Settings:
    """The settings, with the options of the command line. Raises BadUsage."""
    try:
        return Settings.read(**options)
    except BadSetting as error:
        raise BadUsage(str(error)) from None


def require_store(settings: Settings) -> Settings:
    """The settings, once the server of REIBACH_REDIS_URL has answered and has been checked.

    Prints a warning where it isn't durable. Raises BadUsage and CommandFailed.
    """
    if not settings.redis_url:
        raise BadUsage("no store is named: set REIBACH_REDIS_URL, or use `reibach serve`, which starts one")
    from redis.cluster import RedisCluster
    from redis.exceptions import ResponseError

    from service.connections.address import BadAddress
    from service.connections.clients import STORE_ERRORS, connect, servers_of
    from service.runtime.durability import check_servers
    from service.runtime.embedded import StoreError

    try:
        with connect(settings.redis_url) as client:
            warning = check_servers(servers_of(client), settings.replicas)
            is_cluster = isinstance(client, RedisCluster)
    except BadAddress as error:
        raise BadUsage(f"REIBACH_REDIS_URL: {error}") from None
    except ResponseError as error:
        raise CommandFailed(f"the store of REIBACH_REDIS_URL refuses the command: {error}") from None
    except STORE_ERRORS as error:
        raise CommandFailed(
            f"the store can't be reached ({type(error).__name__}): check REIBACH_REDIS_URL, and that it is running"
        ) from None
    except StoreError as error:
        raise CommandFailed(str(error)) from None
    if is_cluster and not settings.queue_url:
        raise BadUsage("the store is a cluster: set REIBACH_QUEUE_URL to a single server for the job queue")
    if warning:
        click.echo(f"reibach: {warning}", err=True)
    return settings
