"""The bare route that the service is measured against: get_json and one EVALSHA of the size of an action's append."""

import itertools
import os

from flask import Flask, request

from service.connections.clients import connect
from service.gamelog.store.commit import _COMMIT, Expect, _pack
from service.gamelog.store.form.entry import Entry
from service.gamelog.store.keys import KeyNames
from service.gamelog.store.streams import extend_game


def create(_stop: object = None) -> Flask:
    """One append a request, to a stream of its own, by the service's own script, in redis-py's ordinary way.

    `_stop`: the web server's signal, which has nothing to end here.
    """
    app = Flask(__name__)
    client = connect(os.environ["REIBACH_REDIS_URL"])
    script = client.script_load(_COMMIT.text)
    numbers, names = itertools.count(), KeyNames(1)
    body = b'["take",0,1,"gold",1],["refill",1,"property"]'

    @app.post("/append")
    def append() -> tuple[dict[str, object], int]:
        asked = request.get_json()
        game = f"bare-{os.getpid()}-{next(numbers)}"
        own = names.keys(game)
        writes = [
            extend_game(own, game, Entry(2, 2, 1, body, bytes(9)), bytes(32), ["CardTaken", "DisplayRefilled"]),
            ("wait", own.due, game, ""),
        ]
        keys, words = _pack(own, Expect(absent=(own.stream, own.head)), writes, 0)
        if client.evalsha(script, len(keys), *keys, *words) != [b"done"]:
            raise RuntimeError("the bare route must write as much as the service does")
        return {"game": game, "version": 2, "asked": asked["type"]}, 201

    return app
