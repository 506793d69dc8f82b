"""The replay of a game, in Dutch."""

from typing import Final

from service.web.words.shape.replay import ReplayWords

REPLAY: Final = ReplayWords(
    title="Naspelen",
    players="Spelers",
    rail="Stappen",
    moment="Moment",
    back_scoring="Terug naar de vorige waardebepaling",
    back_turn="Eén beurt terug",
    back_action="Eén actie terug",
    play="Afspelen",
    pause="Pauzeren",
    next_action="Eén actie verder",
    next_turn="Eén beurt verder",
    next_scoring="Verder naar de volgende waardebepaling",
    keys="Pijltoetsen gaan één actie verder of terug, met Shift één beurt, met Ctrl naar een waardebepaling; Home en "
    "End gaan naar begin en einde, de spatiebalk speelt af.",
    speed="Snelheid",
    speeds={"slow": "langzaam", "normal": "normaal", "fast": "snel", "fastest": "heel snel"},
    eyes="Door wiens ogen?",
    all_knowing="alle kaarten open",
    onlooker="als toeschouwer",
    link="Link hierheen kopiëren",
    dealt="De kaarten zijn gedeeld.",
    turn_begins="Beurt {turn}: {name} is aan de beurt.",
    draws="{name} trekt een kaart.",
    earned="bracht {amount} op",
    charts="Het verloop van het spel",
    totals="Totaal in miljoenen, beurt voor beurt",
    races="Lengte van de rijen, beurt voor beurt",
    leads="{name} staat voor",
    nobody_leads="meerdere spelers staan gelijk",
    as_tables="Dezelfde getallen als tabellen",
    turn="Beurt",
    scoring="Waardebepaling",
    fork="Vanaf hier verderspelen",
    fork_hint="Opent een nieuw spel dat op dit moment begint. Het oude blijft zoals het is.",
    fork_running="Een spel dat nog loopt, kunnen alleen de spelers zelf voortzetten, en alleen vanaf het huidige "
    "moment. Wat zij niet zien, wordt opnieuw geschud.",
    person="Een mens",
    print="Afdrukken",
    sheet_is_wide="Het blad is breder dan het scherm: veeg het opzij.",
)
