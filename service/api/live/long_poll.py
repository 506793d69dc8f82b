"""Long polls: a request that waits in its thread until the game has changed."""

import threading
import time
from typing import Final

from domain.words.refusals.sentences import Sentence
from service.api.content.caching import client_has
from service.api.protocol.metrics import POLLS
from service.api.protocol.request import GameRequest
from service.gamelog.cache import LoadedGame
from service.gamelog.store.errors import StoreUnavailable

_ASK_AGAIN_S: Final = 0.5


def wait_for_news(request: GameRequest, seconds: float) -> LoadedGame:
    """The game as soon as it is newer than what the client has, or after so many seconds.

    A store that is away is waited for as long. Raises Problem `too-many-waiting`, `too-many-requests`; and TokenVoid.
    """
    began = time.monotonic()
    try:
        loaded = request.load()
    except StoreUnavailable:
        if not seconds:
            raise
        _wait_for_store(request, began + seconds)
        loaded = request.load()
        seconds -= time.monotonic() - began
    if seconds <= 0 or not client_has(loaded.game.version):
        return loaded
    with request.web.places.hold_waiting(Sentence("too-many-waiting.poll")):
        return _wait(request, loaded, time.monotonic() + seconds)


def _wait_for_store(request: GameRequest, deadline: float) -> None:
    """Return when the store answers again. Raises StoreUnavailable after the deadline, or at the process's end.

    It is asked without a retry: else polls would take all of the room that actions need when it is back.
    """
    store, pause = request.services.store, threading.Event()
    with request.web.places.hold_waiting(Sentence("too-many-waiting.poll")), POLLS.track_inprogress():
        while True:
            try:
                store.try_once(store.client.ping)
            except StoreUnavailable:
                if request.services.hub.closed or time.monotonic() >= deadline:
                    raise
                pause.wait(_ASK_AGAIN_S)
            else:
                return


def _wait(request: GameRequest, loaded: LoadedGame, deadline: float) -> LoadedGame:
    hub = request.services.hub
    with POLLS.track_inprogress(), hub.watch(loaded) as watched:
        while not hub.closed and not watched.now.lost and (left := deadline - time.monotonic()) > 0:
            now = watched.now
            if request.has_void_token(now.head):
                break
            if now.head.game.version > loaded.game.version and not client_has(now.head.game.version):
                return now.head
            if watched.sleep(now, left):
                watched.wake_next()
    return request.load()  # a version whose notification was lost, or that the token is revoked, is found here
