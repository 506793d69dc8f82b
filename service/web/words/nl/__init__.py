"""Dutch."""

from typing import Final

from service.web.words.nl.check import CHECK
from service.web.words.nl.common import COMMON
from service.web.words.nl.lobby import GAMES, LOBBY
from service.web.words.nl.menu import CLOCK, MENU, NOTICES, ORDERS, SEAT
from service.web.words.nl.post import POST
from service.web.words.nl.replay import REPLAY
from service.web.words.nl.rules import RULES
from service.web.words.nl.start import NEW_GAME, START
from service.web.words.nl.table import TABLE
from service.web.words.nl.turn import KEYS, MESSAGES, SCORING, TURN
from service.web.words.shape import PageWords

DUTCH: Final = PageWords(
    common=COMMON,
    start=START,
    new_game=NEW_GAME,
    lobby=LOBBY,
    games=GAMES,
    table=TABLE,
    replay=REPLAY,
    rules=RULES,
    turn=TURN,
    keys=KEYS,
    scoring=SCORING,
    messages=MESSAGES,
    menu=MENU,
    seat=SEAT,
    notices=NOTICES,
    orders=ORDERS,
    clock=CLOCK,
    check=CHECK,
    post=POST,
)
