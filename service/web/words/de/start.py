"""The start page, in German."""

from typing import Final

from service.web.words.shape.start import NewGameWords, StartWords

START: Final = StartWords(
    title="Reibach & Co. im Browser",
    what=(
        "Zwei bis fünf Spieler bauen Reihen in zehn Geschäften, und nur die längsten bringen Geld.",
        "Jeder Zug hat drei Aktionspunkte: eine offene Karte nehmen, blind ziehen oder Karten an eigene Reihen legen.",
        (
            "Dreimal im Spiel wird gewertet, sobald die vierte, siebte und zehnte Reibach-Karte auftaucht, "
            "und niemand weiß, wann das ist."
        ),
    ),
    demo="Probespiel gegen Bots",
    demo_hint="Ein Klick, keine Anmeldung.",
    guest="Gast",
)
NEW_GAME: Final = NewGameWords(
    title="Neues Spiel",
    players="Wer spielt mit?",
    seat="Platz {number}",
    kind="Wer sitzt auf Platz {number}?",
    person="Mitspieler mit Link",
    open="Freier Platz",
    bots={
        "greedy": "Bot: greedy (solide)",
        "shark": "Bot: shark (stark)",
        "random": "Bot: random (zufällig)",
    },
    name="Name auf Platz {number}",
    your_name="Dein Name",
    add="Platz hinzufügen",
    remove="Platz {number} entfernen",
    pace="Wie schnell?",
    pace_none="Ohne Frist",
    pace_day="1 Tag je Zug",
    pace_three_days="3 Tage je Zug",
    pace_own="Eigene Frist",
    turn_time="Zeit je Zug",
    unit="Einheit",
    minutes="Minuten",
    hours="Stunden",
    days="Tage",
    reminder="Erinnern, wenn ein Drittel der Zeit übrig ist",
    on_timeout="Wenn die Zeit um ist",
    on_timeout_bot="spielt ein Bot weiter",
    on_timeout_wait="wird weiter gewartet",
    more="Varianten, Startspieler, Sichtbarkeit",
    starts="Wer beginnt?",
    starts_random="Der Zufall entscheidet",
    listed="Unter „Offene Spiele“ zeigen",
    listed_hint="Dann können alle zuschauen und freie Plätze einnehmen.",
    create="Spiel eröffnen",
    created="Das Spiel ist eröffnet",
    created_hint="Jeder Link gehört zu einem Platz: Wer ihn hat, spielt dort. Schick ihn nur der Person, für die "
    "er ist. Bis jeder am Zug war, stehen die Links auch im Menü des Tischs, unter „Mein Platz und sein Link“.",
    link_of="Link für {name}",
    open_link="Link für freie Plätze",
    copy="Kopieren",
    copied="Kopiert",
    share="Teilen",
    mail="Mailen",
    mail_subject="Reibach & Co.: ein Platz für {name}",
    mail_subject_open="Reibach & Co.: ein Platz ist frei",
    mail_text="Hier spielst du mit: {link}",
    to_table="Zum Tisch",
)
