"""The job that plays a bot's turn."""

from functools import partial
from operator import eq
from random import SystemRandom

import structlog

from domain.bots import ask
from domain.commands import Act
from service.gamelog.log import StaleVersion
from workers.context import opened

log = structlog.get_logger("workers.bots")
_chance = SystemRandom()


def play_turn(game: str) -> None:
    """Play the turn that is on, action by action, if it is a bot's; stop where somebody else plays it already."""
    games = opened().games
    warm = games.load(game)
    number = warm.game.turn
    while warm.game.status == "playing" and warm.game.turn == number:
        version, seat = warm.game.version, warm.game.turn_seat
        bot = warm.game.seats[seat].bot
        if bot is None:
            return
        action = ask(bot, warm.game, _chance)
        try:
            outcome = games.handle(game, Act(seat=seat, actions=(action,)), matches=partial(eq, version))
        except StaleVersion:
            now = games.load(game)
            # Every action costs action points: with as many left in this turn, nobody has done more than talk.
            if (now.game.turn, now.game.action_points) != (number, warm.game.action_points):
                log.info("a bot's turn is played elsewhere", game=game)
                return
            warm = now
            continue
        warm = outcome.warm
