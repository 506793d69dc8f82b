"""`reibach demo --by-post`: a game of four by mail on a real service, as a transcript."""

import os
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from service.commands.demo.game import MailGame, Player, Transcript
from service.commands.demo.letters import MAILS
from service.commands.demo.receivers import HOST, open_mailbox
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

    def end(self, how: signal.Signals) -> None:
        """By SIGKILL all of its processes at once, as a power cut does."""
        process, self._process = self._process, None
        if process is None:
            return
        (os.killpg if how == signal.SIGKILL else os.kill)(process.pid, how)
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
        log = stack.enter_context((Path(folder) / "log").open("ab"))
        service = DemoService(Path(folder), log, _settings(smtp_port, web_port, inbox_port))
        try:
            service.start()
            say.heading(f"A game by post at {service.url}")
            _play(say, service, MailGame(say, service.url, mailbox, inbox_port))
        finally:
            service.end(signal.SIGTERM)


def _play(say: Transcript, service: DemoService, game: MailGame) -> None:
    game.open()
    game.play(lambda view: _turn(view) >= 5)
    for talk in MAILS["talks"]:
        say.heading(talk["heading"])
        for name, replies in talk.get("replies", {}).items():
            game.players[name].replies |= replies
        for name, what in talk["writes"]:
            game.write(name, what)
    turn = _turn(game.play(lambda _: True))
    say.heading("All processes are killed, and started again")
    service.end(signal.SIGKILL)
    service.start()
    game.play(lambda view: _turn(view) >= turn + 3)
    _vanish(say, game, game.players["Denis"])
    game.conclude(game.play(lambda _: False))


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
