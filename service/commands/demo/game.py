"""The demonstration's game: four people who play by answering mails, each by two programs and in one language."""

import json
import textwrap
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from email.message import EmailMessage
from queue import Empty
from time import monotonic
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import Request, urlopen

import click

from domain.rules import RULES
from domain.words.catalogue import read
from service.commands.demo.letters import MAILS, choose_turn, say_action, write_answer
from service.commands.demo.receivers import Mailbox, deliver, find_link, text_of
from service.commands.errors import CommandFailed
from service.commands.source import printable

TURN_SECONDS: Final = 60
"""The shortest turn that the service knows."""
TABLE: Final = "Stammtisch Nr. 4"
_PATIENCE_S: Final = 90.0
"""For the next mail: a turn may pass in silence."""
_TIMEOUT_S: Final = 20.0
_OF_NO_TURN: Final = frozenset({"confirmation", "invitation", "message", "messages", "over"})
"""Kinds of mails whose answer is no action."""
_WIDTH: Final = 100
_MARGIN: Final = " " * 17


class Transcript:
    """Prints to standard output, each line with its time since the beginning."""

    def __init__(self) -> None:
        self._began = monotonic()

    def heading(self, text: str) -> None:
        click.echo(f"\n== {text}")

    def say(self, who: str, text: str) -> None:
        lines = textwrap.wrap(_plain(text), _WIDTH - len(_MARGIN)) or [""]
        click.echo(f"{monotonic() - self._began:6.1f} s {who:>7}  {lines[0]}")
        self.quote(lines[1:])

    def show(self, lines: Iterable[str]) -> None:
        """A mail as it looks."""
        click.echo("")
        self.quote(f"| {line}" for line in lines)
        click.echo("")

    def quote(self, lines: Iterable[str]) -> None:
        for line in lines:
            click.echo(f"{_MARGIN} {_plain(line)[:_WIDTH]}".rstrip())


def _plain(text: str) -> str:
    return printable(text.replace("\u00a0", " "))


@dataclass
class Player:
    name: str
    language: str
    programs: list[str]
    words: dict[str, str]
    """What they write besides actions."""
    seat: int
    token: str = ""
    asked: list[str] = field(default_factory=list)
    """What they have written that isn't answered yet."""
    is_gone: bool = False
    """Whether they answer nothing."""
    written: int = 0
    """Their mails."""
    last_mail: EmailMessage | None = None
    replies: dict[str, str] = field(default_factory=dict)
    """By kind of mail: what they write next time that one comes."""

    @property
    def address(self) -> str:
        return f"{self.name.lower()}@example.org"


class MailGame:
    def __init__(self, say: Transcript, url: str, mailbox: Mailbox, inbox_port: int) -> None:
        self._say = say
        self._url = url
        self._mailbox = mailbox
        self._inbox_port = inbox_port
        self._path = ""
        self._shown: set[str] = set()
        """Kinds of mails that were shown whole."""
        self._received: set[str] = set()
        """The ids of mails."""
        self._told: set[tuple[str, int]] = set()
        """Kinds that came, with their seats."""
        self.players = {fields["name"]: Player(**fields, seat=seat) for seat, fields in enumerate(MAILS["players"])}

    def open(self) -> None:
        """Open it, and let all confirm their addresses. Raises CommandFailed."""
        first, *guests = self.players.values()
        pace = {"turn_seconds": TURN_SECONDS, "reminder_seconds": 20, "on_timeout": "bot"}
        invited = [{"name": guest.name, "invite": guest.address, "language": guest.language} for guest in guests]
        body = {"seats": [{"name": first.name}, *invited], "pace": pace, "name": TABLE}
        answer = self._request("POST", f"{self._url}/v1/games", body)
        self._path = f"{self._url}/v1/games/{answer['game']['id']}"
        first.token = answer["seats"][0]["token"]
        self._say.say(first.name, f"opens “{TABLE}”, with turns of {TURN_SECONDS} seconds, and invites three by mail")
        wants = {"email": first.address, "language": first.language, "zone": "Europe/Berlin"}
        self._request("PUT", f"{self._path}/notifications", wants, first.token)
        self._say.say(first.name, f"wants mails, too, to {first.address}")
        while not all(player.token and ("turn", 0) in self._told for player in self.players.values()):
            self._receive(self._next_mail())

    def play(self, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Let all answer their mails until the game is as `until` says of its view, or over; that view."""
        while True:
            view: dict[str, Any] = self._request("GET", self._path)
            if until(view) or view["status"] == "over":
                return view
            self._receive(self._next_mail())

    def write(self, name: str, what: str) -> None:
        """Let a player answer the last mail that came with something of their `words`, and all settle that."""
        player = self.players[name]
        self.play(lambda _: not player.asked)
        assert player.last_mail is not None
        self._answer(player, player.last_mail, player.words[what], what)
        people = self.players.values()
        self.play(lambda _: not any(each.replies or each.words.keys() & set(each.asked) for each in people))

    def conclude(self, view: dict[str, Any]) -> None:
        """Wait until everyone has the mail about the end, and tell what it was. Raises CommandFailed."""
        while not {("over", player.seat) for player in self.players.values()} <= self._told:
            self._receive(self._next_mail())
        self._say.heading("The game is over")
        for player in self.players.values():
            told = self._request("GET", f"{self._path}/notifications/deliveries", None, player.token)
            errors = [delivery["error"] for delivery in told["deliveries"]]
            failed = f"of the last {len(errors)} to come {len(errors) - errors.count(None)} failed"
            total = f"{view['seats'][player.seat]['total']} million"
            self._say.say(player.name, f"{total}; wrote {player.written} mails; {failed}")

    def _next_mail(self) -> EmailMessage:
        try:
            return self._mailbox.mails.get(timeout=_PATIENCE_S)
        except Empty:
            raise CommandFailed("a mail didn't come") from None

    def _receive(self, mail: EmailMessage) -> None:
        """Tell that a player has got it; they answer it if there is anything to say."""
        player = next(candidate for candidate in self.players.values() if candidate.address in str(mail["To"]))
        kind = str(mail["Message-ID"]).strip("<").partition(".")[0]
        if str(mail["Message-ID"]) in self._received:
            self._say.say(player.name, f"gets a mail again ({kind}): a process was killed while it left")
            return
        self._received.add(str(mail["Message-ID"]))
        self._told.add((kind, player.seat))
        label = f"answer to “{player.asked.pop(0)}”" if kind == "answer" else kind
        self._show(player, mail, label)
        if kind not in _OF_NO_TURN:
            player.last_mail = mail
        if kind in {"confirmation", "invitation"}:
            self._confirm(player, mail)
        elif kind in player.replies:
            self._answer(player, mail, player.words[player.replies[kind]], player.replies.pop(kind))
        elif not (player.is_gone or player.asked or kind in _OF_NO_TURN):
            self._move(player, mail, is_going_on=kind in {"scoring", "people"})

    def _show(self, player: Player, mail: EmailMessage, kind: str) -> None:
        """Whole, if it is the first of its kind."""
        lines = text_of(mail).strip().splitlines()
        heads = read(player.language, "mail").headlines
        end = lines.index("", 2) if lines[0] in {heads["answer.none"], heads["answer.part"]} else 1  # why, too
        self._say.say(player.name, f"gets a mail ({kind}): {' '.join(lines[:end])}")
        if kind not in self._shown:
            self._shown.add(kind)
            headers = [f"{name}: {mail[name]}" for name in ("From", "To", "Subject", "Date")]
            self._say.show([*headers, "", *lines])

    def _confirm(self, player: Player, mail: EmailMessage) -> None:
        page = self._request("POST", find_link(text_of(mail), "/confirm/"), "")
        player.token = player.token or find_link(page, "token=")
        self._say.say(player.name, "opens its link, and presses the button")

    def _move(self, player: Player, mail: EmailMessage, *, is_going_on: bool) -> None:
        """Answer with what can be done now, if it is the player's turn: `is_going_on`: one that has begun before.

        Another one has a mail of its own.
        """
        legal = self._request("GET", f"{self._path}/legal-actions", None, player.token)["actions"]
        view = self._request("GET", self._path, None, player.token)
        turn, whole = view["turn"], RULES[view["rules"]].action_points
        if legal and turn and not (is_going_on and turn["action_points"] == whole):
            actions = choose_turn(view, legal)
            lines = [say_action(action, view["display"], player.language, player.written) for action in actions]
            self._answer(player, mail, "\n".join(lines), "actions")

    def _answer(self, player: Player, mail: EmailMessage, text: str, asked: str) -> None:
        program = player.programs[player.written % len(player.programs)]
        answer = write_answer(mail, player.address, program, text)
        player.asked.append(asked)
        player.written += 1
        self._say.say(player.name, f"answers by {MAILS['programs'][program]['name']}: {' / '.join(text.splitlines())}")
        if program not in self._shown:
            self._shown.add(program)
            self._say.show(text_of(answer).splitlines()[:8])
        deliver(answer, self._inbox_port)

    def _request(self, method: str, url: str, body: Any = None, token: str | None = None) -> Any:
        """What a request of JSON, or of a form where the body is text, is answered. Raises CommandFailed, OSError."""
        headers = {"Content-Type": f"application/{'x-www-form-urlencoded' if isinstance(body, str) else 'json'}"}
        headers |= {} if token is None else {"Authorization": f"Bearer {token}"}
        data = None if body is None else body.encode() if isinstance(body, str) else json.dumps(body).encode()
        try:
            with urlopen(Request(url, data, headers, method=method), timeout=_TIMEOUT_S) as answer:  # noqa: S310 - http
                text, is_json = answer.read().decode(), answer.headers.get_content_type().endswith("json")
                return json.loads(text) if is_json else text
        except HTTPError as refused:
            with refused:
                said = refused.read().decode()
            raise CommandFailed(f"the service refused the demonstration's request: {said}") from None
