"""The page on which a browser checks a game, in German."""

from typing import Final

from service.web.words.shape.check import CheckWords, FaultWords, NoteWords, StepWords

CHECK: Final = CheckWords(
    title="Selbst nachprüfen",
    what=(
        "Dein Browser rechnet jeden Schritt selbst nach, allein aus dem Protokoll des Spiels. Nichts, was der Server "
        "behauptet, wird geglaubt, und nichts wird verschickt."
    ),
    file_label="Das Protokoll eines Spiels",
    file_hint="Ein Export (.ndjson): hier auswählen oder irgendwo auf dieser Seite ablegen.",
    receipt_label="Weitere Quittung",
    receipt_hint=(
        "Die Quittungen dieses Browsers und die des Dienstes werden von selbst geprüft. Hast du noch eine, füge ihr "
        "JSON ein: Sie beweist, wie das Protokoll damals war."
    ),
    again="Mit dieser Quittung prüfen",
    save="Protokoll als Datei speichern",
    save_receipt="Quittung speichern",
    origins={
        "kept": "Dieser Browser hat sie beim Spielen bekommen. Ein seitdem geändertes Protokoll fällt hier auf.",
        "fetched": "Gerade vom Dienst geholt. Wer sie speichert, kann später beweisen, was der Dienst heute sagt.",
        "pasted": "Von dir eingefügt.",
    },
    other_file="Eine Datei prüfen",
    back="Zum Spiel",
    steps_heading="Schritt für Schritt",
    working="Wird nachgerechnet …",
    holds="stimmt",
    fails="stimmt nicht",
    open="nicht prüfbar",
    all_hold="Alle Schritte stimmen: Die Ereignisse 1 bis {n} sind, wie sie sein müssen.",
    all_hold_so_far="Was sich an den Ereignissen 1 bis {n} prüfen lässt, stimmt; was nicht, steht unten.",
    all_consistent=(
        "Ereignisse 1 bis {n} passen zusammen, aber ohne anderswo aufgehobene Quittung sähe eine Fälschung genauso aus."
    ),
    passed_over="Unbekannte Ereignisse wurden übergangen.",
    broken="Ereignis {version} ({type}) ist nicht, was es sein muss.",
    broken_receipt="Das Protokoll ist in sich stimmig, aber nicht das, was die Quittung sagt.",
    inputs="Gegeben",
    formula="Regel",
    output="Errechnet",
    expected="Erwartet",
    found="Gefunden",
    whole="Ganz zeigen",
    too_large="Diese Datei ist zu groß für das Protokoll eines Spiels.",
    no_crypto=(
        "Dieser Browser erlaubt Kryptografie nur Seiten mit https. Öffne diese Seite mit https oder auf localhost."
    ),
    bad_receipt="Das ist keine Quittung: Sie braucht eine Version und einen Hash, als JSON.",
    steps=StepWords(
        form="Das Protokoll ist vollständig und in seiner einen Form",
        commitment="Der Startwert ist der zu Beginn versprochene",
        shuffle="Die Karten folgen aus dem Startwert",
        chain="Kein Ereignis wurde geändert",
        cards="Jede Karte kommt, woher sie kommen muss",
        play="Die Züge folgen den Regeln",
        scores="Die Wertungen sind, was die Reihen ergeben",
        fork="Woher dieses Spiel kommt",
        receipt="Das Protokoll passt zur Quittung",
        signature="Der Dienst hat die Quittung unterschrieben",
    ),
    meanings=StepWords(
        form=(
            "Jede Zeile steht in der einzigen Form, aus der Hashes gerechnet werden, die Versionen zählen in "
            "Einerschritten, und die Zeit geht nie zurück."
        ),
        commitment=(
            "Bevor die erste Karte ausgeteilt war, hat der Server einen Fingerabdruck seines geheimen Startwerts "
            "veröffentlicht. Der am Ende veröffentlichte Startwert muss diesen Fingerabdruck haben."
        ),
        shuffle=(
            "Startwert und die eigenen Worte der Spieler ergeben einen Strom von Zahlen; er mischt das Spiel, Karte "
            "für Karte. Hände, offene Karten und Aufnahmestapel müssen genau das Ergebnis sein."
        ),
        chain=(
            "Der Hash jedes Ereignisses umfasst das Ereignis und den Hash davor: Wer eines ändert, muss alle "
            "folgenden ändern."
        ),
        cards=(
            "Jede genommene Karte lag an ihrem Platz, jede gezogene oder nachgelegte oben auf dem Aufnahmestapel, "
            "jede gelegte war auf der Hand."
        ),
        play=(
            "Die Plätze sind reihum dran, jeder hat drei Aktionspunkte, und jede Reihe bekommt nur Karten, die passen."
        ),
        scores="Die Längen werden neu gezählt, die Wertungen neu addiert, und der Sieger wird neu bestimmt.",
        fork="Dieses Spiel hat mit einem anderen begonnen.",
        receipt=(
            "Eine Quittung enthält den Hash zu ihrer Version. Ist es der hier errechnete, so ist das Protokoll bis "
            "dorthin dasselbe wie damals."
        ),
        signature="Mit dem öffentlichen Schlüssel des Dienstes sieht jeder, dass die Quittung von ihm stammt.",
    ),
    notes=NoteWords(
        page="Eine Seite von Ereignissen, kein Export: Die genauen Bytes ließen sich nicht vergleichen.",
        not_begun="Das Protokoll beginnt nicht mit der Eröffnung eines Spiels: Es gibt nichts zu prüfen.",
        hidden_seed="Der Startwert ist geheim, bis das Spiel vorbei ist. Dann lässt sich dieser Schritt prüfen.",
        seed_of_parent="Der Startwert war öffentlich, bevor dieses Spiel begann: Es ist der des kopierten Spiels.",
        bound_by_nobody=(
            "Kein Spieler hat nach dem Ziehen des Startwerts ein eigenes Wort beigetragen; der Server hätte also unter "
            "Startwerten wählen können."
        ),
        bound_by_seats=(
            "Worte dieser Spieler kamen, als der Startwert gezogen war; der Server konnte also nicht wählen: {seats}."
        ),
        not_dealt="Es wurden keine Karten ausgeteilt.",
        consistent=(
            "Das Protokoll ist in sich stimmig. Ist der Startwert bekannt, könnte jeder ein anderes solches schreiben: "
            "Nur eine anderswo aufgehobene Quittung beweist, dass es das ursprüngliche ist."
        ),
        not_over="Das Protokoll zeigt seinen Startwert, aber das Spiel läuft noch: eine Kopie des Betreibers.",
        stopped="Geprüft bis zum Ereignis vor Version {version}; was danach kommt, baut darauf auf.",
        other_rules="Die Regeln dieses Spiels kennt diese Seite nicht.",
        passed_over="Ereignisse unbekannter Art wurden übergangen: {types}.",
        as_far_as_shown="Soweit das Protokoll Karten zeigt. Verdeckte lassen sich prüfen, wenn das Spiel vorbei ist.",
        copy_of_parent=(
            "Es kopiert ein beendetes Spiel. Dass die Ereignisse dieselben sind, kann nur dessen Protokoll beweisen."
        ),
        position_of_parent=(
            "Es begann mit dem, was ein Platz von einem laufenden Spiel sah. Was das war, kann nur dessen Protokoll "
            "beweisen; alle anderen Karten wurden neu gemischt, was oben geprüft ist."
        ),
        no_receipt="Es gibt keine Quittung zum Vergleichen.",
        proved_up_to="Die Ereignisse 1 bis {version} sind bewiesen, spätere nur in sich stimmig.",
        proved_all="Alle Ereignisse bis {version}, dem letzten, sind bewiesen.",
        receipt_of_hidden=(
            "Das Protokoll nennt denselben Hash. Ob er zu diesen Ereignissen gehört, lässt sich prüfen, wenn der "
            "Startwert öffentlich ist."
        ),
        no_keys="Die öffentlichen Schlüssel des Dienstes waren nicht zu bekommen.",
        no_ed25519=(
            "Dieser Browser kann keine Unterschriften prüfen: Er kennt Ed25519 nicht. Neuere Fassungen aller Browser "
            "kennen es."
        ),
    ),
    faults=FaultWords(
        not_json="Diese Zeile ist kein JSON.",
        not_canonical="Diese Zeile ist nicht so geschrieben, wie ein Export sie schreibt.",
        no_line_feed="Die letzte Zeile ist abgeschnitten.",
        members="Das Ereignis hat nicht die Angaben, die es haben muss.",
        version="Die Versionen zählen nicht in Einerschritten.",
        unexpected="Hier muss ein anderes Ereignis stehen.",
        value="Ein Wert kann hier nicht stehen.",
        hash="Das ist kein Hash.",
        time="Die Zeit kann nicht stimmen.",
        empty="Das Protokoll enthält kein Ereignis.",
        differs="Die Werte sind nicht die, die aus dem Vorherigen folgen.",
        deal="Die Karten sind nicht die des Mischens.",
        chain="Das Ereignis hat nicht den Hash, der aus ihm folgt: Es wurde geändert, oder sein Hash.",
        card="Es ist eine andere Karte.",
        not_in_hand="Diese Karte war nicht auf der Hand.",
        too_many="Von einer Sorte gibt es mehr Karten, als das Spiel hat.",
        row="Die Reihe kann diese Karte nicht aufnehmen.",
        points="Die Aktionspunkte reichen nicht.",
        cut="Das Protokoll endet zu früh.",
        origin="Was über das andere Spiel gesagt wird, kann nicht sein.",
        receipt="Das Protokoll ist nicht das, für das die Quittung gegeben wurde.",
        unknown_key="Der Dienst führt keinen solchen Schlüssel.",
        bad_signature="Die Unterschrift ist nicht die des Schlüssels.",
    ),
)
