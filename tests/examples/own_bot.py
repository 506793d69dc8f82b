"""A bot of one's own: told of its turns by webhook, it plays them over HTTP. Needs `pip install standardwebhooks`.

python own_bot.py https://reibach.example.org/v1/games/GAME TOKEN https://bot.example.org/hook 8080
"""

import json
import sys
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

from standardwebhooks import Webhook, WebhookVerificationError

ORDER = ["append", "lay_businessmaker", "take", "draw"]


def ask(method: str, url: str, token: str, body: object = None) -> dict[str, Any]:
    """The JSON of an answer. Raises HTTPError where it isn't 2xx."""
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    data = None if body is None else json.dumps(body).encode()
    with urlopen(Request(url, data, headers, method=method), timeout=60) as answer:
        return json.load(answer)


def play(game: str, token: str) -> None:
    """Play as long as it is the bot's turn. A notice that comes twice does no harm: then it isn't any more."""
    while actions := ask("GET", f"{game}/legal-actions", token)["actions"]:
        try:
            ask("POST", f"{game}/actions", token, min(actions, key=lambda action: ORDER.index(action["type"])))
        except HTTPError as refusal:
            if refusal.code != 409:  # 409: a scoring round has come in between
                raise


class Receiver(BaseHTTPRequestHandler):
    """Takes webhooks, and trusts none without its signature."""

    game, token, secret = "", "", ""
    is_over = False

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        try:
            notice = Webhook(self.secret).verify(body, dict(self.headers.items()))
        except WebhookVerificationError:
            self.send_error(401)
            return
        self.send_response(204)  # first: a notice without an answer within 10 s is sent again
        self.end_headers()
        if notice["type"] in {"turn.started", "turn.reminder", "round.scored"}:  # a scoring round interrupts a turn
            play(self.game, self.token)
        Receiver.is_over |= notice["type"] == "game.over"


if __name__ == "__main__":
    Receiver.game, Receiver.token, hook, port = sys.argv[1:]
    server = HTTPServer(("", int(port)), Receiver)
    asked = {"webhook": {"url": hook}, "on": ["turn", "reminder", "scoring", "over"]}
    Receiver.secret = ask("PUT", f"{Receiver.game}/notifications", Receiver.token, asked)["webhook"]["secret"]
    while not Receiver.is_over:
        server.handle_request()
