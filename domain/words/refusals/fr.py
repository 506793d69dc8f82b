"""Refusals in French."""

from collections.abc import Mapping
from typing import Final

FRENCH: Final[Mapping[str, str]] = {
    "game-not-started": "La partie commence dès que toutes les places sont prises.",
    "game-not-started.seat": "Cette place est encore libre.",
    "game-over.won": "La partie est terminée. Vainqueur\u00a0: {winners}.",
    "game-over.shared": "La partie est terminée. Vainqueurs\u00a0: {winners}.",
    "game-over.version": "À la version {version}, la partie est terminée.",
    "scoring-in-progress": "Le décompte {round} est en cours de calcul. Réessayez dans un instant.",
    "not-your-turn": "C'est à {name} de jouer (place {seat}).",
    "not-enough-action-points": "Cela coûte {cost}\u202f; il ne vous en reste que {left}.",
    "card-not-in-hand": "«\u00a0{card}\u00a0» n'est pas dans votre main.",
    "no-such-row.none": "Vous n'avez pas encore de suite\u00a0: posez d'abord une carte réceptrice.",
    "no-such-row.one": "Vous n'avez pas de suite {row}, seulement la suite 0.",
    "no-such-row.several": "Vous n'avez pas de suite {row}, seulement les suites 0 à {last}.",
    "row-closed": "Une carte risque a fermé la suite {row}.",
    "row-needs-business-first": "La première carte de la suite {row} doit être une carte affaire.",
    "wrong-business": "La suite {row} accepte {business}, les cartes multi-affaires et les cartes risque, pas {card}.",
    "business-already-has-row.open": "Vous avez déjà une suite {card} (suite {row}).",
    "business-already-has-row.closed": "Vous avez déjà une suite {card} (suite {row}), fermée par une carte risque.",
    "too-many-businessmakers": "Vous avez posé {rows} cartes réceptrices, le maximum.",
    "no-open-seat": "Toutes les places de cette partie sont prises.",
}
