"""What a command is told of the store it works on. Imports little: every command begins here."""

from pathlib import Path
from typing import Any

import click

from config.settings import BadSetting, Settings
from service.commands.errors import BadUsage, CommandFailed

DATA = click.option("--data", type=click.Path(path_type=Path), help="Folder of the embedded store. [reibach-data]")


def read_settings(**chosen: Any) -> Settings:
    """The settings, with what the command line chose. Raises BadUsage."""
    try:
        return Settings.read(**chosen)
    except BadSetting as error:
        raise BadUsage(str(error)) from None


def require_store(settings: Settings) -> Settings:
    """The settings, once their store has answered and is fit for games. Raises BadUsage and CommandFailed."""
    if not settings.redis_url:
        raise BadUsage("set REIBACH_REDIS_URL to the store, or use `reibach serve`, which brings one")
    from redis import Redis
    from redis.exceptions import RedisError, ResponseError

    from service.runtime.embedded import StoreError, check_store

    try:
        with Redis.from_url(settings.redis_url) as client:
            warning = check_store(client)
            clustered = client.info("cluster").get("cluster_enabled")
    except ValueError as error:
        raise BadUsage(f"REIBACH_REDIS_URL: {error}") from None
    except ResponseError as error:
        raise CommandFailed(f"the store of REIBACH_REDIS_URL refuses: {error}") from None
    except (RedisError, OSError) as error:
        raise CommandFailed(f"the store of REIBACH_REDIS_URL can't be reached ({type(error).__name__})") from None
    except StoreError as error:
        raise CommandFailed(str(error)) from None
    if clustered and not settings.queue_url:
        raise BadUsage("the store is a cluster: set REIBACH_QUEUE_URL to a single server for the job queue")
    if warning:
        click.echo(f"reibach: {warning}", err=True)
    return settings
