"""French."""

from typing import Final

from service.web.words.fr.check import CHECK
from service.web.words.fr.common import COMMON
from service.web.words.fr.lobby import GAMES, LOBBY
from service.web.words.fr.menu import CLOCK, MENU, NOTICES, ORDERS, SEAT
from service.web.words.fr.post import POST
from service.web.words.fr.replay import REPLAY
from service.web.words.fr.rules import RULES
from service.web.words.fr.start import NEW_GAME, START
from service.web.words.fr.table import TABLE
from service.web.words.fr.turn import KEYS, MESSAGES, SCORING, TURN
from service.web.words.shape import PageWords

FRENCH: Final = PageWords(
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
