"""The demonstration's game: four seats, one played by mail, one by webhook, one over HTTP, one by a bot."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from email.message import EmailMessage
from http import HTTPStatus
from queue import Empty, SimpleQueue
from time import monotonic, sleep
from typing import Any, Final, TypeVar
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from service.commands.demo.receivers import Mailbox, WebhookReceiver, answer_mail, text_of
from service.commands.demo.transcript import Transcript
from service.commands.errors import CommandFailed

ADDRESS: Final = "anna@example.org"
TURN_SECONDS: Final = 60
"""The shortest turn that the service knows."""
ANNA, BERT, CARLA, BOT = range(4)
_PAUSE_S: Final = 0.2
_PATIENCE_S: Final = 30.0
_TIMEOUT_S: Final = 20.0
_PREFERRED: Final = ("append", "take", "lay_businessmaker", "draw")
_PLAYS: Final = ("leg ", "nimm ", "zieh")
"""How the lines of a German mail begin that say what to answer."""
_END: Final = "<over."
"""How the message id of a mail about the end begins."""

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class PlayerAnswer:
    status: int
    content: Any
    """Parsed JSON; text where it is something else."""


class DemoGame:
    def __init__(self, say: Transcript, url: str, mailbox: Mailbox, receiver: WebhookReceiver) -> None:
        self._say = say
        self.url = url
        self._mailbox = mailbox
        self._receiver = receiver
        self._game = ""
        self._tokens: dict[int, str] = {}
        self._inbox_port = 0
        self._waits_for_orders = False
        self._notified_of_end: set[int] = set()
        self.is_anna_gone = False
        self.last_mail: EmailMessage | None = None

    @property
    def path(self) -> str:
        return f"{self.url}/v1/games/{self._game}"

    def open(self, receiver_url: str, inbox_port: int) -> None:
        self._inbox_port = inbox_port
        pace = {"turn_seconds": TURN_SECONDS, "reminder_seconds": 20, "on_timeout": "bot"}
        seats = [{"name": "Anna"}, {"name": "Bert"}, {}, {"bot": "greedy"}]
        answer = self._done(send("POST", f"{self.url}/v1/games", {"seats": seats, "pace": pace}))
        self._game = answer["game"]["id"]
        self._tokens = {seat["seat"]: seat["token"] for seat in answer["seats"] if "token" in seat}
        self._say.say("Anna", f"opens a game with turns of {TURN_SECONDS} seconds, a seat for Bert, an open one, a bot")
        wants: dict[str, Any] = {"email": ADDRESS, "language": "de"}
        self._done(send("PUT", f"{self.path}/notifications", wants, self._tokens[ANNA]))
        self._say.say("Anna", f"wants mails in German to {ADDRESS}")
        self._confirm(self._await(self._mailbox.mails))
        wants = {"webhook": {"url": receiver_url}}
        hook = self._done(send("PUT", f"{self.path}/notifications", wants, self._tokens[BERT]))
        self._receiver.secret = hook["webhook"]["secret"]
        self._say.say("Bert", "wants signed webhooks for his program")
        joined = self._done(send("POST", f"{self.path}/seats", {"name": "Carla"}))
        self._tokens[joined["seat"]] = joined["token"]
        self._say.say("Carla", f'curl -X POST {self.path}/seats -d \'{{"name": "Carla"}}\': the game begins')

    def play(self, until: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        """Let all play until the game is as `until` says of its view, or over; that view."""
        while True:
            self._read_mails()
            self._read_webhooks()
            view: dict[str, Any] = self._done(send("GET", self.path))
            if until(view) or view["status"] == "over":
                return view
            if view["status"] == "playing" and view["turn"]["seat"] == CARLA and not self._has_orders():
                self._act(CARLA, "Carla", "curl ")
            sleep(_PAUSE_S)

    def order(self) -> None:
        """Put in standing orders for Carla: two steps of her next turn, the first with alternatives."""
        wishes = [{"type": "take", "card": card} for card in ("gold", "oil")]
        steps = [[*wishes, {"type": "draw"}], [{"type": "take", "slot": 0}]]
        self._done(send("PUT", f"{self.path}/orders", {"steps": steps}, self._tokens[CARLA]))
        self._say.say("Carla", "orders for her next turn: take gold, else oil, else draw; then take slot 0")
        self._waits_for_orders = True

    def come_back(self) -> None:
        """Let Anna answer the last mail that she has had, long after its turn."""
        assert self.last_mail is not None
        self.is_anna_gone = False
        self._answer(self.last_mail)

    def await_end(self) -> None:
        """Wait until Anna and Bert have been notified of the end. Raises CommandFailed."""
        until = monotonic() + _PATIENCE_S
        while not (self._mailbox.mails.empty() and self._notified_of_end == {ANNA, BERT}):
            if monotonic() > until:
                raise CommandFailed("a player wasn't notified of the end")
            self._read_mails()
            self._read_webhooks()
            sleep(_PAUSE_S)

    def tell_deliveries(self) -> None:
        for seat, name in ((ANNA, "Anna"), (BERT, "Bert")):
            found = self._done(send("GET", f"{self.path}/notifications/deliveries", None, self._tokens[seat]))
            failed = sum(1 for one in found["deliveries"] if one["error"] is not None)
            self._say.say(name, f"the last {len(found['deliveries'])} deliveries: {failed} failed")

    def _has_orders(self) -> bool:
        if self._waits_for_orders:
            kept = self._done(send("GET", f"{self.path}/orders", None, self._tokens[CARLA]))
            self._waits_for_orders = bool(kept["steps"])
            if not kept["steps"]:
                dropped = f"{len(kept['dropped']['steps'])} steps were dropped" if kept["dropped"] else "all were done"
                self._say.say("Carla", f"her orders have come to their end: {dropped}")
        return self._waits_for_orders

    def _confirm(self, mail: EmailMessage) -> None:
        link = next(word for word in text_of(mail).split() if "/confirm/" in word)
        answer = send("POST", link, "")
        if answer.status != HTTPStatus.OK:
            raise CommandFailed(f"the address could not be confirmed: {answer.status}")
        self._say.say("Anna", f"gets “{mail['Subject']}”, opens its link and presses the button")

    def _read_mails(self) -> None:
        for mail in _drain(self._mailbox.mails):
            lines = text_of(mail).strip().splitlines()
            self._say.say("Anna", f"gets a mail: {lines[0]}")
            self._say.quote(line for line in lines[1:4] if line and "http" not in line)
            if mail["Message-ID"].startswith(_END):
                self._notified_of_end.add(ANNA)
            if mail["Reply-To"] and _proposals(mail):
                self.last_mail = mail
                if not self.is_anna_gone:
                    self._answer(mail)

    def _answer(self, mail: EmailMessage) -> None:
        """PlayerAnswer with up to two of the actions that the mail proposes."""
        found = _proposals(mail)
        lines = [found[-1], *(line for line in found if line.startswith("nimm"))][:2]
        answer_mail(mail, ADDRESS, lines, self._inbox_port)
        self._say.say("Anna", f"answers: {', '.join(lines)}")

    def _read_webhooks(self) -> None:
        for body in _drain(self._receiver.bodies):
            self._say.say("Bert", f"webhook {body['type']}, version {body['data']['version']}")
            if body["type"] == "game.over":
                self._notified_of_end.add(BERT)
            turn = body["data"]["view"]["turn"]
            if turn and turn["seat"] == BERT:  # also after a scoring round that has interrupted the turn
                self._act(BERT, "Bert", "")

    def _act(self, seat: int, name: str, how: str) -> None:
        """Play a seat's turn over HTTP until it is another one's."""
        while True:
            found = send("GET", f"{self.path}/legal-actions", None, self._tokens[seat])
            actions = self._done(found)["actions"]
            if not actions:
                return
            action = min(actions, key=lambda one: _PREFERRED.index(one["type"]))
            answer = send("POST", f"{self.path}/actions", action, self._tokens[seat])
            words = " ".join(str(value) for value in action.values())
            self._say.say(name, f"{how}{words}: {answer.status}")

    def _done(self, answer: PlayerAnswer) -> Any:
        if answer.status >= HTTPStatus.BAD_REQUEST:
            raise CommandFailed(f"the service refused the demonstration's request: {answer.content}")
        return answer.content

    def _await(self, queue: SimpleQueue[Item]) -> Item:
        try:
            return queue.get(timeout=_PATIENCE_S)
        except Empty:
            raise CommandFailed("a mail didn't come") from None


def _drain(queue: SimpleQueue[Item]) -> Iterator[Item]:
    with suppress(Empty):
        while True:
            yield queue.get_nowait()


def _proposals(mail: EmailMessage) -> list[str]:
    """The lines of a mail that can be its answer."""
    lines = [line for line in text_of(mail).splitlines() if line.startswith(tuple(f"  {verb}" for verb in _PLAYS))]
    return [line.partition("(")[0].strip() for line in lines]


def send(method: str, url: str, body: Any = None, token: str | None = None) -> PlayerAnswer:
    """Send JSON, or a form where the body is text. Raises OSError where nothing answers."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    data = None
    if isinstance(body, str):
        data, headers["Content-Type"] = body.encode(), "application/x-www-form-urlencoded"
    elif body is not None:
        data, headers["Content-Type"] = json.dumps(body).encode(), "application/json"
    try:
        with urlopen(Request(url, data, headers, method=method), timeout=_TIMEOUT_S) as answer:  # noqa: S310 - http
            return PlayerAnswer(answer.status, _parse(answer.read(), answer.headers.get_content_type()))
    except HTTPError as refused:
        with refused:
            return PlayerAnswer(refused.code, _parse(refused.read(), refused.headers.get_content_type()))


def _parse(body: bytes, media_type: str) -> Any:
    return json.loads(body) if media_type.endswith("json") and body else body.decode()
