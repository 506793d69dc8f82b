"""`reibach demo --by-post`: a game of four by mail, webhook, HTTP and bot on a real service, as a transcript."""

import os
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from service.commands.demo.game import ANNA, DemoGame
from service.commands.demo.receivers import HOST, open_mailbox, open_receiver
from service.commands.demo.transcript import Transcript
from service.commands.errors import CommandFailed
from service.runtime.supervisor import COMMAND

_DOMAIN: Final = "play.example.org"
_STOP_S: Final = 30.0


class DemoService:
    def __init__(self, folder: Path, log: IO[bytes], settings: dict[str, str]) -> None:
        """`log`: where its log lines go; `settings`: variables besides those that the caller's environment has."""
        self._environment = os.environ | {"REIBACH_LOG": "text"} | settings  # its first line is read
        self._folder = folder
        self._log = log
        self._process: subprocess.Popen[str] | None = None
        self.url = ""

    def start(self) -> None:
        """Start the service and wait for its address. Raises CommandFailed."""
        command = [*COMMAND, "serve", "--data", str(self._folder / "games")]
        self._process = subprocess.Popen(
            command, env=self._environment, stdout=subprocess.PIPE, stderr=self._log, text=True, start_new_session=True
        )
        assert self._process.stdout is not None
        line = self._process.stdout.readline()
        if not line:
            raise CommandFailed("the service of the demonstration didn't start")
        self.url = line.split()[-1]

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def kill(self) -> None:
        """End all of its processes at once, as a power cut does."""
        if self._process is not None:
            os.killpg(self._process.pid, signal.SIGKILL)
        self._end(signal.SIGKILL)

    def _end(self, how: signal.Signals) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        process.send_signal(how)
        process.wait(_STOP_S)
        if process.stdout is not None:
            process.stdout.close()


def demonstrate_post() -> None:
    """Play the game, and print what each player got and did. Raises CommandFailed."""
    say = Transcript()
    smtp_port, web_port, inbox_port = _free_port(), _free_port(), _free_port()
    with ExitStack() as stack:
        folder = stack.enter_context(TemporaryDirectory(prefix="reibach-demo-"))
        mailbox = stack.enter_context(open_mailbox(smtp_port))
        receiver, hook = stack.enter_context(open_receiver())
        log = stack.enter_context((Path(folder) / "log").open("ab"))
        service = DemoService(Path(folder), log, _settings(smtp_port, web_port, inbox_port))
        try:
            service.start()
            say.heading(f"A game by post at {service.url}")
            game = DemoGame(say, service.url, mailbox, receiver)
            _play(say, service, game, hook, inbox_port)
        finally:
            service.stop()


def _play(say: Transcript, service: DemoService, game: DemoGame, hook: str, inbox_port: int) -> None:
    game.open(hook, inbox_port)
    game.play(lambda view: _turn(view) >= 6)
    game.order()
    game.play(lambda view: _turn(view) >= 12)
    say.heading("All processes are killed, and started again")
    service.kill()
    service.start()
    game.play(lambda view: _turn(view) >= 16)
    say.heading("Anna doesn't answer for two turns")
    game.is_anna_gone = True
    game.play(lambda view: view["seats"][ANNA]["away"] == "abandoned")
    say.say("Service", "has timed two turns out: a bot plays for Anna")
    say.heading("Anna is back")
    game.come_back()
    game.play(lambda view: view["seats"][ANNA]["away"] is None)
    say.say("Service", "has given Anna her seat back")
    view = game.play(lambda _: False)
    say.heading("The game is over")
    for seat in view["seats"]:
        say.say(seat["name"], f"{seat['total']} million")
    game.await_end()
    game.tell_deliveries()


def _turn(view: dict[str, Any]) -> int:
    turn: int = view["turn"]["number"] if view["turn"] else 0
    return turn


def _settings(smtp_port: int, web_port: int, inbox_port: int) -> dict[str, str]:
    return {
        "REIBACH_PORT": str(web_port),
        "REIBACH_PUBLIC_URL": f"http://{HOST}:{web_port}",
        "REIBACH_SMTP_URL": f"smtp://{HOST}:{smtp_port}",
        "REIBACH_MAIL_FROM": f"reibach@{_DOMAIN}",
        "REIBACH_REPLY_DOMAIN": f"in.{_DOMAIN}",
        "REIBACH_INBOX_PORT": str(inbox_port),
        "REIBACH_INBOX_PROTOCOL": "smtp",
        "REIBACH_WEBHOOK_ALLOW_PRIVATE": "1",
        "REIBACH_BOT_DELAY": "0.2",
        "REIBACH_RATE_LIMIT": "0",
        "REIBACH_WEB_PROCESSES": "1",
    }


def _free_port() -> int:
    with socket.create_server((HOST, 0)) as probe:
        port: int = probe.getsockname()[1]
    return port
