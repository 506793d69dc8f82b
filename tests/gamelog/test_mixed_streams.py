"""A stream that is another branch of its game, as where files or keys of two stores were mixed: it is refused."""

import pytest

from domain.commands import PostMessage
from service.connections.clients import Client
from service.gamelog.log import GameLog
from service.gamelog.store.errors import CorruptLog
from tests.gamelog.copies import OlderCopy
from tests.gamelog.ledger import ack_of, check_log, new_game, open_games
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE
NAME = "g"
PLAYED = 3
"""Entries of the branch that was acknowledged."""


def say(games: GameLog, text: str) -> None:
    games.handle(NAME, PostMessage(seat=0, text=text))


class Mixed:
    """A game of which a process knows one branch, while its stream is that of another one."""

    def __init__(self, client: Client, entries: int) -> None:
        self._client = client
        self.games = open_games(client)
        self.games.create(new_game(NAME))
        copy, other = OlderCopy(client), open_games(client)
        for number in range(entries):
            say(other, f"other {number}")
        self.stream = self.games.store.stream(NAME)
        self.forked = client.dump(self.stream)
        copy.restore()
        for number in range(PLAYED):
            say(self.games, f"own {number}")
        self.head, self._good = self.games.load(NAME), client.dump(self.stream)
        client.restore(self.stream, 0, self.forked, replace=True)

    def put_back(self) -> None:
        self._client.restore(self.stream, 0, self._good, replace=True)


@pytest.mark.parametrize("entries", [PLAYED - 1, PLAYED, PLAYED + 1])
def test_a_process_that_does_not_know_the_game_serves_nothing(real_client: Client, entries: int) -> None:
    """And it remembers nothing: when the stream is as it was, so is the game."""
    mixed, games = Mixed(real_client, entries), open_games(real_client)
    for read in (games.load, games.load_history):
        with pytest.raises(CorruptLog):
            read(NAME)
    with pytest.raises(CorruptLog):
        say(games, "more")
    mixed.put_back()
    assert games.load(NAME) == mixed.head


@pytest.mark.parametrize("entries", [PLAYED - 1, PLAYED, PLAYED + 1])
def test_a_process_that_knows_the_game_appends_nothing(real_client: Client, entries: int) -> None:
    """Nothing that is acknowledged may follow another branch; then it serves nothing of the game either."""
    mixed = Mixed(real_client, entries)
    with pytest.raises(CorruptLog):
        say(mixed.games, "more")
    assert real_client.dump(mixed.stream) == mixed.forked
    with pytest.raises(CorruptLog):
        mixed.games.load(NAME)
    mixed.put_back()
    assert mixed.games.load(NAME) == mixed.head
    last = ack_of(mixed.games.handle(NAME, PostMessage(seat=1, text="more")))
    check_log(mixed.games.store, NAME, [last])
