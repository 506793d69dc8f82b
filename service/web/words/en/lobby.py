"""The list of open games, and the list of one's own, in English."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.lobby import GamesWords, LobbyWords

LOBBY: Final = LobbyWords(
    title="Open games",
    lead="Everybody can see these games.",
    join="Join",
    your_name="Your name",
    waiting="Waiting for players",
    running="Being played",
    none_waiting="No game waits for players right now.",
    none_running="No open game is being played right now.",
    watch="Watch",
    open_seats=Plural(one="{n} open seat", other="{n} open seats"),
    changed="last move {time}",
    more="Show more",
)
GAMES: Final = GamesWords(
    title="My games",
    lead="This browser remembers your seats. On another device, open your link.",
    none="There are no games in this browser yet.",
    own_turn="Your turn",
    others="Others’ turn",
    unreachable="Can’t be loaded right now",
    finished="Finished",
    void="Can’t be opened any more",
    players="with {names}",
    remove="Remove",
    remove_question="The link to your seat is gone from this browser then.",
    remove_yes="Yes, remove",
    remove_no="Keep",
)
