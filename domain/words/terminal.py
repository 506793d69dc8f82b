"""Words of the terminal alone: the keys of `reibach replay --step`, and the signs on its table and score sheet."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

HIDDEN: Final = "?"
BUSINESSMAKER: Final = "\u25af"
"""Before a businessmaker's letters: a card face down."""
ON_TURN: Final = ">"
MARK: Final = "*"
"""Of a winner, and of an amount that a risk card has doubled."""
SIGNS: Final = (BUSINESSMAKER, BUSINESSMAKER + HIDDEN, "2x", ON_TURN, MARK)
"""What a legend explains; a risk card has other letters in some languages."""


@dataclass(frozen=True, slots=True)
class TerminalWords:
    """What the terminal needs besides the words of the table."""

    keys: tuple[str, ...]
    """A hint for each key, the ones that matter most first: where there is no room the last ones are left out."""
    signs: tuple[str, str, str, str, str]
    """What each of SIGNS means."""


TERMINAL: Final[Mapping[str, TerminalWords]] = {
    "en": TerminalWords(
        keys=(
            "←→ step",
            "q quit",
            "s sheet",
            "?",
            "n scoring",
            "Pg↑↓ turn",
            "Home End",
        ),
        signs=(
            "businessmaker of the row before it",
            "hidden businessmaker",
            "row closed by a risk card: doubled",
            "whose turn it is",
            "winner; behind an amount: doubled",
        ),
    ),
    "de": TerminalWords(
        keys=(
            "←→ blättern",
            "q Ende",
            "s Blatt",
            "?",
            "n Wertung",
            "Bild↑↓ Zug",
            "Pos1 Ende",
        ),
        signs=(
            "Geschäftemacher der Reihe davor",
            "verdeckter Geschäftemacher",
            "Reihe mit Risiko-Karte geschlossen: verdoppelt",
            "wer an der Reihe ist",
            "Sieg; hinter einem Betrag: verdoppelt",
        ),
    ),
    "nl": TerminalWords(
        keys=(
            "←→ bladeren",
            "q stop",
            "s blad",
            "?",
            "n bepaling",
            "Pg↑↓ beurt",
            "Home End",
        ),
        signs=(
            "spelmaker van de rij ervoor",
            "verborgen spelmaker",
            "rij met risicokaart afgesloten: verdubbeld",
            "wie aan de beurt is",
            "winnaar; achter een bedrag: verdubbeld",
        ),
    ),
    "fr": TerminalWords(
        keys=(
            "←→ parcourir",
            "q quitter",
            "s feuille",
            "?",
            "n décompte",
            "Pg↑↓ tour",
            "Début Fin",
        ),
        signs=(
            "carte réceptrice de la suite qui précède",
            "carte réceptrice cachée",
            "suite fermée par une carte risque\u00a0: double",
            "à qui de jouer",
            "gagnant\u202f; après un montant\u00a0: doublé",
        ),
    ),
}
"""By language."""
