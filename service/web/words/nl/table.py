"""The table of a game, in Dutch."""

from typing import Final

from service.web.words.plural import Plural
from service.web.words.shape.table import TableWords

TABLE: Final = TableWords(
    display="Open kaarten",
    own_rows="Jouw rijen",
    hand="Jouw hand",
    rivals="Medespelers",
    face_down="gedekte kaart",
    row_name="Rij {number}: {business}",
    row_without_business="nog zonder branche",
    length=Plural(one="lengte {n}", other="lengte {n}"),
    doubled="verdubbeld",
    closed="gesloten",
    shown_businessmaker="spelmaker: {card}",
    no_rows="Nog geen rijen.",
    empty_hand="Geen kaarten.",
    track="Woekerwinst-kaarten: {revealed} onthuld, volgende waardebepaling bij {next}",
    track_full="Woekerwinst-kaarten: {revealed} onthuld, geen waardebepaling meer",
    pile=Plural(one="Voorraadstapel: {n} kaart", other="Voorraadstapel: {n} kaarten"),
    hand_size=Plural(one="{n} kaart", other="{n} kaarten"),
    your_turn="Jij bent aan de beurt",
    their_turn="Aan de beurt: {name}",
    points_left=Plural(one="nog {n} actiepunt", other="nog {n} actiepunten"),
    waits_for_players="Het spel wacht op spelers",
    scoring="Waardebepaling bezig",
    over="Het spel is afgelopen",
    won=Plural(one="{names} wint", other="{names} delen de winst"),
    abandoned="afwezig, een bot speelt",
    resigned="opgegeven, een bot speelt",
    play_as="Als {name} spelen",
    other_seat="andere plaats",
    recap_own="Sinds jouw laatste actie",
    recap_all="Onlangs",
    recap_none="Sindsdien is er niets gebeurd.",
    cost=Plural(one="{n} punt", other="{n} punten"),
    connection_lost="Geen verbinding, nieuwe poging …",
    time_left="nog {time}",
    paused="Pauze",
    on_vacation="met vakantie, terug {time}",
    bank="tijdbank: {time}",
    new_row="nieuwe rij",
)
