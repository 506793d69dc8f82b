"""The job that plays a bot's turn."""

from functools import partial
from operator import eq

import structlog

from domain.bots import choose_action
from domain.commands import Act
from service.bootstrap import Services
from service.gamelog.errors import StaleVersion
from workers.counts import COUNTS, count_outcome

logger = structlog.get_logger("workers.bots")


def play_turn(services: Services, game: str) -> None:
    """Play the current turn, action by action, if it is a bot's; stop if another worker plays it already."""
    games = services.games
    loaded = games.load(game)
    turn, has_played = loaded.game.turn, False
    while loaded.game.status == "playing" and loaded.game.turn == turn:
        version, seat = loaded.game.version, loaded.game.turn_seat
        bot = loaded.game.seats[seat].bot
        if bot is None:
            return
        action = choose_action(bot, loaded.game, services.outside.chance)
        try:
            outcome = games.handle(game, Act(seat=seat, actions=(action,)), matches=partial(eq, version))
        except StaleVersion:
            now = games.load(game)
            # Every action costs action points: with as many left in the same turn, only messages have come in between.
            if (now.game.turn, now.game.action_points) != (turn, loaded.game.action_points):
                logger.info("another worker plays this bot's turn", game=game)
                return
            loaded = now
            continue
        loaded = count_outcome(outcome).loaded
        if not has_played:
            COUNTS.add("reibach_bot_turns")
        has_played = True
