"""The table of a game, in German."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.table import TableWords

TABLE: Final = TableWords(
    display="Offene Karten",
    own_rows="Deine Reihen",
    hand="Deine Hand",
    rivals="Mitspieler",
    face_down="verdeckte Karte",
    row_name="Reihe {number}: {business}",
    row_without_business="noch ohne Geschäft",
    length=Plural(one="Länge {n}", other="Länge {n}"),
    doubled="doppelter Reibach",
    closed="abgeschlossen",
    shown_businessmaker="Geschäftemacher: {card}",
    no_rows="Noch keine Reihen.",
    empty_hand="Keine Karten.",
    track="Reibach-Karten: {revealed} aufgedeckt, nächste Wertung bei {next}",
    track_full="Reibach-Karten: {revealed} aufgedeckt, alle Wertungen vorbei",
    pile=Plural(one="Aufnahmestapel: {n} Karte", other="Aufnahmestapel: {n} Karten"),
    hand_size=Plural(one="{n} Karte", other="{n} Karten"),
    your_turn="Du bist an der Reihe",
    their_turn="An der Reihe: {name}",
    points_left=Plural(one="noch {n} Aktionspunkt", other="noch {n} Aktionspunkte"),
    waits_for_players="Das Spiel wartet auf Mitspieler",
    scoring="Wertung läuft",
    over="Das Spiel ist aus",
    won=Plural(one="{names} gewinnt", other="{names} teilen sich den Sieg"),
    abandoned="abwesend, ein Bot spielt",
    resigned="aufgegeben, ein Bot spielt",
    play_as="Als {name} spielen",
    other_seat="anderer Platz",
    recap_own="Seit deiner letzten Aktion",
    recap_all="Zuletzt",
    recap_none="Seitdem ist nichts passiert.",
    cost=Plural(one="{n} Punkt", other="{n} Punkte"),
    connection_lost="Keine Verbindung, neuer Versuch läuft …",
    time_left="noch {time}",
    paused="Pause",
    on_vacation="im Urlaub, zurück {time}",
    bank="Zeitkonto: {time}",
    new_row="neue Reihe",
)
