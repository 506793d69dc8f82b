"""What all pages say, in German."""

from typing import Final

from service.web.words.shape.common import CommonWords

COMMON: Final = CommonWords(
    skip="Zum Inhalt",
    menu="Menü",
    navigation="Seiten",
    languages="Sprache",
    new_game="Neues Spiel",
    lobby="Offene Spiele",
    games="Meine Spiele",
    rules="Regeln",
    by_post="Spiel per Post",
    api="Für Programme",
    loading="Wird geladen …",
    needs_script="Diese Seite braucht JavaScript. Tische und Mails zeigen ihr Spiel auch ohne.",
    plain_table="Den Tisch ohne JavaScript zeigen",
    offline="Der Server ist gerade nicht zu erreichen.",
    unavailable="Der Server kann gerade nicht antworten.",
    open_seat="freier Platz",
)
