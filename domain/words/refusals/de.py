"""Refusals in German."""

from collections.abc import Mapping
from typing import Final

GERMAN: Final[Mapping[str, str]] = {
    "game-not-started": "Das Spiel beginnt, sobald alle Plätze besetzt sind.",
    "game-not-started.seat": "Dieser Platz ist noch frei.",
    "game-over.won": "Das Spiel ist aus. Gewonnen hat: {winners}.",
    "game-over.shared": "Das Spiel ist aus. Gewonnen haben: {winners}.",
    "game-over.version": "Bei Version {version} ist das Spiel aus.",
    "scoring-in-progress": "Wertung {round} wird gerade berechnet. Bitte gleich noch einmal versuchen.",
    "not-your-turn": "{name} ist an der Reihe (Platz {seat}).",
    "not-enough-action-points": "Das kostet {cost}; du hast nur noch {left}.",
    "card-not-in-hand": "„{card}“ ist nicht auf deiner Hand.",
    "no-such-row.none": "Du hast noch keine Reihe: Lege zuerst einen Geschäftemacher.",
    "no-such-row.one": "Du hast keine Reihe {row}, nur Reihe 0.",
    "no-such-row.several": "Du hast keine Reihe {row}, nur die Reihen 0 bis {last}.",
    "row-closed": "Eine Risiko-Karte hat Reihe {row} geschlossen.",
    "row-needs-business-first": "Die erste Karte von Reihe {row} muss eine Business-Karte sein.",
    "wrong-business": "Reihe {row} nimmt {business}, Multitalente und Risiko-Karten, nicht {card}.",
    "business-already-has-row.open": "Du hast schon eine Reihe {card} (Reihe {row}).",
    "business-already-has-row.closed": "Du hast schon eine Reihe {card} (Reihe {row}), mit Risiko-Karte geschlossen.",
    "too-many-businessmakers": "Du hast {rows} Geschäftemacher gelegt; mehr sind nicht erlaubt.",
    "no-open-seat": "Alle Plätze dieses Spiels sind besetzt.",
}
