"""English."""

from typing import Final

from service.web.words.en.check import CHECK
from service.web.words.en.common import COMMON
from service.web.words.en.lobby import GAMES, LOBBY
from service.web.words.en.menu import CLOCK, MENU, NOTICES, ORDERS, SEAT
from service.web.words.en.post import POST
from service.web.words.en.replay import REPLAY
from service.web.words.en.rules import RULES
from service.web.words.en.start import NEW_GAME, START
from service.web.words.en.table import TABLE
from service.web.words.en.turn import KEYS, MESSAGES, SCORING, TURN
from service.web.words.shape import PageWords

ENGLISH: Final = PageWords(
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
