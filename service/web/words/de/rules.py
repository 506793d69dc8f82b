"""The rules of the game, in German."""

from typing import Final

from service.web.words.shape.rules import RulesWords

RULES: Final = RulesWords(
    title="Die Regeln",
    lead=(
        "Reibach & Co. ist ein Kartenspiel von Alan R. Moon für zwei bis fünf Personen.",
        "Du legst Kartenreihen in bis zu zehn Geschäften aus. Geld verdient nur, wer die längsten hat.",
        (
            "Dreimal werden die Reihen gewertet, in Augenblicken, die niemand vorhersehen kann. Wer am Ende das meiste "
            "Geld hat, gewinnt."
        ),
    ),
    cards="Die Karten",
    cards_lead="110 Karten: je neun von diesen zehn Geschäften und drei besondere Sorten.",
    specials={
        "multitalent": "Fünf Stück. In einer Reihe zählt es wie eine weitere Karte ihres Geschäfts.",
        "risk": "Fünf Stück. Sie verdoppelt, was eine Reihe von da an einbringt, und schließt sie endgültig ab.",
        "reibach": "Zehn Stück. Niemand hält sie auf der Hand: Sie tauchen im Stapel auf und lösen die Wertungen aus.",
    },
    start="Zu Beginn",
    start_steps=(
        "Alle bekommen vier Karten.",
        "Drei Karten liegen offen in der Mitte.",
        "Die zehn Reibach-Karten werden unter alle übrigen gemischt. Das ist der Aufnahmestapel.",
    ),
    turn="Dein Zug",
    turn_lead="Du hast drei Aktionspunkte. Verteile sie, wie du willst, in beliebiger Reihenfolge, auch mehrmals auf "
    "dieselbe Aktion; aber gib alle drei aus, selbst wenn es dir nichts nützt.",
    action="Aktion",
    cost="Punkte",
    actions={
        "take": ("Nehmen", "Eine offene Karte kommt auf deine Hand. Die Lücke wird sofort vom Stapel gefüllt."),
        "draw": ("Ziehen", "Die oberste Karte des Stapels kommt auf deine Hand. Sonst sieht sie niemand."),
        "lay_businessmaker": (
            "Geschäftemacher legen",
            "Irgendeine Handkarte wird allen gezeigt und liegt dann verdeckt: Mit ihr beginnt eine neue Reihe.",
        ),
        "append": ("Anlegen", "Eine Handkarte kommt offen an das Ende einer deiner eigenen Reihen."),
    },
    actions_note="Was liegt, liegt: Keine Karte wird je verschoben oder zurückgenommen.",
    rows="Die Reihen",
    rows_example="Eine Gold-Reihe der Länge 3: Der Geschäftemacher liegt verdeckt, darauf zwei Goldkarten, ein "
    "Multitalent und, quer, eine Risiko-Karte. Die Reihe ist abgeschlossen und bringt das Doppelte.",
    rows_rules=(
        (
            "Jede Reihe beginnt mit einem Geschäftemacher. Er ist nur ein Platz: Was auf seiner Vorderseite steht, "
            "spielt keine Rolle und zählt nie mit. Eine Risiko-Karte als Geschäftemacher verdoppelt nichts."
        ),
        (
            "Die erste Karte darauf muss eine Geschäftskarte sein. Sie bestimmt das Geschäft der Reihe; danach folgen "
            "Karten dieses Geschäfts, beliebig viele Multitalente und als letzte höchstens eine Risiko-Karte."
        ),
        (
            "Von jedem Geschäft hast du im ganzen Spiel höchstens eine Reihe; auch eine abgeschlossene gehört dazu. "
            "Und du legst höchstens zehn Geschäftemacher. Mehrere davon dürfen gleichzeitig noch leer sein."
        ),
        "Du legst nur an deine eigenen Reihen an.",
        (
            "Einen Geschäftemacher können alle sehen, bis der nächste Zug seines Besitzers beginnt. Von da an darf ihn "
            "niemand mehr ansehen, auch der Besitzer nicht."
        ),
    ),
    reibach="Die Reibach-Karten",
    reibach_example="Die Reibach-Leiste: Fünf Karten sind aufgetaucht. Die erste Wertung kam mit der vierten, die "
    "nächste kommt mit der siebten.",
    reibach_rules=(
        "Eine Reibach-Karte, die auftaucht, wird beiseitegelegt, und die nächste Karte des Stapels ersetzt sie.",
        "Die vierte, die siebte und die zehnte unterbrechen das Spiel sofort: Die Reihen werden gewertet.",
        (
            "Nach den ersten beiden Wertungen geht der unterbrochene Zug mit den übrigen Punkten weiter. Nach der "
            "dritten ist das Spiel zu Ende."
        ),
    ),
    scoring="Eine Wertung",
    scoring_lead="Die Geschäfte werden einzeln betrachtet. Die Länge einer Reihe ist die Zahl ihrer Geschäftskarten "
    "und Multitalente. Nur Reihen mit mindestens einer Karte auf dem Geschäftemacher zählen.",
    case="Deine Reihe",
    earns="Mio.",
    cases=(
        ("ist die einzige in ihrem Geschäft, wie kurz auch immer", "4"),
        ("ist allein die längste", "3"),
        ("ist mit anderen zusammen die längste: 4, geteilt und abgerundet", "2, 1, 1, 0"),
        ("ist allein die zweitlängste hinter einer einzigen längsten", "1"),
        ("alles andere; auch ein geteilter zweiter Platz oder ein zweiter hinter mehreren längsten", "0"),
    ),
    scoring_notes=(
        "Eine Risiko-Karte verdoppelt, was ihre Reihe gerade eingebracht hat, in jeder Wertung von da an.",
        "Die dritte Wertung kostet auch: 2 für jeden Geschäftemacher ohne Karte darauf, 1 für jede Handkarte.",
    ),
    example="Ein Beispiel",
    example_lead="Anna, Bert und Carla sind in der zweiten Wertung.",
    player="Name",
    row="Reihe",
    reasons={
        "monopoly": "die einzige",
        "longest": "die längste",
        "shared_longest": "geteilt die längste",
        "second": "die zweite",
        "shared_second": "geteilt die zweite",
        "none": "nichts",
    },
    end="Das Ende",
    end_rules=(
        "Wer nach der dritten Wertung am meisten Geld hat, gewinnt. Bei Gleichstand wird der Sieg geteilt.",
        "Auch weniger als null Millionen sind möglich.",
    ),
    details="Was die gedruckte Anleitung offenlässt",
    details_rules=(
        (
            "Die Lücke oder das Ziehen, bei dem die vierte oder siebte Reibach-Karte aufgetaucht ist, wird nach der "
            "Wertung zu Ende gebracht. Dabei können weitere auftauchen und sogleich die nächste Wertung auslösen. Die "
            "Punkte bleiben ausgegeben."
        ),
        "Mit der zehnten Reibach-Karte ist Schluss: Die Lücke bleibt leer, und wer zieht, bekommt keine Karte.",
        "Wer den Tisch eröffnet, bestimmt, wer beginnt. Danach geht es der Reihe nach.",
    ),
    variants="Varianten",
    variants_lead="Beide gelten nur, wenn sie beim Eröffnen gewählt werden.",
    variants_texts={
        "expensive_specials": "Ein offenes Multitalent oder eine offene Risiko-Karte zu nehmen, kostet zwei "
        "Aktionspunkte. Ist noch ein Punkt übrig und nichts damit anzufangen, verfällt er.",
        "staggered_start": "In der Reihenfolge der Züge beginnt man mit 0, 1, 2, … Millionen.",
    },
    begin="Spielen",
)
