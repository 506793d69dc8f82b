"""The heartbeat of the post process."""

from types import SimpleNamespace

import pytest

import workers.post.process
from service.connections.clients import Client
from service.gamelog.cache import LoadedGame
from service.gamelog.reader import GameReader
from service.gamelog.store.health.heartbeat import POST
from tests.gamelog.ledger import open_games
from tests.post.processes import World, wish
from tests.support.world import new_services
from workers.post.process import FeedTask


def test_it_is_sent_while_lines_come_without_end(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """A busy service would say otherwise that it sends no notices."""
    now, beats = [100.0], []

    class Endless:
        """Has more lines than a pass deals with, until it has been asked four times, every 0.6 seconds."""

        def follow(self, _beat: object) -> int:
            beats.append(real_client.delete(POST))
            now[0] += 0.6
            return 100 if len(beats) < 4 else 7

    monkeypatch.setattr("workers.post.process.time", SimpleNamespace(monotonic=lambda: now[0]))
    task = FeedTask(new_services(open_games(real_client)), Endless())  # type: ignore[arg-type]
    assert task.run_once() == 307
    assert beats == [1, 0, 1, 0]


def test_a_process_that_reads_the_feed_anew_is_alive(real_client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    """It beats between games: a rebuild takes as long as there are games."""
    world, beats, loaded = World(real_client), [], []
    for name in ("a", "b", "c"):
        world.create(name)
        world.subscriptions.save(name, 0, wish())
    world.lose_feed()
    services = new_services(world.games, world.settings, deployment=world.deployment)
    task, load = FeedTask(services, world.process.follower), GameReader.load

    def load_and_count(games: GameReader, name: str) -> LoadedGame:
        loaded.append(len(beats))
        return load(games, name)

    monkeypatch.setattr(GameReader, "load", load_and_count)
    monkeypatch.setattr(workers.post.process, "_HEARTBEAT_S", -1.0)
    monkeypatch.setattr(workers.post.process, "send_heartbeat", lambda _store, key: beats.append(key))
    assert task.run_once() == 3
    assert set(beats) == {POST}
    assert len(loaded) == len(set(loaded)) == 3
