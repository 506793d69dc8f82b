"""What all pages say, in Dutch."""

from typing import Final

from service.web.words.shape.common import CommonWords

COMMON: Final = CommonWords(
    skip="Naar de inhoud",
    menu="Menu",
    navigation="Pagina’s",
    languages="Taal",
    new_game="Nieuw spel",
    lobby="Open spellen",
    games="Mijn spellen",
    rules="Regels",
    by_post="Spelen per post",
    api="Voor programma’s",
    table="Tafel",
    loading="Wordt geladen …",
    needs_script="Deze pagina heeft JavaScript nodig. Tafels en mails tonen hun spel ook zonder.",
    plain_table="De tafel zonder JavaScript tonen",
    plain_hint=(
        "Zonder JavaScript zie je de tafel als tekst en speel je met knoppen: plak daar het token van je"
        " plaats, dat in je link achter “token=” staat. Je kunt ook per mail spelen, of met een eigen "
        "programma."
    ),
    offline="De server is nu niet bereikbaar.",
    unavailable="De server kan nu niet antwoorden.",
    too_many="Te veel verzoeken tegelijk.",
    again_hint="Laad de pagina over een paar seconden opnieuw.",
    open_seat="vrije plaats",
    damaged_link="Deze link is beschadigd of onvolledig: vraag er nog eens om.",
    void_link="Deze link naar een plaats geldt niet, of niet meer: vraag er nog eens om.",
    void_seat="De link naar je plaats geldt niet meer; je kijkt toe.",
    no_page="Deze pagina bestaat niet.",
    no_page_hint="Misschien is een teken van het adres verloren gegaan. Hier kun je verder:",
)
