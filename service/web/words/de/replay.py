"""The replay of a game, in German."""

from typing import Final

from service.web.words.shape.replay import ReplayWords

REPLAY: Final = ReplayWords(
    title="Nachspielen",
    players="Spieler",
    rail="Schritte",
    moment="Zeitpunkt",
    back_scoring="Zurück zur vorigen Wertung",
    back_turn="Einen Zug zurück",
    back_action="Eine Aktion zurück",
    play="Abspielen",
    pause="Anhalten",
    next_action="Eine Aktion weiter",
    next_turn="Einen Zug weiter",
    next_scoring="Weiter zur nächsten Wertung",
    keys="Pfeiltasten gehen eine Aktion weiter oder zurück, mit Umschalt einen Zug, mit Strg zu einer Wertung; Pos1 "
    "und Ende gehen an die Enden, die Leertaste spielt ab.",
    speed="Tempo",
    speeds={"slow": "langsam", "normal": "normal", "fast": "schnell", "fastest": "sehr schnell"},
    eyes="Mit wessen Augen?",
    all_knowing="alle Karten offen",
    onlooker="als Zuschauer",
    link="Link hierher kopieren",
    dealt="Die Karten sind verteilt.",
    turn_begins="Zug {turn}: {name} ist an der Reihe.",
    draws="{name} zieht eine Karte.",
    earned="brachte {amount}",
    charts="Der Verlauf des Spiels",
    totals="Gesamtstand in Millionen, Zug für Zug",
    races="Länge der Reihen, Zug für Zug",
    leads="{name} liegt vorn",
    nobody_leads="mehrere gleichauf",
    as_tables="Dieselben Zahlen als Tabellen",
    turn="Zug",
    scoring="Wertung",
    fork="Von hier aus weiterspielen",
    fork_hint="Eröffnet ein neues Spiel, das an dieser Stelle beginnt. Das alte bleibt, wie es ist.",
    fork_running="Ein laufendes Spiel können nur seine Mitspieler weiterspielen, und nur vom jetzigen Stand aus. Was "
    "sie nicht sehen, wird neu gemischt.",
    person="Ein Mensch",
    print="Drucken",
    sheet_is_wide="Das Blatt ist breiter als der Bildschirm: Schieb es zur Seite.",
)
