"""Compares the answers of this checkout with those of another one, byte for byte.

Run: `python -m tests.bench.tools.compare_answers CHECKOUT`. Both get the same requests, some 6,000, in process: whole
games, refusals, repeats, conditions, and every route with odd methods, tokens, headers, queries and bodies. Secrets,
ids and clock are the same in both, so that status, headers and bodies must be, too, with no exception.
"""

import io
import json
import secrets
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

LOG = subprocess.DEVNULL
ROOT = Path(__file__).resolve().parents[3]
JSON = "application/json"
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "PATCH", "get", "Post", "TRACE")
CHUNKS = 3
"""Of a stream that may never end."""
HEADERS: tuple[dict[str, str], ...] = (
    *({},) * 12,
    *({"HTTP_ACCEPT": value} for value in ("*/*", JSON, "text/html", "text/csv;q=0.5, */*;q=0.1", "", "x" * 2000)),
    *({"HTTP_ACCEPT": value} for value in ("application/x-ndjson", "text/event-stream", "application/json;charset=x")),
    *({"HTTP_ACCEPT_LANGUAGE": value} for value in ("de", "fr-CH, en;q=0.2", "xx", "nl;q=0, de;q=0.1", "," * 900)),
    *({"HTTP_IF_MATCH": value} for value in ('"5"', "5", "*", 'W/"5"', '"4", "5"', "", '"' * 9000, " * ")),
    *({"HTTP_IF_NONE_MATCH": value} for value in ('"5"', "*", 'W/"5"', "x" * 3000)),
    *({"HTTP_IDEMPOTENCY_KEY": value} for value in ("a key of one request", "", "x" * 201, "x" * 30, "\xe4", "one")),
    *({"HTTP_HOST": value} for value in ("a,b", "", "x y", "Reibach.Example:80", "[::1]:8000", "h\xe4", "..", "a:b")),
    *({"HTTP_UPGRADE": "websocket", "HTTP_CONNECTION": value} for value in ("Upgrade", "upgrade", "keep-alive", "")),
    {"HTTP_UPGRADE": "websocket"},
    {"HTTP_UPGRADE": "h2c", "HTTP_CONNECTION": "Upgrade"},
    {"HTTP_TRANSFER_ENCODING": "chunked"},
    {"HTTP_TRANSFER_ENCODING": "gzip, chunked"},
    {"HTTP_EXPECT": "100-continue"},
    {"HTTP_CONTENT_ENCODING": "gzip"},
    {"HTTP_ORIGIN": "https://elsewhere.example"},
    {"HTTP_ORIGIN": "null", "HTTP_ACCESS_CONTROL_REQUEST_METHOD": "POST"},
    {"HTTP_ACCEPT_ENCODING": "gzip"},
    {"HTTP_ACCEPT_ENCODING": "gzip;q=0, br"},
    {"HTTP_LAST_EVENT_ID": "3"},
    {"HTTP_LAST_EVENT_ID": "x"},
    {"SERVER_PROTOCOL": "HTTP/1.0", "HTTP_HOST": ""},
    {"REMOTE_ADDR": "2001:db8::1"},
    {"HTTP_X_FORWARDED_FOR": "192.0.2.1", "HTTP_COOKIE": "session=x"},
    *({"CONTENT_TYPE": value} for value in ("", "text/plain", "application/json; charset=utf-8", "application/JSON")),
    *({"CONTENT_TYPE": value} for value in ("application/json;charset=latin-1", "x" * 300, "application/problem+json")),
    *({"CONTENT_LENGTH": value} for value in ("", "0", "5", "-1", "x", "+3", "\u00b2", "3.0", "70000", "9" * 30, "00")),
)
QUERIES = (
    *("",) * 10,
    *("at=3", "at=x", "at=", "at=3&at=4", "after=2", "after=99", "limit=1", "limit=0", "since=2", "wait=0", "x=%FF"),
    *("listed=true", "listed=1", "&" * 40, "at=" + "9" * 9000, "at=%32", "lang=de", "at=3;x", "wait=x", "\xc3\xa4=1"),
)
BODIES: tuple[bytes, ...] = (
    *(b"",) * 3,
    *(b"{}", b"{", b"[]", b"null", b"\xff", b'{"type": "draw"}', b'{"type":"draw","type":"draw"}', b'{"a": NaN}'),
    *(b'{"type": "take", "slot": 1}', b'{"type": "take", "slot": 1.0}', b'{"type": "take", "slot": true}'),
    *(b'{"type": "pass"}', b'{"type": "draw", "x": 1}', b'{"actions": []}', b'{"actions": [{"type": "draw"}]}'),
    *(b'{"actions": [{"type": "draw"}, {"type": "draw"}, {"type": "draw"}, {"type": "draw"}]}', b'"\\ud800"'),
    *(b' {"type": "draw"} ' + b" " * 300, b'{"actions": [{"type": "take", "slot": 9}, {"type": "draw"}], "x": {}}'),
    *(
        b"[" * 5000,
        b'{"a":' * 2000,
        b'{"text": "Well \xc3\xa4"}',
        b'{"text": ""}',
        b'{"until": "2100-01-01T00:00:00Z"}',
    ),
    *(b'{"type": "lay_businessmaker", "card": "gold"}', b'{"type": "append", "card": "gold", "row": 0}', b"x" * 70000),
    *(b'{"name": "Carla"}', b'{"seats": [{"name": "A"}, {"bot": "greedy"}]}', b'{"seats": [{"name": "A"}, {}]}'),
    *(b'{"steps": [[{"type": "draw"}]]}', b'{"webhook": {"url": "https://192.0.2.1/"}}', b'{"seats": [1]}'),
)


class Caller:
    """Sends requests to an application, and writes down what it answers."""

    def __init__(self, app: Any, write: Callable[[str], object]) -> None:
        self.app, self.write = app, write
        self.number = count(1)

    def __call__(
        self, method: str, path: str, token: str = "", body: bytes = b"", query: str = "", **more: str
    ) -> tuple[int, bytes]:
        """One request; its status and body."""
        environ: dict[str, Any] = {
            "SCRIPT_NAME": "",
            "SERVER_SOFTWARE": "Granian",
            "wsgi.version": (1, 0),
            "wsgi.errors": sys.stderr,
            "wsgi.input_terminated": True,
            "wsgi.multiprocess": False,
            "wsgi.multithread": True,
            "wsgi.run_once": False,
            "SERVER_PROTOCOL": "HTTP/1.1",
            "SERVER_NAME": "127.0.0.1",
            "SERVER_PORT": "8000",
            "REMOTE_ADDR": "127.0.0.1",
            "REQUEST_METHOD": method,
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "wsgi.url_scheme": "http",
            "wsgi.input": io.BytesIO(body),
            "HTTP_HOST": "reibach.test:8000",
        }
        if body:
            environ |= {"CONTENT_TYPE": JSON, "CONTENT_LENGTH": str(len(body))}
        if token:
            environ["HTTP_AUTHORIZATION"] = token if " " in token else f"Bearer {token}"
        environ |= more
        started: list[Any] = []
        content = self.app(environ, lambda status, headers, *_: started.extend((status, headers)))
        pieces = [piece for piece, _ in zip(content, range(CHUNKS * 1000), strict=False)]
        if hasattr(content, "close"):
            content.close()
        status, headers = started
        whole = b"".join(pieces)
        asked = [next(self.number), method, path, query[:80], more, token[:20], repr(body[:60])]
        self.write(json.dumps([asked, status, sorted(headers), whole.decode("latin-1")]) + "\n")
        return int(status[:3]), whole


def play(call: Caller, log: Any, number: int) -> tuple[str, list[str]]:
    """A whole game with repeats, stale conditions and views of all seats; its path and tokens."""
    from domain.commands import CompleteScoring
    from domain.legality import legal_actions
    from domain.orders.wishes import json_of

    chance, seats = Random(number), 2 + number % 4
    plan = {"seats": [{"name": f"P {seat}"} for seat in range(seats)], "server_seed": f"{number:064x}", "listed": True}
    _, made = call(
        "POST", "/v1/games", body=json.dumps(plan).encode(), HTTP_IDEMPOTENCY_KEY=f"a key that opens game no {number}"
    )
    content = json.loads(made)
    game, tokens = content["game"]["id"], [seat["token"] for seat in content["seats"]]
    path = f"/v1/games/{game}"
    while not (now := log.load(game).game).over and now.version < 400:
        if now.scoring is not None:
            call("POST", f"{path}/actions", tokens[now.turn_seat], b'{"type": "draw"}')
            log.handle(game, CompleteScoring(round=now.scoring))
            continue
        actions = [json_of(action) for action in chance.sample(list(legal_actions(now, now.turn_seat)), 1)]
        if chance.random() < 0.3:
            actions += [{"type": "draw"}, {"type": "append", "card": "gold", "row": 0}]
        body = json.dumps(actions[0] if len(actions) == 1 else {"actions": actions}).encode()
        more = chance.choice(
            [
                *({},) * 4,
                {"HTTP_IDEMPOTENCY_KEY": f"no. {now.version}"},
                {"HTTP_IF_MATCH": f'"{now.version}"'},
                {"HTTP_IF_MATCH": f'"{now.version - 1}"'},
                {"HTTP_IF_MATCH": f"{now.version}"},
            ]
        )
        for _ in range(1 + (chance.random() < 0.2)):
            call("POST", f"{path}/actions", tokens[now.turn_seat], body, **more)
        if chance.random() < 0.3:
            call("POST", f"{path}/actions", tokens[now.turn_seat - 1], body)
            call("GET", path, chance.choice([*tokens, ""]), query=chance.choice(QUERIES))
            call("GET", f"{path}/legal-actions", chance.choice(tokens))
    for token in [*tokens, ""]:
        for place in ("", "/events", "/scores", "/replay", "/recap", "/receipt", "/audit"):
            call(chance.choice(["GET", "HEAD"]), path + place, token, HTTP_ACCEPT_ENCODING=chance.choice(["", "gzip"]))
    return path, tokens


def talk(call: Caller, log: Any, paths: list[tuple[str, str]], requests: int) -> None:
    """Whole games, then requests of all kinds at random."""
    chance = Random(7)
    games = [play(call, log, number) for number in range(4)]
    for seats in ([{"name": "Anna"}, {"name": "Bert"}], [{"name": "Anna"}, {}]):
        _, made = call("POST", "/v1/games", body=json.dumps({"seats": seats, "server_seed": "5" * 64}).encode())
        content = json.loads(made)
        tokens = [seat["token"] for seat in content["seats"] if "token" in seat]
        games += [(f"/v1/games/{content['game']['id']}", tokens)] * 4
    odd = ("/v1/games//x", "/v1/games/", "/V1/games", "/v1/games/\xe4", "/v1/games/x/y/z/q", "//", "", "/v1/games/x\n")
    for _ in range(requests):
        method, path = chance.choice(paths)
        game, tokens = chance.choice(games)
        name = game.rpartition("/")[2] if chance.random() < 0.95 else "nowhere"
        path = path.replace("<game>", name).replace("<seat>", str(chance.randrange(3)))
        path = path.replace("<name>", "docs.js").replace("<code>", "game-over").replace("<digest>", "x" * 8)
        if chance.random() < 0.04:
            path = chance.choice([*odd, path + "/"])
        if chance.random() < 0.15:
            method = chance.choice(METHODS)
        headers = chance.choice(HEADERS) | chance.choice(HEADERS)
        query = chance.choice(QUERIES)
        if "event-stream" in headers.get("HTTP_ACCEPT", "") and method == "GET":
            method = "HEAD"  # the stream of a game that isn't over has no end
        token = chance.choice(
            [tokens[0], tokens[0], tokens[-1], "", "bad", "Basic x", "bearer  " + tokens[0], "Bearer"]
        )
        body = chance.choice(BODIES) if method not in {"GET", "HEAD"} or chance.random() < 0.1 else b""
        for _ in range(1 + (chance.random() < 0.2)):
            call(method, path, token, body, query, **headers)


def answer(requests: int) -> None:
    """Write what the checkout in the present folder answers, a line for each request."""
    write, sys.stdout = sys.stdout.write, sys.stderr  # the service's log goes to the latter
    sys.path.insert(0, str(Path.cwd()))
    from tempfile import TemporaryDirectory

    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    from config.settings import Settings
    from service.app import all_routes, create_app, open_web
    from service.bootstrap import Outside, Services
    from service.connections.clients import connect
    from service.gamelog.log import GameLog
    from service.gamelog.reactions import Reactions
    from service.gamelog.store.streams import Store
    from service.runtime.embedded import EmbeddedStore
    from service.signing.deployment import Deployment, SigningKey

    chance, salting = Random(1), Random(2)  # checkouts from before salts draw none
    secrets.token_bytes = lambda number=32: chance.randbytes(number)  # type: ignore[misc]
    secrets.token_hex = lambda number=32: (salting if number == 16 else chance).randbytes(number).hex()  # type: ignore[misc]
    secrets.token_urlsafe = lambda number=32: chance.randbytes(number).hex()  # type: ignore[misc]
    public = Ed25519PrivateKey.from_private_bytes(bytes(range(32))).public_key().public_bytes_raw()
    deployment = Deployment(2, ["a secret"], bytes(32), [SigningKey("0123456789abcdef", public, bytes(range(32)))])
    with TemporaryDirectory() as folder:
        embedded = EmbeddedStore(Path(folder) / "store")
        embedded.start()
        try:
            with closing(connect(embedded.url)) as client:
                ticks = count(1_770_000_000_000, 250)
                log = GameLog(Store(client, 2), Reactions(lambda *_: None, 0.0), clock=lambda: next(ticks))
                settings = Settings(rate_limit=0, allow_fixed_seed=True, metrics_token="none")
                outside = Outside(new_seed=lambda: bytes(32), clock=lambda: next(ticks), chance=Random(3))
                web = open_web(Services(settings, deployment, log, outside))
                call = Caller(create_app(web), write)
                skipped = {"/metrics", "/readyz"}
                paths = sorted((route.method, route.path) for route in all_routes() if route.path not in skipped)
                often = [(method, path) for method, path in paths if path.endswith(("/actions", "<game>", "/events"))]
                talk(call, log, [*paths, *often * 6], requests)
                web.services.hub.close()
        finally:
            embedded.stop()


def answers_of(checkout: Path, requests: int) -> Iterator[str]:
    """What a checkout answers, line by line."""
    command = [sys.executable, __file__, "--answer", str(requests)]
    done = subprocess.run(
        command,
        cwd=checkout,
        env={"PYTHONPATH": str(checkout), "PYTHONHASHSEED": "0"},
        stdout=subprocess.PIPE,
        stderr=LOG,
        check=True,
    )
    yield from done.stdout.decode().splitlines()


def main() -> int:
    other, requests = Path(sys.argv[1]), int(sys.argv[2]) if sys.argv[2:] else 6000
    here, there = list(answers_of(ROOT, requests)), list(answers_of(other, requests))
    differing = [(ours, theirs) for ours, theirs in zip(here, there, strict=False) if ours != theirs]
    for ours, theirs in differing[:10]:
        print(f"here  {ours[:900]}\nthere {theirs[:900]}\n")
    print(f"{len(here)} and {len(there)} answers, {len(differing)} differ")
    return 1 if differing or len(here) != len(there) else 0


if __name__ == "__main__":
    if sys.argv[1:2] == ["--answer"]:
        answer(int(sys.argv[2]))
    else:
        raise SystemExit(main())
