"""A seat that holds a live stream open, as the web process says it."""

from service.connections.clients import Client
from service.post.presence import Presence
from tests.gamelog.ledger import new_game, open_games
from tests.support.world import Process


def test_streams_are_marked_while_they_are_open(real_client: Client) -> None:
    """Those of each seat, until the last one ends, and nothing of a spectator's; a mark ends by itself."""
    process = Process(games := open_games(real_client))
    games.create(new_game("g", 3))
    presence, store = Presence(games.store), games.store

    def watch(seat: int) -> list[bool]:
        token = process.services.tokens.issue("g", seat)
        headers = {"Authorization": f"Bearer {token}", "Accept": "text/event-stream"}
        streams = [process.http.get("/v1/games/g/events", headers=headers, buffered=False) for _ in range(2)]
        assert {stream.status_code for stream in streams} == {200}
        assert 0 < store.client.pttl(store.watching("g", seat)) <= 30_000
        seen = [presence.is_watching("g", seat), presence.is_watching("g", 2)]
        for stream in streams:
            stream.close()
            seen.append(presence.is_watching("g", seat))
        return seen

    assert watch(0) == watch(1) == [True, False, True, False]
    process.http.get("/v1/games/g/events", headers={"Accept": "text/event-stream"}, buffered=False).close()
    assert not list(store.client.scan_iter(match="*watching*"))
