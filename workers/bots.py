"""Plays a bot's turn, or that of a person for whom a bot plays."""

from functools import partial
from operator import eq

import structlog

from domain.bots import choose_actions
from domain.clock.deadline import player_of
from domain.commands import Act
from domain.events import EventRecord
from domain.state import Game
from service.bootstrap import Services
from service.gamelog.cache import LoadedGame
from service.gamelog.store.errors import StaleVersion
from workers.counts import COUNTS, count_outcome
from workers.orders import play_orders

logger = structlog.get_logger("workers.bots")


def play_turn(services: Services, game: str) -> None:
    """Play the current turn while a bot plays it, in as few appends as it can be chosen in.

    Where this process knows that a bot is to play, the game isn't read: an append to another state is refused. Stops if
    another worker plays the turn already.
    """
    loaded = services.games.load_cached(game)
    if not plays_bot(loaded.game) or not _play(services, loaded, is_read=False):
        _play(services, services.games.load(game), is_read=True)


def plays_bot(game: Game) -> bool:
    return game.status == "playing" and player_of(game) is not None


def _play(services: Services, loaded: LoadedGame, *, is_read: bool) -> bool:
    """Play the turn; False if the game is in another one, and nothing was played. `is_read`: whether just now."""
    games, game, turn, has_played = services.games, loaded.game.id, loaded.game.turn, False
    if loaded.game.timed_out and plays_bot(loaded.game):
        play_orders(services, game, turn)  # the person's own orders come first
        loaded, is_read = games.load(game), True
    known: list[EventRecord] = []

    def history() -> list[EventRecord]:
        """Events up to the game's present version; one read, of those that are new."""
        known.extend(games.load_events(game, len(known))[1])
        return known[: loaded.game.version]

    while plays_bot(loaded.game) and loaded.game.turn == turn:
        version, seat, bot = loaded.game.version, loaded.game.turn_seat, player_of(loaded.game)
        assert bot is not None
        actions = choose_actions(bot, loaded.game, services.outside.chance, history)
        try:
            outcome = games.handle(game, Act(seat=seat, actions=actions, by_bot=True), matches=partial(eq, version))
        except StaleVersion:
            now = games.load(game)
            # Every action costs action points: with as many left in the same turn, no seat has acted since it was read.
            if is_read and (now.game.turn, now.game.action_points) != (turn, loaded.game.action_points):
                logger.info("another worker plays this bot's turn", game=game)
                return True
            if now.game.turn != turn:
                return False
            loaded, is_read = now, True
            continue
        loaded, is_read = count_outcome(outcome).loaded, True
        if not has_played:
            COUNTS.add("reibach_bot_turns")
        has_played = True
    return True
