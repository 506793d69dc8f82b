"""Refusals in Dutch."""

from collections.abc import Mapping
from typing import Final

DUTCH: Final[Mapping[str, str]] = {
    "game-not-started": "Het spel begint zodra alle plaatsen bezet zijn.",
    "game-not-started.seat": "Deze plaats is nog vrij.",
    "game-over.won": "Het spel is afgelopen. Gewonnen heeft: {winners}.",
    "game-over.shared": "Het spel is afgelopen. Gewonnen hebben: {winners}.",
    "game-over.version": "Bij versie {version} is het spel afgelopen.",
    "scoring-in-progress": "Waardebepaling {round} wordt net berekend. Probeer het zo meteen nog eens.",
    "not-your-turn": "{name} is aan de beurt (plaats {seat}).",
    "not-enough-action-points": "Dit kost {cost}; je hebt er nog maar {left}.",
    "card-not-in-hand": "‘{card}’ zit niet in je hand.",  # noqa: RUF001 - Dutch quotation marks
    "no-such-row.none": "Je hebt nog geen rij: leg eerst een spelmaker.",
    "no-such-row.one": "Je hebt geen rij {row}, alleen rij 0.",
    "no-such-row.several": "Je hebt geen rij {row}, alleen de rijen 0 tot en met {last}.",
    "row-closed": "Een risicokaart heeft rij {row} afgesloten.",
    "row-needs-business-first": "De eerste kaart van rij {row} moet een businesskaart zijn.",
    "wrong-business": "Rij {row} neemt {business}, multitalent-kaarten en risicokaarten, niet {card}.",
    "business-already-has-row.open": "Je hebt al een rij {card} (rij {row}).",
    "business-already-has-row.closed": "Je hebt al een rij {card} (rij {row}), afgesloten door een risicokaart.",
    "too-many-businessmakers": "Je hebt {rows} spelmakers gelegd; meer mag niet.",
    "no-open-seat": "Alle plaatsen van dit spel zijn bezet.",
}
