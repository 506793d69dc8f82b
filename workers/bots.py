"""The job that plays a bot's turn, or that of a person for whom a bot plays."""

from functools import partial
from operator import eq

import structlog

from domain.bots import choose_actions
from domain.clock.deadline import player_of
from domain.commands import Act
from domain.events import EventRecord
from service.bootstrap import Services
from service.gamelog.store.errors import StaleVersion
from workers.counts import COUNTS, count_outcome
from workers.orders import play_orders

logger = structlog.get_logger("workers.bots")


def play_turn(services: Services, game: str, number: int = 0) -> None:
    """Play the current turn while a bot plays it, in as few appends as it can be chosen in.

    `number`: the turn for which the job was enqueued. Where this process knows the game in that turn it isn't read: an
    append to another state is refused. Stops if another worker plays the turn already.
    """
    games = services.games
    loaded, is_read = games.load_cached(game), False
    if loaded.game.turn != number or loaded.game.status != "playing" or player_of(loaded.game) is None:
        loaded, is_read = games.load(game), True
    turn, has_played = loaded.game.turn, False
    if loaded.game.timed_out and player_of(loaded.game) is not None:
        play_orders(services, game, turn)  # the person's own orders come first
        loaded, is_read = games.load(game), True
    known: list[EventRecord] = []

    def history() -> list[EventRecord]:
        """Events up to the game's present version; one read, of those that are new."""
        known.extend(games.load_events(game, len(known))[1])
        return known[: loaded.game.version]

    while loaded.game.status == "playing" and loaded.game.turn == turn:
        version, seat = loaded.game.version, loaded.game.turn_seat
        bot = player_of(loaded.game)
        if bot is None:
            return
        actions = choose_actions(bot, loaded.game, services.outside.chance, history)
        try:
            outcome = games.handle(game, Act(seat=seat, actions=actions, by_bot=True), matches=partial(eq, version))
        except StaleVersion:
            now = games.load(game)
            # Every action costs action points: with as many left in the same turn, no seat has acted since it was read.
            if is_read and (now.game.turn, now.game.action_points) != (turn, loaded.game.action_points):
                logger.info("another worker plays this bot's turn", game=game)
                return
            loaded, is_read = now, True
            continue
        loaded, is_read = count_outcome(outcome).loaded, True
        if not has_played:
            COUNTS.add("reibach_bot_turns")
        has_played = True
