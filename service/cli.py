"""The `reibach` command: its group, and the commands that run the service or change its keys.

Declarations only need click and the settings; the work is imported when a command is called.
"""

import io
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, NoReturn

import click

from config.settings import BadSetting, Settings
from service.commands import game_commands
from service.commands.errors import BadUsage, CommandFailed, file_missing
from service.commands.options import DATA, PATIENCE_S, SETTINGS, log_line, read_settings, require_store
from service.commands.store import commands as store_commands


def settings_from(**options: Any) -> Settings:
    """The settings, with the options of the command line, once the files that they name were read. Raises BadUsage."""
    settings = read_settings(**options)
    if settings.keys_file:
        from service.signing.deployment import BadDeployment, KeysUnreadable, check_keys_file

        try:
            check_keys_file(settings.keys_file)
        except KeysUnreadable as error:
            raise file_missing(str(error)) from None
        except BadDeployment as error:
            raise BadUsage(f"{settings.keys_file}: {error}") from None
    for name, url in (("REIBACH_REDIS_URL", settings.redis_url), ("REIBACH_QUEUE_URL", settings.queue_url)):
        if "?" in url:
            _check_certificates(name, url)
    return _check_mail(settings)


def _check_certificates(name: str, url: str) -> None:
    """Read the files of certificates that an address names. Raises BadUsage."""
    import ssl

    from service.connections.address import BadAddress, read_certificates

    try:
        read_certificates(url)
    except BadAddress as error:
        raise BadUsage(f"{name}: {error}") from None
    except ssl.SSLError:
        raise BadUsage(f"{name} names a file that isn't a certificate, or not its key") from None
    except OSError as error:
        raise file_missing(f"can't read a file of {name}, {error.filename}: {error.strerror}") from None


def _check_mail(settings: Settings) -> Settings:
    """The settings, once those of mails could be read. Raises BadUsage."""
    if settings.smtp_url:
        from service.post.channels.smtp_url import BadSmtpUrl, parse_smtp_url
        from service.post.mail.address import BadMailAddress, parse_sender

        try:
            parse_smtp_url(settings.smtp_url)
            parse_sender(settings.mail_from)
        except BadSmtpUrl as error:
            raise BadUsage(f"REIBACH_SMTP_URL: {error}") from None
        except BadMailAddress as error:
            raise BadUsage(f"REIBACH_MAIL_FROM: {error}") from None
    return settings


class _Commands(click.Group):
    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run the command; for a closed pipe exit with 0, where click exits with 1."""
        if sys.flags.optimize:
            click.echo("reibach: unset PYTHONOPTIMIZE: without assertions a damaged log looks sound", err=True)
            raise SystemExit(2)
        # Python has None for a standard stream that is closed.
        sys.stdout, sys.stderr = (kept or Path(os.devnull).open("w") for kept in (sys.stdout, sys.stderr))  # noqa: SIM115
        for stream in (sys.stdout, sys.stderr):  # a terminal need not know all letters of a name
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="backslashreplace")
        usual = type(sys.stdout)
        try:
            return super().main(*args, **kwargs)
        except SystemExit:
            # Click wraps standard output after a closed pipe, and only then, to silence the interpreter's last flush.
            if type(sys.stdout) is not usual:
                raise SystemExit(0) from None
            raise
        except OSError as error:  # a full disk, for example
            with suppress(OSError):
                sys.stdout.close()  # otherwise the interpreter reports the error once more when it exits
            click.echo(f"reibach: can't write the output: {error.strerror}", err=True)
            raise SystemExit(1) from None


def _print_version(context: click.Context, _option: click.Parameter, is_asked: bool) -> None:
    if is_asked and not context.resilient_parsing:
        from config.release import release

        click.echo(f"reibach {release()}")
        context.exit()


@click.group(cls=_Commands, context_settings={"help_option_names": ["-h", "--help"]}, no_args_is_help=False)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_print_version, help="Show the release."
)
def main() -> None:
    """Host, audit, replay and simulate games of Reibach & Co."""


@main.command(short_help="Run everything: store, web server, workers and post.")
@click.option("--host", help="Address to listen on. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on; 0: any free one. [8000]")
@DATA
def serve(host: str | None, port: int | None, data: Path | None) -> None:
    """Run the store, the web server and the workers, and print the address when all are ready.

    The store is embedded, in the folder of --data, unless REIBACH_REDIS_URL names another. Ctrl-C stops everything.
    """
    from service.runtime import logs
    from service.runtime.embedded import StoreError
    from service.runtime.supervisor import ServeFailed, supervise

    settings = settings_from(host=host, port=port, data=data)
    if settings.redis_url:
        settings = require_store(settings, with_jobs=True)
    settings = _require_queue(settings)
    logs.configure(settings.log)
    try:
        code = supervise(settings, announce=partial(_announce, settings=settings), parts=_import_parts())
    except (ServeFailed, StoreError) as error:
        raise CommandFailed(str(error)) from None
    raise SystemExit(code)


def _import_parts() -> dict[str, Callable[[], object]]:
    """The processes of `serve`, once what they all use is imported.

    Flask isn't: `web` says first in which folder prometheus_client counts, which asks for it when it is imported.
    """
    for module in ("service.bootstrap", "workers.__main__", "workers.post.process"):
        import_module(module)
    return {part: partial(main, [part]) for part in ("web", "worker", "post")}


def _announce(address: str, settings: Settings) -> None:
    from service.commands.store.forgotten import tell_owed

    line = f"Reibach & Co. is played in the browser at {address}"
    try:
        click.echo(log_line(settings.log, line, "info", address=address))
    except BrokenPipeError:  # standard output is a closed pipe: the service runs on
        sys.stdout = Path(os.devnull).open("w")  # noqa: SIM115 - the interpreter flushes it when it exits
    tell_owed(settings)


@main.command(short_help="Run a web server alone, on a store elsewhere.")
@click.option("--host", help="Address to listen on. [127.0.0.1]")
@click.option("--port", type=click.IntRange(0, 65535), help="Port to listen on. [8000]")
@SETTINGS
def web(host: str | None, port: int | None) -> None:
    """Run a web server alone, on the store that REIBACH_REDIS_URL names."""
    from service.api.protocol.routing import BadRoute
    from service.runtime import logs
    from service.runtime.shared import make_shared_folder
    from service.runtime.webserver import serve_web

    # Without the queue games are played, and jobs wait for the reconciler.
    settings = _require_queue(require_store(settings_from(host=host, port=port), PATIENCE_S, with_jobs=True), warn=True)
    logs.configure(settings.log)
    folder = make_shared_folder()
    try:
        serve_web(settings)
    except (BadRoute, BadSetting) as error:
        raise CommandFailed(str(error)) from None
    finally:
        shutil.rmtree(folder, ignore_errors=True)


@main.command(short_help="Run a worker alone, on a store elsewhere.")
@SETTINGS
def worker() -> None:
    """Run a worker alone, on the store that REIBACH_REDIS_URL names."""
    from workers.__main__ import run

    _work(settings_from(), run)


@main.command(short_help="Send notifications alone, on a store elsewhere.")
@SETTINGS
def post() -> None:
    """Send notifications alone, on the store that REIBACH_REDIS_URL names."""
    from workers.post.process import run

    _work(settings_from(), run, warn=True)


def _work(settings: Settings, run: Callable[[Settings], int], *, warn: bool = False) -> NoReturn:
    """Work on the store of the settings to the end. `warn`: also where the job queue doesn't answer."""
    from service.gamelog.store.errors import StoreUnavailable
    from service.signing.deployment import BadDeployment

    settings = _require_queue(require_store(settings, PATIENCE_S, with_jobs=True), warn=warn)
    try:
        raise SystemExit(run(settings))
    except (StoreUnavailable, BadDeployment) as error:
        raise CommandFailed(str(error)) from None


@main.command("rotate-keys", short_help="Sign receipts with a new key from now on.")
@DATA
def rotate_keys(data: Path | None) -> None:
    """Sign receipts with a new key from now on.

    The old key signs nothing more. It stays in /v1/keys forever, so that its receipts still verify.
    """
    from service.commands.store.opening import address_of, translated_errors
    from service.connections.clients import connect
    from service.signing.deployment import rotate_signing_key

    settings = read_settings(data=data)
    with translated_errors():
        if settings.keys_file:
            key = rotate_signing_key(None, settings.keys_file)
        else:
            with address_of(settings) as url, connect(url) as client:
                key = rotate_signing_key(client, "")
    click.echo(f"Web processes that start from now on sign receipts with the new key {key.id}.")
    click.echo("Restart the running ones: until then they sign with the old key, and don't list the new one.")


@main.command("accept-store", short_help="Use a store that was emptied or exchanged.")
@DATA
def accept_store_command(data: Path | None) -> None:
    """Let the service use a store that it refuses, because it was emptied, or is another one than before.

    What that store lacks is lost to the players, with their seat tokens if the secrets were in it. If there is a copy
    of the right store, bring that back instead.
    """
    from service.commands.store.upkeep import accept

    accept(read_settings(data=data))


@main.command("test-mail", short_help="Send one mail, and print what the server said.")
@click.argument("address")
@DATA
def test_mail_command(address: str, data: Path | None) -> None:
    """Send one mail to ADDRESS by the server of REIBACH_SMTP_URL, and print what that server said.

    If it has taken the mail, those that wait for it in the store are sent at once.
    """
    from service.commands.store.upkeep import let_mails_go
    from service.commands.test_mail import send_test_mail

    settings = _check_mail(read_settings(data=data))
    click.echo(send_test_mail(settings, address))
    let_mails_go(settings)


def _require_queue(settings: Settings, *, warn: bool = False) -> Settings:
    """The settings, once the server of the job queue has answered; `warn`: or a line has said that it doesn't.

    Raises BadUsage and CommandFailed.
    """
    if settings.queue_url:
        from service.connections.address import BadAddress
        from service.connections.clients import STORE_ERRORS, connect_queue

        try:
            with connect_queue(settings.queue_url) as client:
                client.ping()
        except BadAddress as error:
            raise BadUsage(f"REIBACH_QUEUE_URL: {error}") from None
        except STORE_ERRORS as error:
            line = f"the job queue can't be reached ({type(error).__name__}): check REIBACH_QUEUE_URL"
            if not warn:
                raise CommandFailed(line) from None
            click.echo(log_line(settings.log, f"reibach: {line}"), err=True)
    return settings


for group in (game_commands.group, store_commands.group):
    main.commands.update(group.commands)

if __name__ == "__main__":
    main()
