"""A primary of a cluster that stays away. What its death loses: rows `cluster` and `losses` of the report of faults."""

from pathlib import Path

import pytest

from service.connections.clients import connect
from service.gamelog.store.errors import StoreUnavailable
from service.gamelog.store.streams import Store
from tests.gamelog.ledger import SHARDS, new_game
from tests.support.servers import Server, running_cluster
from tests.support.waiting import outcome_of, wait_until
from tests.support.world import new_log


@pytest.mark.nightly
def test_the_other_shards_go_on_meanwhile(tmp_path: Path) -> None:
    """A primary that stays away stops its own games alone, and only until its replica takes its place.

    Also once the other nodes hold it for dead: this one's replica comes later.
    """
    with running_cluster(tmp_path, 3, 1) as cluster:
        store = Store(connect(cluster.url), SHARDS, 0.2)
        games = new_log(store)
        names = [
            next(f"{shard}-{n}" for n in range(1000) if store.shard(f"{shard}-{n}") == shard) for shard in range(4)
        ]
        owners = {name: store.client.get_node_from_key(store.stream(name)).port for name in names}
        for name in names:
            games.create(new_game(name))
        number, victim = next(
            (number, node) for number, node in enumerate(cluster.nodes) if node.port == owners[names[0]]
        )
        replica = cluster.nodes[number + 3]
        wait_until(replica.is_synced)
        for node in (replica, victim):
            node.kill()
        other = next(node for node in cluster.primaries() if node != victim)
        for is_held_for_dead in (False, True):
            if is_held_for_dead:
                wait_until(lambda: count_failed(other) > 0, 30)
            for name in names:
                if owners[name] == victim.port:
                    with pytest.raises(StoreUnavailable):
                        games.load(name)
                else:
                    assert games.load(name).game.version == 5
        replica.start()
        for name in names:
            assert outcome_of(lambda name=name: games.load(name), StoreUnavailable, 30).game.version == 5


def count_failed(node: Server) -> int:
    with node.client() as client:
        return int(client.cluster("info")["cluster_slots_fail"])
