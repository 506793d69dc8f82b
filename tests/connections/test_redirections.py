"""A cluster whose slots move while games are played: redirections are followed, by appends and by reads."""

from collections.abc import Iterator
from random import Random
from threading import Event, Thread

import pytest
import redis

from domain.commands import CompleteScoring
from service.connections.clients import connect
from service.gamelog.log import GameLog
from service.gamelog.store.errors import StoreUnavailable
from tests.gamelog.ledger import Ack, ack_of, any_act, check_log, new_game, open_games
from tests.support.servers import Cluster, Server, running_cluster
from tests.support.waiting import patience, wait_until

SLOT_OF_G = "{s01}"


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with running_cluster(tmp_path_factory.mktemp("nodes")) as nodes:
        yield nodes


def name_in(games: GameLog, tag: str, chance: Random) -> str:
    return next(name for name in iter(lambda: f"m{chance.random()}", "") if games.store.tag(name) == tag)


class Mover:
    def __init__(self, cluster: Cluster, tag: str) -> None:
        self.nodes = cluster.nodes
        self.tag = tag
        with self.nodes[0].client() as client:
            self.slot = int(client.execute_command("CLUSTER KEYSLOT", tag))

    def owner(self) -> Server:
        """The node that has the slot, once one says so."""
        found: list[Server] = []
        wait_until(lambda: found.extend(node for node in self.nodes if self._asks(node)) or found)
        return found[0]

    def _asks(self, node: Server) -> bool:
        with node.client() as client:
            try:
                client.exists(self.tag)
            except redis.ResponseError:
                return False
            return True

    def begin(self, old: Server, new: Server) -> None:
        """From now on keys that are missing at the old node are asked for at the new one."""
        with old.client() as left, new.client() as right:
            right.execute_command("CLUSTER SETSLOT", self.slot, "IMPORTING", left.execute_command("CLUSTER MYID"))
            left.execute_command("CLUSTER SETSLOT", self.slot, "MIGRATING", right.execute_command("CLUSTER MYID"))

    def carry(self, old: Server, new: Server) -> None:
        with old.client() as left:
            while keys := left.execute_command("CLUSTER GETKEYSINSLOT", self.slot, 1):
                left.execute_command("MIGRATE", "127.0.0.1", new.port, keys[0], 0, 5000)

    def end(self, new: Server) -> None:
        """Tell all nodes whose the slot is, the new one first."""
        with new.client() as client:
            name = client.execute_command("CLUSTER MYID")
        for node in sorted(self.nodes, key=lambda node: node is not new):
            with node.client() as client:
                client.execute_command("CLUSTER SETSLOT", self.slot, "NODE", name)

    def move_at_once(self) -> None:
        """The whole slot, to the next node, by the servers themselves."""
        old = self.owner()
        new = self.nodes[(self.nodes.index(old) + 1) % len(self.nodes)]
        with old.client() as left, new.client() as right:
            name = right.execute_command("CLUSTER MYID")
            left.execute_command("CLUSTER MIGRATESLOTS", "SLOTSRANGE", self.slot, self.slot, "NODE", name)
        wait_until(lambda: self.owner() is new, 30)

    def move(self) -> None:
        old = self.owner()
        new = self.nodes[(self.nodes.index(old) + 1) % len(self.nodes)]
        self.begin(old, new)
        self.carry(old, new)
        self.end(new)


def test_a_slot_that_has_moved_is_found(cluster: Cluster) -> None:
    """By the first append and the first read of a process that knew its old place; `MULTI` follows, too."""
    client = connect(cluster.url)
    writer, reader = open_games(client), open_games(connect(cluster.url))
    name = name_in(writer, SLOT_OF_G, Random(1))
    mover, chance = Mover(cluster, SLOT_OF_G), Random(2)
    acks = [ack_of(writer.create(new_game(name)))]
    assert reader.load(name).game.version == acks[-1].last
    mover.move()
    acks.append(ack_of(writer.handle(name, any_act(writer.load_cached(name).game, chance))))
    assert reader.load(name).game.version == acks[-1].last
    mover.move()
    assert reader.load(name).game.version == acks[-1].last
    assert reader.store.read_raw(name).version == acks[-1].last
    assert check_log(writer.store, name, acks).version == acks[-1].last


def test_what_is_already_at_the_new_node_is_read_there(cluster: Cluster) -> None:
    """While a slot is on its way, its keys are, too: ASK is followed, by `MULTI` as well."""
    games = open_games(connect(cluster.url))
    mover, chance = Mover(cluster, "{s02}"), Random(3)
    name = name_in(games, "{s02}", chance)
    ack = ack_of(games.create(new_game(name)))
    old = mover.owner()
    new = cluster.nodes[(cluster.nodes.index(old) + 1) % 3]
    mover.begin(old, new)
    mover.carry(old, new)
    assert open_games(connect(cluster.nodes[0].url)).load(name).game.version == ack.last
    assert games.load(name).game.version == ack.last
    mover.end(new)
    check_log(games.store, name, [ack])


def test_a_game_of_which_half_is_on_its_way_is_waited_for(cluster: Cluster) -> None:
    """TRYAGAIN, which a script gets whose keys are at both nodes, is tried again; for too long, it is an outage."""
    client = connect(cluster.url)
    games, hasty = open_games(client), open_games(client, seconds=0.1)
    chance = Random(4)
    name = name_in(games, "{s03}", chance)
    mover = Mover(cluster, "{s03}")
    acks = [ack_of(games.create(new_game(name)))]
    old = mover.owner()
    new = cluster.nodes[(cluster.nodes.index(old) + 1) % 3]
    mover.begin(old, new)
    with old.client() as left:
        left.execute_command("MIGRATE", "127.0.0.1", new.port, games.store.stream(name), 0, 5000)
    for request in (
        lambda: hasty.load(name),
        lambda: hasty.handle(name, any_act(games.load_cached(name).game, chance)),
    ):
        with pytest.raises(StoreUnavailable):
            request()
    late = Thread(target=lambda: (mover.carry(old, new), mover.end(new)))
    late.start()
    acks.append(ack_of(games.handle(name, any_act(games.load_cached(name).game, chance))))
    late.join()
    check_log(games.store, name, acks)


@pytest.mark.nightly
@pytest.mark.slow
def test_games_go_on_while_their_slots_are_moved(cluster: Cluster) -> None:
    """No request fails, and nothing is lost or doubled, while slots move under eight games again and again.

    Key by key, and as Valkey 9 does it, all keys of a slot at one moment.
    """
    logs = [open_games(connect(cluster.url), seconds=patience(5)) for _ in range(2)]
    names = [f"moving-{number}" for number in range(8)]
    told: dict[str, list[Ack]] = {name: [ack_of(logs[0].create(new_game(name)))] for name in names}
    stop = Event()
    errors: list[Exception] = []

    def play(name: str, games: GameLog) -> None:
        chance = Random(name)
        try:
            while not stop.is_set() and not (now := games.load(name).game).over:
                command = any_act(now, chance) if now.scoring is None else CompleteScoring(round=now.scoring)
                told[name].append(ack_of(games.handle(name, command)))
        except Exception as error:  # noqa: BLE001 - the test raises it
            errors.append(error)

    threads = [Thread(target=play, args=(name, logs[number % 2])) for number, name in enumerate(names)]
    for thread in threads:
        thread.start()
    for turn in range(12):
        mover = Mover(cluster, f"{{s{turn % 4:02d}}}")
        mover.move() if turn % 3 else mover.move_at_once()
    stop.set()
    for thread in threads:
        thread.join()
    assert errors == []
    for name in names:
        check_log(logs[0].store, name, told[name])
