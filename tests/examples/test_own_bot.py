"""The example of a bot of one's own plays when a signed webhook tells it to, and only then."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from http.server import HTTPServer
from threading import Thread

import httpx
import pytest
from standardwebhooks import Webhook

from tests.conftest import Service
from tests.examples import own_bot
from tests.examples.own_bot import Receiver
from tests.support.client import Api, Table
from tests.support.ports import free_port
from tests.support.waiting import patience, wait_until
from tests.support.webhooks import SECRET

BOT, ANNA = 0, 1


@pytest.fixture
def table(api: Api) -> Table:
    return api.create(2)


@pytest.fixture
def hook(service: Service, table: Table) -> Iterator[str]:
    class Own(Receiver):
        game, token, secret = service.url + table.path, table.tokens[BOT], SECRET

        def log_message(self, *_: object) -> None:
            """Keep the tests' output clean."""

    server = HTTPServer(("127.0.0.1", 0), Own)
    thread = Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/hook"
    server.shutdown()
    thread.join(patience(10))
    server.server_close()


def notify(hook: str, api: Api, table: Table, *, secret: str = SECRET, kind: str = "turn.started") -> int:
    """Send a notice as contract 6 has it, signed with `secret`; the status of the answer."""
    view = api.view(table, BOT)
    now = datetime.now(UTC)
    data = {"game": table.id, "seat": BOT, "version": view["version"], "view": view}
    body = json.dumps({"type": kind, "timestamp": now.isoformat(), "data": data})
    signed = {"webhook-id": "n1", "webhook-timestamp": str(int(now.timestamp()))}
    signed["webhook-signature"] = Webhook(secret).sign("n1", now, body)
    # A connection of its own: it ends when the bot has played.
    return httpx.post(hook, content=body, headers=signed, timeout=patience(20)).status_code


def test_own_bot_plays_its_turn_when_told(api: Api, table: Table, hook: str) -> None:
    """A signed notice lets it play its whole turn; the same notice again changes nothing."""
    before = api.version(table)
    assert notify(hook, api, table) == 204
    assert notify(hook, api, table) == 204  # the receiver takes one notice after the other
    view = api.view(table)
    assert (view["turn"]["seat"], view["turn"]["number"]) == (ANNA, 2)
    assert view["version"] > before
    played = view["version"]
    assert notify(hook, api, table) == 204
    assert notify(hook, api, table, kind="game.over") == 204
    assert (api.version(table), Receiver.is_over) == (played, True)


def test_own_bot_trusts_only_signed_notices(api: Api, table: Table, hook: str) -> None:
    """A notice signed with another secret is refused, and nothing is played."""
    before = api.version(table)
    assert notify(hook, api, table, secret="whsec_" + "A" * 32) == 401
    assert notify(hook, api, table, kind="message.posted") == 204
    assert api.version(table) == before


def test_own_bot_registers_and_is_told(service: Service, api: Api, table: Table) -> None:
    """As its users run it: it asks for webhooks, and the service's own notice lets it play the turn that is on."""
    port = free_port()
    words = [f"{service.url}{table.path}", table.tokens[BOT], f"http://127.0.0.1:{port}/hook", str(port)]
    with subprocess.Popen([sys.executable, own_bot.__file__, *words], stderr=subprocess.DEVNULL) as program:
        try:
            wait_until(lambda: api.view(table)["turn"]["number"] == 2, 20)
        finally:
            program.terminate()
    path = f"{table.path}/notifications"
    asked = api.get(path, table.tokens[BOT]).json()
    assert asked["on"] == ["turn", "reminder", "scoring", "over"]
    assert asked["webhook"].keys() == {"url", "secret"}
    wait_until(lambda: api.get(f"{path}/deliveries", table.tokens[BOT]).json()["deliveries"] != [], 20)
    [told] = api.get(f"{path}/deliveries", table.tokens[BOT]).json()["deliveries"]
    assert (told["type"], told["error"]) == ("turn.started", None)
