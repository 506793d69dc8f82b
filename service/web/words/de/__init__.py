"""German."""

from typing import Final

from service.web.words.de.check import CHECK
from service.web.words.de.common import COMMON
from service.web.words.de.lobby import GAMES, LOBBY
from service.web.words.de.menu import CLOCK, MENU, NOTICES, ORDERS, SEAT
from service.web.words.de.post import POST
from service.web.words.de.replay import REPLAY
from service.web.words.de.rules import RULES
from service.web.words.de.start import NEW_GAME, START
from service.web.words.de.table import TABLE
from service.web.words.de.turn import KEYS, MESSAGES, SCORING, TURN
from service.web.words.shape import PageWords

GERMAN: Final = PageWords(
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
