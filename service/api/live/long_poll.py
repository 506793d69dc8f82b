"""Long polls: a request that waits in its thread until the game has changed."""

import time

from domain.words.refusals.sentences import Sentence
from service.api.content.caching import client_has
from service.api.protocol.metrics import POLLS
from service.api.protocol.request import GameRequest
from service.gamelog.cache import LoadedGame


def wait_for_news(request: GameRequest, seconds: float) -> LoadedGame:
    """The game as soon as it is newer than what the client has, or after so many seconds.

    Raises Problem `too-many-waiting`, `too-many-requests`; and TokenVoid.
    """
    loaded = request.load()
    if seconds <= 0 or not client_has(loaded.game.version):
        return loaded
    with request.web.places.hold_waiting(Sentence("too-many-waiting.poll")):
        return _wait(request, loaded, time.monotonic() + seconds)


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
