"""The list of open games, and the list of one's own, in Dutch."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.lobby import GamesWords, LobbyWords

LOBBY: Final = LobbyWords(
    title="Open spellen",
    lead="Iedereen kan deze spellen zien.",
    join="Meespelen",
    your_name="Je naam",
    waiting="Zoeken medespelers",
    running="Worden gespeeld",
    none_waiting="Op dit moment zoekt geen spel medespelers.",
    none_running="Op dit moment wordt geen open spel gespeeld.",
    watch="Meekijken",
    open_seats=Plural(one="{n} vrije plaats", other="{n} vrije plaatsen"),
    changed="laatste zet {time}",
    more="Meer tonen",
)
GAMES: Final = GamesWords(
    title="Mijn spellen",
    lead="Deze browser onthoudt je plaatsen. Op een ander apparaat open je je link.",
    none="In deze browser zijn nog geen spellen.",
    own_turn="Jij bent aan de beurt",
    others="Anderen zijn aan de beurt",
    unreachable="Nu niet te laden",
    finished="Afgelopen",
    void="Niet meer te openen",
    players="met {names}",
    remove="Verwijderen",
    remove_question="De link naar je plaats is dan weg uit deze browser.",
    remove_yes="Ja, verwijderen",
    remove_no="Behouden",
)
