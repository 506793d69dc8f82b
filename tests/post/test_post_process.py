"""The post process of a running service: it sends, and comes back when it is killed."""

import os
import signal
from contextlib import closing
from random import Random

import httpx
import pytest

from domain.state import Game
from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.post.subscriptions import Subscriptions
from service.runtime.embedded import EmbeddedStore
from service.signing.deployment import find_deployment
from tests.conftest import Service
from tests.faults.parts import find_post
from tests.gamelog.ledger import any_act, new_game
from tests.post.processes import notices_of, wish
from tests.support.in_process import log_over
from tests.support.receivers import answer, receiver
from tests.support.waiting import is_running, wait_until


def end_turn(games: GameLog, name: str) -> Game:
    """Play until the next turn; no round is scored so early."""
    chance, turn = Random(name), games.load(name).game.turn
    while (now := games.load(name).game).turn == turn:
        games.handle(name, any_act(now, chance))
    return now


@pytest.mark.process
def test_a_post_process_sends_and_comes_back(service: Service) -> None:
    """A turn that starts while it is dead is told by the next one."""
    name = "posted"
    address = EmbeddedStore(service.data).url
    with closing(connect(address)) as client:
        shards = find_deployment(client, "").shards
    with log_over(address, shards) as games, receiver(answer()) as found:
        games.create(new_game(name, 2))
        for seat in (0, 1):
            Subscriptions(games.store).save(name, seat, wish(found.port, "turn"))
        first = end_turn(games, name)
        wait_until(lambda: found.requests, 30)
        wait_until(lambda: find_post(service.process.pid), 30)
        old = find_post(service.process.pid)
        os.kill(old, signal.SIGKILL)
        second = end_turn(games, name)
        told = [("turn.started", game.turn_seat, game.turn_version) for game in (first, second)]
        wait_until(lambda: told[1] in notices_of(found.requests), 60)
        assert not is_running(old)
        assert find_post(service.process.pid) not in {0, old}
        assert {*notices_of(found.requests)} == {*told}  # the first twice, where it was sent and not settled
    wait_until(lambda: httpx.get(f"{service.url}/readyz").json() == {"status": "ready"}, 30)
