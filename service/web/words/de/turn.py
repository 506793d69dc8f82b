"""Playing, in German."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.turn import KeyWords, MessageWords, ScoringWords, TurnWords

TURN: Final = TurnWords(
    heading="Dein Zug bis jetzt",
    hint_pick="Wähle eine Handkarte, eine offene Karte oder den Stapel.",
    hint_target="{card}: Wähle eine Reihe.",
    step_append="{card} an Reihe {number}",
    step_lay="{card} als Geschäftemacher",
    earlier="Vorziehen: {step}",
    remove="Streichen: {step}",
    change_steps=Plural(
        one="{n} vorbereitete Aktion: zeigen und ändern", other="{n} vorbereitete Aktionen: zeigen und ändern"
    ),
    empty="Leeren",
    send=Plural(one="{n} Aktion senden", other="{n} Aktionen senden"),
    waiting="Warten auf {name}.",
    sending="Wird gesendet …",
    unsent="Noch nicht gesendet: keine Verbindung. Es geht weiter, sobald sie wieder da ist.",
    changed="Der Tisch hat sich inzwischen verändert: Es wurde nichts getan. Wähle neu.",
    retry="Jetzt versuchen",
    take_now="{card} nehmen",
    draw_now="Karte ziehen",
    with_before=Plural(
        one="Sendet zuerst die vorbereitete Aktion.", other="Sendet zuerst die {n} vorbereiteten Aktionen."
    ),
    back="Zurück",
    ask_not="Nicht mehr nachfragen",
    next_game="Weiter: dein Zug mit {names}",
)
KEYS: Final = KeyWords(
    title="Tastatur",
    take="die erste, zweite oder dritte offene Karte nehmen",
    draw="vom Stapel ziehen",
    move="durch Reihen, Hand und Zug gehen",
    choose="wählen, was markiert ist",
    escape="loslassen",
    empty="den Zug leeren",
    help="diese Hilfe zeigen",
    line="Tasten: 1 2 3 nehmen, d ziehen, Pfeile und Enter wählen, ⌫ leeren, ? alle Tasten.",
)
SCORING: Final = ScoringWords(
    title="Wertung {round}",
    rounds="Wertungen",
    no_round="Es gab noch keine Wertung.",
    reasons={
        "monopoly": "Monopol",
        "longest": "längste Reihe",
        "shared_longest": "gleich lang wie andere",
        "second": "zweitlängste Reihe",
        "shared_second": "geteilter zweiter Platz",
        "none": "zu kurz",
    },
    doubled="verdoppelt",
    player="Name",
    income="Reibach",
    losses="Einbußen",
    empty_businessmakers="Leere Geschäftemacher",
    hand_cards="Handkarten",
    totals="Stand",
    total="Gesamt",
    now="Wenn jetzt gewertet würde",
    now_hint="Beträge in Millionen, in Klammern die Länge der Reihe.",
    no_rows="Noch liegt keine Reihe.",
    you="du",
)
MESSAGES: Final = MessageWords(
    title="Nachrichten",
    label="Deine Nachricht an alle am Tisch",
    send="Nachricht senden",
    none="Noch hat niemand geschrieben.",
    unread=Plural(one="{n} ungelesen", other="{n} ungelesen"),
)
