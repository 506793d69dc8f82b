"""Play by post, in Dutch."""

from typing import Final

from service.web.words.shape.post import PostWords

POST: Final = PostWords(
    title="Spelen per post",
    lead=(
        "Een spel per post duurt dagen of weken: de dienst meldt het als je aan de beurt bent, en je speelt wanneer "
        "je tijd hebt. Je hebt geen programma en geen account nodig."
    ),
    parts=(
        (
            "Een spel openen",
            (
                (
                    "Kies op de startpagina hoelang een beurt mag duren: een dag, drie dagen of een eigen limiet. "
                    "Zonder tijdslimiet eindigt geen beurt vanzelf."
                ),
                (
                    "Elke speler krijgt een eigen link. Wie hem heeft, ziet de hand en speelt op die plaats: stuur "
                    "hem dus alleen aan degene voor wie hij bedoeld is."
                ),
            ),
        ),
        (
            "Meldingen krijgen",
            (
                (
                    "Geef in het menu van het spel onder “Meldingen” een mailadres op, een webhook van Discord of "
                    "Slack, of die van een programma. Je hoort het als je aan de beurt bent, als je tijd bijna om is, "
                    "na een waardebepaling, aan het einde, en als iemand schrijft."
                ),
                (
                    "Een nieuw adres krijgt eerst één mail, met een link om het te bevestigen. Eerder komt er niets "
                    "anders. Aan het eind van elke mail staat een link die de mails over dit spel beëindigt."
                ),
                "Stuur deze mails niet door: hun links zijn sleutels van je plaats.",
            ),
        ),
        (
            "Je beurt spelen",
            (
                (
                    "Een mail somt op wat je kunt doen. Een link daarin opent de tafel met een klaargezette actie; "
                    "pas met de knop daar wordt ze gespeeld."
                ),
                (
                    "Neemt de dienst antwoorden aan, dan staat dat in de mail: antwoord met één actie per regel, "
                    "hoogstens drie."
                ),
            ),
        ),
        (
            "Vooruitspelen",
            (
                (
                    "Vaste opdrachten, in het menu, worden uitgevoerd zodra je beurt begint: van elke stap het eerste "
                    "dat dan kan. Niemand anders hoort dat je er hebt."
                ),
            ),
        ),
        (
            "Als de tijd om is",
            (
                (
                    "Eén keer te laat: een bot speelt de rest van die beurt. Twee keer achter elkaar te laat: de bot "
                    "speelt voor je verder, tot je je plaats terugneemt met een knop aan tafel, of door een antwoord "
                    "op een willekeurige mail van het spel."
                ),
                "Is gekozen dat het spel blijft wachten, dan wordt er voor niemand gespeeld.",
            ),
        ),
        (
            "Vrije tijd",
            (
                (
                    "Vakantie zet de klok van je eigen beurten stil: hoogstens dertig dagen per spel, in twee delen. "
                    "Stemt iedereen met een pauze in, dan staat ze voor iedereen stil."
                ),
            ),
        ),
        (
            "Link kwijt",
            (
                (
                    "Met een bevestigd adres vraag je in het menu onder “Plaatsnemen” om een nieuwe link. De oude "
                    "geldt dan niet meer. Kennen anderen je link, maak dan een nieuwe onder “Mijn plaats en de link”."
                ),
            ),
        ),
    ),
    answers="Wat een antwoord kan zeggen",
    action="Actie",
    answer="Regel",
    answers_lines=(
        ("de tweede open kaart nemen", "neem 2"),
        ("van de stapel trekken", "trek"),
        ("olie als spelmaker leggen", "leg olie"),
        ("goud aan je eerste rij leggen", "leg goud aan rij 1"),
        ("een multitalent-kaart aan rij 2 leggen", "leg multitalent aan rij 2"),
    ),
    answers_notes=(
        (
            "Open kaarten en rijen tellen vanaf 1, zoals in de mail. Hoofdletters maken niets uit; een groet en de "
            "geciteerde mail worden overgeslagen."
        ),
        (
            "Er wordt niets geraden: wordt een regel niet begrepen, dan wordt er niets gespeeld, en het antwoord zegt "
            "welke het was."
        ),
    ),
    more="Dit alles uitvoerig (Engels)",
)
