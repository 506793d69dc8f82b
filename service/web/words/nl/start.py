"""The start page, in Dutch."""

from typing import Final

from service.web.words.shape.start import NewGameWords, StartWords

START: Final = StartWords(
    title="Reibach & Co. in de browser",
    what=(
        "Twee tot vijf spelers bouwen rijen in tien branches, en alleen de langste brengen geld op.",
        "Een beurt heeft drie actiepunten: een open kaart nemen, blind trekken of kaarten aan je eigen rijen leggen.",
        (
            "Drie keer per spel volgt een waardebepaling, als de vierde, zevende en tiende woekerwinst-kaart "
            "opduikt, en niemand weet wanneer dat is."
        ),
    ),
    demo="Proefspel tegen bots",
    demo_hint="Eén klik, geen account.",
    guest="Gast",
)
NEW_GAME: Final = NewGameWords(
    title="Nieuw spel",
    players="Wie speelt mee?",
    seat="Plaats {number}",
    kind="Wie zit op plaats {number}?",
    person="Speler met link",
    open="Vrije plaats",
    bots={
        "greedy": "Bot: greedy (degelijk)",
        "shark": "Bot: shark (sterk)",
        "random": "Bot: random (willekeurig)",
    },
    name="Naam op plaats {number}",
    your_name="Je naam",
    add="Plaats toevoegen",
    remove="Plaats {number} verwijderen",
    pace="Hoe snel?",
    pace_none="Zonder tijdslimiet",
    pace_day="1 dag per beurt",
    pace_three_days="3 dagen per beurt",
    pace_own="Eigen limiet",
    turn_time="Tijd per beurt",
    unit="Eenheid",
    minutes="minuten",
    hours="uren",
    days="dagen",
    reminder="Herinneren als een derde van de tijd over is",
    on_timeout="Als de tijd om is",
    on_timeout_bot="speelt een bot verder",
    on_timeout_wait="blijft het spel wachten",
    more="Varianten, wie begint, zichtbaarheid",
    starts="Wie begint?",
    starts_random="Het toeval beslist",
    listed="Tonen bij de open spellen",
    listed_hint="Dan kan iedereen meekijken en vrije plaatsen innemen.",
    create="Spel openen",
    created="Het spel is geopend",
    created_hint="Elke link hoort bij een plaats: wie hem heeft, speelt daar. Stuur hem alleen aan degene "
    "voor wie hij bedoeld is. Tot iedereen aan de beurt is geweest, staan de links ook in het menu van de tafel, "
    "onder “Mijn plaats en de link”.",
    link_of="Link voor {name}",
    open_link="Link voor vrije plaatsen",
    copy="Kopiëren",
    copied="Gekopieerd",
    share="Delen",
    mail="Mailen",
    mail_subject="Reibach & Co.: een plaats voor {name}",
    mail_subject_open="Reibach & Co.: er is een plaats vrij",
    mail_text="Hier speel je mee: {link}",
    to_table="Naar de tafel",
)
