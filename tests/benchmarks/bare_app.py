"""The bare route that the service is measured against: get_json and one EVALSHA of the size of an action's append."""

import itertools
import os

from flask import Flask, request

from service.gamelog.codec import Entry
from service.gamelog.store import Store, connect


def create() -> Flask:
    """One append to a stream of its own a request, through the service's own script."""
    app = Flask(__name__)
    store = Store(connect(os.environ["REIBACH_REDIS_URL"]), 16)
    numbers = itertools.count()
    body = b'["take",0,1,"gold",1],["refill",1,"property"]'

    @app.post("/append")
    def append() -> tuple[dict[str, object], int]:
        asked = request.get_json()
        game = f"bare-{os.getpid()}-{next(numbers)}"
        entry = Entry(2, 2, 1, body, b"checkcheckid")
        store.append(game, entry, head_hash=bytes(32), types=["CardTaken", "DisplayRefilled"])
        return {"game": game, "version": 2, "asked": asked["type"]}, 201

    return app
