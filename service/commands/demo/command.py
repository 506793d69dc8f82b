"""`reibach demo --by-post`: a game of four by mail on a real service, as a transcript."""

import os
import signal
import socket
import subprocess
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any, Final

from service.commands.demo.game import MailGame, Player
from service.commands.demo.receivers import HOST, open_mailbox
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
        log = stack.enter_context((Path(folder) / "log").open("ab"))
        service = DemoService(Path(folder), log, _settings(smtp_port, web_port, inbox_port))
        try:
            service.start()
            say.heading(f"A game by post at {service.url}")
            _play(say, service, MailGame(say, service.url, mailbox, inbox_port))
        finally:
            service.stop()


def _play(say: Transcript, service: DemoService, game: MailGame) -> None:
    game.open()
    game.play(lambda view: _turn(view) >= 5)
    _talk(say, game)
    _order(say, game)
    say.heading("All processes are killed, and started again")
    turn = _turn(game.play(lambda _: True))
    service.kill()
    service.start()
    game.play(lambda view: _turn(view) >= turn + 3)
    _vanish(say, game)
    view = game.play(lambda _: False)
    game.await_end()
    say.heading("The game is over")
    for seat in view["seats"]:
        say.say(seat["name"], f"{seat['total']} million")
    game.tell_deliveries()


def _talk(say: Transcript, game: MailGame) -> None:
    anna, bert, carla, denis = game.players
    say.heading("Anna writes to the table, and Bert answers that mail")
    bert.replies["message"] = "message"
    _write(game, anna, "message")
    say.heading("Carla asks what she can write, and how the game stands")
    _write(game, carla, "help")
    _write(game, carla, "status")
    say.heading("Bert asks for a pause; all agree, and he ends it")
    for other in (anna, carla, denis):
        other.replies["people"] = "agree"
    _write(game, bert, "pause")
    _write(game, bert, "resume")


def _write(game: MailGame, player: Player, what: str) -> None:
    """When the player's last mail is answered, and until this one is."""
    game.play(lambda _: not player.asked)
    game.write(player, what)
    game.play(game.is_settled)


def _order(say: Transcript, game: MailGame) -> None:
    _, _, carla, _ = game.players
    say.heading("Carla gives standing orders")
    game.order(carla)
    game.play(lambda _: not carla.has_ordered)


def _vanish(say: Transcript, game: MailGame) -> None:
    *_, denis = game.players
    say.heading("Denis doesn't answer for two turns of a minute")
    denis.is_gone = True
    game.play(lambda view: view["seats"][denis.seat]["away"] == "abandoned")
    say.say("Service", "has timed two turns out: a bot plays for Denis")
    say.heading("Denis is back")
    denis.is_gone = False
    _write(game, denis, "reclaim")
    game.play(lambda view: view["seats"][denis.seat]["away"] is None)
    say.say("Service", "has given Denis his seat back")


def _turn(view: dict[str, Any]) -> int:
    turn: int = view["turn"]["number"] if view["turn"] else 0
    return turn


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
        port: int = probe.getsockname()[1]
    return port
