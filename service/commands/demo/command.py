"""`reibach demo --by-post`: a game of four by mail on a real service, as a transcript."""

import os
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from service.commands.demo.game import MailGame, Player, Transcript
from service.commands.demo.letters import MAILS
from service.commands.demo.receivers import HOST, open_mailbox
from service.commands.errors import CommandFailed
from service.runtime.supervisor import COMMAND

_DOMAIN: Final = "play.example.org"


def demonstrate_post() -> None:
    """Play the game, and print what each player got and did. Raises CommandFailed."""
    say = Transcript()
    smtp_port, web_port, inbox_port = _free_port(), _free_port(), _free_port()
    settings = _settings(smtp_port, web_port, inbox_port)
    with ExitStack() as stack:
        folder = Path(stack.enter_context(TemporaryDirectory(prefix="reibach-demo-")))
        mailbox = stack.enter_context(open_mailbox(smtp_port))
        service = _serve(stack, folder, settings)
        url = settings["REIBACH_PUBLIC_URL"]
        say.heading(f"A game by post at {url}")
        game = MailGame(say, url, mailbox, inbox_port)
        turn = _begin(say, game)
        say.heading("All processes are killed, and started again")
        os.killpg(service.pid, signal.SIGKILL)  # at once, as a power cut does
        service.wait()
        _serve(stack, folder, settings)
        game.play(lambda view: _turn(view) >= turn + 3)
        _vanish(say, game, game.players["Denis"])
        game.conclude(game.play(lambda _: False))


def _serve(stack: ExitStack, folder: Path, settings: dict[str, str]) -> "subprocess.Popen[bytes]":
    """Start the service, wait until it is ready, and end it with the stack. Raises CommandFailed.

    `settings`: variables besides those that the caller's environment has.
    """
    log = stack.enter_context((folder / "log").open("ab"))
    command, environment = [*COMMAND, "serve", "--data", str(folder / "games")], os.environ | settings
    process = stack.enter_context(
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=log, start_new_session=True)
    )
    stack.callback(process.terminate)
    assert process.stdout is not None
    if not process.stdout.readline():
        raise CommandFailed("the service of the demonstration didn't start")
    return process


def _begin(say: Transcript, game: MailGame) -> int:
    """Play some turns, and let the players converse by mail; the turn that is reached."""
    game.open()
    game.play(lambda view: _turn(view) >= 5)
    for talk in MAILS["talks"]:
        say.heading(talk["heading"])
        for name, replies in talk.get("replies", {}).items():
            game.players[name].replies |= replies
        for name, what in talk["writes"]:
            game.write(name, what)
    return _turn(game.play(lambda _: True))


def _vanish(say: Transcript, game: MailGame, player: Player) -> None:
    say.heading(f"{player.name} doesn't answer for two turns of a minute")
    player.is_gone = True
    game.play(lambda view: view["seats"][player.seat]["away"] == "abandoned")
    say.say("Service", f"has timed two turns out: a bot plays for {player.name}")
    say.heading(f"{player.name} is back")
    player.is_gone = False
    game.write(player.name, "reclaim")
    game.play(lambda view: view["seats"][player.seat]["away"] is None)
    say.say("Service", f"has given {player.name} his seat back")


def _turn(view: dict[str, Any]) -> int:
    return int(view["turn"]["number"]) if view["turn"] else 0


def _settings(smtp_port: int, web_port: int, inbox_port: int) -> dict[str, str]:
    return {
        "REIBACH_HOST": HOST,
        "REIBACH_PORT": str(web_port),
        "REIBACH_PUBLIC_URL": f"http://{HOST}:{web_port}",
        "REIBACH_SMTP_URL": f"smtp://{HOST}:{smtp_port}",
        "REIBACH_MAIL_FROM": f"Reibach & Co. <reibach@{_DOMAIN}>",
        "REIBACH_REPLY_DOMAIN": f"in.{_DOMAIN}",
        "REIBACH_INBOX_PORT": str(inbox_port),
        "REIBACH_INBOX_PROTOCOL": "smtp",
        "REIBACH_BOT_DELAY": "0.2",
        "REIBACH_RATE_LIMIT": "0",
        "REIBACH_WEB_PROCESSES": "1",
    }


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        return int(probe.getsockname()[1])
