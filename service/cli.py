"""The `reibach` command."""

import os
import shutil
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from config.settings import BadSetting, Settings
from service.commands.audit import audit_command
from service.commands.errors import BadUsage, CommandFailed
from service.commands.options import DATA, read_settings, require_store
from service.commands.replay.command import replay_command
from service.commands.simulate import simulate_command
from service.commands.store_commands import archive_command, doctor_command, export_command, import_command


def settings_from(**chosen: Any) -> Settings:
    """The settings, with what the command line chose and a keys file that can be read. Raises BadUsage."""
    from service.signing.deployment import BadDeployment, open_deployment

    settings = read_settings(**chosen)
    try:
        if settings.keys_file:
            open_deployment(None, settings.shards, settings.keys_file)
    except BadDeployment as error:
        raise BadUsage(str(error)) from None
    return settings


class _Commands(click.Group):
    """The commands; a reader that has closed the pipe has seen enough, and that is no error."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run, with click's exit code 1 for a closed pipe turned into 0."""
        _open_closed_streams()
        usual = type(sys.stdout)
        try:
            return super().main(*args, **kwargs)
        except SystemExit:
            # Upon a closed pipe, and only then, click wraps standard output, so that its last flush is silent.
            if type(sys.stdout) is not usual:
                raise SystemExit(0) from None
            raise
        except OSError as error:  # a full disk, say
            with suppress(OSError):
                sys.stdout.close()  # or the interpreter complains of it once more at its end
            click.echo(f"reibach: can't write: {error.strerror}", err=True)
            raise SystemExit(1) from None


def _open_closed_streams() -> None:
    """Let what is written to a closed stream (`2>&-`) go nowhere, rather than into the next file that is opened."""
    for descriptor, name in enumerate(("stdin", "stdout", "stderr")):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest descriptor that is free: this one
            setattr(sys, name, open(descriptor, "w" if descriptor else "r", closefd=False))  # noqa: SIM115


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.version_option(package_name="reibach")
def main() -> None:
    """Play, host, replay and simulate the card game Reibach & Co."""


@main.command()
@click.option("--host", help="Address to listen on. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; 0 takes a free one. [8000]")
@click.option("--data", type=click.Path(path_type=Path), help="Folder of the embedded store. [reibach-data]")
def serve(host: str | None, port: int | None, data: Path | None) -> None:
    """Run everything: the store, HTTP and the workers."""
    from service.runtime import logs
    from service.runtime.embedded import StoreError
    from service.runtime.supervisor import ServeFailed, supervise

    settings = settings_from(host=host, port=port, data=data)
    if settings.redis_url:
        settings = require_store(settings)
    settings = _with_queue(settings)
    logs.configure(settings.log)
    try:
        code = supervise(settings, announce=_announce)
    except (ServeFailed, StoreError) as error:
        raise CommandFailed(str(error)) from None
    raise SystemExit(code)


def _announce(address: str) -> None:
    try:
        click.echo(f"Reibach & Co. is at {address}")
    except BrokenPipeError:  # nobody reads it, and the service goes on
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - stays open for what the interpreter flushes at its end


@main.command()
@click.option("--host", help="Address to listen on. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on. [8000]")
def web(host: str | None, port: int | None) -> None:
    """Run the HTTP part alone, on the store of REIBACH_REDIS_URL."""
    from service.runtime import logs
    from service.runtime.shared import make_shared_folder
    from service.runtime.webserver import serve_web

    settings = _with_queue(require_store(settings_from(host=host, port=port)))
    logs.configure(settings.log)
    folder = make_shared_folder()
    try:
        serve_web(settings)
    except BadSetting as error:
        raise CommandFailed(str(error)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@main.command()
def worker() -> None:
    """Run a worker alone, on the store of REIBACH_REDIS_URL."""
    from service.gamelog.errors import StoreUnavailable
    from service.signing.deployment import BadDeployment
    from workers.__main__ import run

    settings = _with_queue(require_store(settings_from()))
    try:
        code = run(settings)
    except (StoreUnavailable, BadDeployment) as error:
        raise CommandFailed(str(error)) from None
    raise SystemExit(code)


@main.command("rotate-keys")
@DATA
def rotate_keys(data: Path | None) -> None:
    """Sign receipts with a new key from now on.

    The old key is retired: it signs no more, and stays listed in /v1/keys for ever, so that its receipts still verify.
    """
    from redis.exceptions import RedisError

    from service.commands.store import connect_or_start
    from service.runtime.embedded import StoreError
    from service.signing.deployment import BadDeployment, rotate_signing_key

    settings = read_settings(data=data)  # a keys file that is missing isn't made here
    try:
        if settings.keys_file:
            key = rotate_signing_key(None, settings.keys_file)
        else:
            with connect_or_start(require_store(settings) if settings.redis_url else settings) as client:
                key = rotate_signing_key(client, "")
    except (BadDeployment, StoreError) as error:
        raise CommandFailed(str(error)) from None
    except RedisError as error:
        raise CommandFailed(f"the store doesn't answer ({type(error).__name__})") from None
    click.echo(f"Receipts are signed with the new key {key.id} by every web process that is started from now on.")
    click.echo("Start the running ones again: until then they sign with the old key, and don't list the new one.")


def _with_queue(settings: Settings) -> Settings:
    """The settings, once their queue has answered. Raises BadUsage and CommandFailed."""
    from redis import Redis
    from redis.exceptions import RedisError

    if settings.queue_url:
        try:
            with Redis.from_url(settings.queue_url) as client:
                client.ping()
        except ValueError as error:
            raise BadUsage(f"REIBACH_QUEUE_URL: {error}") from None
        except (RedisError, OSError) as error:
            raise CommandFailed(f"the queue of REIBACH_QUEUE_URL can't be reached ({type(error).__name__})") from None
    return settings


main.add_command(replay_command)
main.add_command(simulate_command)
main.add_command(audit_command)
main.add_command(export_command)
main.add_command(import_command)
main.add_command(doctor_command)
main.add_command(archive_command)

if __name__ == "__main__":
    main()
