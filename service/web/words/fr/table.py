"""The table of a game, in French."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.table import TableWords

TABLE: Final = TableWords(
    display="Cartes visibles",
    own_rows="Tes suites",
    hand="Ta main",
    rivals="Autres joueurs",
    face_down="carte cachée",
    row_name="Suite {number}\u00a0: {business}",
    row_without_business="encore sans affaire",
    length=Plural(one="longueur {n}", other="longueur {n}"),
    doubled="doublée",
    closed="fermée",
    shown_businessmaker="carte réceptrice\u00a0: {card}",
    no_rows="Pas encore de suite.",
    empty_hand="Aucune carte.",
    track="Cartes Reibach\u00a0: {revealed} révélées, prochain décompte à {next}",
    track_full="Cartes Reibach\u00a0: {revealed} révélées, plus de décompte",
    pile=Plural(one="Pioche\u00a0: {n} carte", other="Pioche\u00a0: {n} cartes"),
    hand_size=Plural(one="{n} carte", other="{n} cartes"),
    your_turn="C’est ton tour",
    their_turn="C’est à {name}",
    points_left=Plural(one="encore {n} point d’action", other="encore {n} points d’action"),
    waits_for_players="La partie attend des joueurs",
    scoring="Décompte en cours",
    over="La partie est finie",
    won=Plural(one="{names} gagne", other="{names} se partagent la victoire"),
    abandoned="en absence, un bot joue",
    resigned="abandon, un bot joue",
    play_as="Jouer comme {name}",
    other_seat="une autre place",
    recap_own="Depuis ta dernière action",
    recap_all="Dernièrement",
    recap_none="Rien ne s’est passé depuis.",
    cost=Plural(one="{n} point", other="{n} points"),
    connection_lost="Pas de connexion, nouvel essai…",
    time_left="encore {time}",
    paused="Pause",
    on_vacation="en vacances, retour {time}",
    bank="réserve de temps\u00a0: {time}",
    new_row="nouvelle suite",
)
