"""Real connections that are cut in the middle of an append, before the store has read it or after it has answered."""

from collections.abc import Iterator
from random import Random

import pytest

from service.connections.clients import Client, connect
from tests.gamelog.ledger import ack_of, any_act, check_log, new_game, open_games
from tests.support.lines import Line


@pytest.fixture
def line(real_client: Client) -> Iterator[Line]:
    line = Line(real_client.connection_pool.connection_kwargs["path"])
    yield line
    line.close()


@pytest.mark.parametrize("fates", [["before"], ["after"], ["after", "before", "after"]], ids="-".join)
def test_a_cut_connection_has_no_second_effect(line: Line, real_client: Client, fates: list[str]) -> None:
    """Without a key, an append whose connection is cut happens exactly once, and its answer is right."""
    with connect(line.url) as client:
        games = open_games(client)
        acks = [ack_of(games.create(new_game("g")))]
        for number in range(8):
            line.plan.extend(fates)
            acks.append(ack_of(games.handle("g", any_act(games.load_cached("g").game, Random(number)))))
            assert not line.plan
    assert line.cuts == 8 * len(fates)
    assert check_log(games.store, "g", acks).version == sum(ack.last - ack.first + 1 for ack in acks)
    assert len(real_client.xrange(games.store.stream("g"))) == 9


@pytest.mark.nightly
@pytest.mark.slow
def test_any_number_of_connections_may_be_cut(real_client: Client) -> None:
    """A process keeps working after it has lost more connections than redis-py's pool may open."""
    limit: int = real_client.connection_pool.max_connections
    games = open_games(real_client)
    games.create(new_game("g"))
    with connect(f"unix://{real_client.connection_pool.connection_kwargs['path']}") as other:
        for _ in range(limit + 20):
            other.client_kill_filter(_type="normal", skipme=True)
            assert games.load("g").game.version == 5
