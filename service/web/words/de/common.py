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
    table="Tisch",
    loading="Wird geladen …",
    needs_script="Diese Seite braucht JavaScript. Tische und Mails zeigen ihr Spiel auch ohne.",
    plain_table="Den Tisch ohne JavaScript zeigen",
    plain_hint=(
        "Ohne JavaScript siehst du den Tisch als Text und spielst mit Knöpfen: Füge dort den Token "
        "deines Platzes ein, der in deinem Link hinter „token=“ steht. Du kannst auch per Mail spielen, "
        "oder mit einem eigenen Programm."
    ),
    offline="Der Server ist gerade nicht zu erreichen.",
    unavailable="Der Server kann gerade nicht antworten.",
    too_many="Zu viele Anfragen auf einmal.",
    again_hint="Lade die Seite in ein paar Sekunden neu.",
    open_seat="freier Platz",
    damaged_link="Dieser Link ist beschädigt oder unvollständig: Lass ihn dir noch einmal geben.",
    void_link="Dieser Link zu einem Platz gilt nicht, oder nicht mehr: Lass ihn dir noch einmal geben.",
    void_seat="Der Link zu deinem Platz gilt nicht mehr; du schaust zu.",
    no_page="Diese Seite gibt es nicht.",
    no_page_hint="Vielleicht ist ein Zeichen der Adresse verloren gegangen. Hier geht es weiter:",
)
