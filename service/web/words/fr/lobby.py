"""The list of open games, and the list of one's own, in French."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.lobby import GamesWords, LobbyWords

LOBBY: Final = LobbyWords(
    title="Parties ouvertes",
    lead="Tout le monde peut voir ces parties.",
    join="Jouer",
    your_name="Ton nom",
    waiting="En attente de joueurs",
    running="En cours",
    none_waiting="Aucune partie ne cherche de joueurs en ce moment.",
    none_running="Aucune partie ouverte n’est en cours.",
    watch="Regarder",
    open_seats=Plural(one="{n} place libre", other="{n} places libres"),
    changed="dernier coup {time}",
    more="Afficher plus",
)
GAMES: Final = GamesWords(
    title="Mes parties",
    lead="Ce navigateur se souvient de tes places. Sur un autre appareil, ouvre ton lien.",
    none="Il n’y a pas encore de partie dans ce navigateur.",
    own_turn="C’est ton tour",
    others="Au tour des autres",
    unreachable="Impossibles à charger pour l’instant",
    finished="Finies",
    void="Impossibles à ouvrir",
    players="avec {names}",
    remove="Retirer",
    remove_question="Le lien vers ta place disparaît alors de ce navigateur.",
    remove_yes="Oui, retirer",
    remove_no="Garder",
)
