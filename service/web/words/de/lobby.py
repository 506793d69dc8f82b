"""The list of open games, and the list of one's own, in German."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.lobby import GamesWords, LobbyWords

LOBBY: Final = LobbyWords(
    title="Offene Spiele",
    lead="Diese Spiele sind für alle zu sehen.",
    join="Mitspielen",
    your_name="Dein Name",
    waiting="Suchen Mitspieler",
    running="Laufen gerade",
    none_waiting="Gerade sucht kein Spiel Mitspieler.",
    none_running="Gerade läuft kein offenes Spiel.",
    watch="Zuschauen",
    open_seats=Plural(one="{n} freier Platz", other="{n} freie Plätze"),
    changed="zuletzt {time}",
    more="Weitere zeigen",
)
GAMES: Final = GamesWords(
    title="Meine Spiele",
    lead="Dieser Browser merkt sich deine Plätze. Auf einem anderen Gerät öffnest du deinen Link.",
    none="In diesem Browser gibt es noch keine Spiele.",
    own_turn="Du bist an der Reihe",
    others="Andere sind an der Reihe",
    unreachable="Gerade nicht zu laden",
    finished="Beendet",
    void="Nicht mehr zu öffnen",
    players="mit {names}",
    remove="Entfernen",
    remove_question="Der Link zu deinem Platz ist dann aus diesem Browser weg.",
    remove_yes="Ja, entfernen",
    remove_no="Behalten",
)
