"""Play by post, in German."""

from typing import Final

from service.web.words.shape.post import PostWords

POST: Final = PostWords(
    title="Spiel per Post",
    lead=(
        "Ein Spiel per Post dauert Tage oder Wochen: Der Dienst sagt dir, wenn du an der Reihe bist, und du spielst, "
        "wenn du Zeit hast. Du brauchst weder ein Programm noch ein Konto."
    ),
    parts=(
        (
            "Ein Spiel eröffnen",
            (
                (
                    "Wähle auf der Startseite, wie lange ein Zug dauern darf: einen Tag, drei Tage oder eine eigene "
                    "Frist. Ohne Frist endet kein Zug von selbst."
                ),
                (
                    "Alle Mitspieler bekommen einen eigenen Link. Wer ihn hat, sieht die Hand und spielt auf diesem "
                    "Platz: Schick ihn also nur der Person, für die er ist."
                ),
            ),
        ),
        (
            "Benachrichtigt werden",
            (
                (
                    "Gib im Menü des Spiels unter „Benachrichtigungen“ eine Mailadresse an, einen Webhook von Discord "
                    "oder Slack oder den eines Programms. Du erfährst, dass du an der Reihe bist, dass deine Zeit "
                    "knapp wird, dass gewertet wurde, dass das Spiel aus ist oder dass jemand geschrieben hat."
                ),
                (
                    "Eine neue Adresse bekommt zuerst eine einzige Mail, mit einem Link zum Bestätigen. Vorher kommt "
                    "nichts anderes. Am Ende jeder Mail steht ein Link, der die Mails zu diesem Spiel beendet."
                ),
                "Leite diese Mails nicht weiter: Ihre Links sind Schlüssel zu deinem Platz.",
            ),
        ),
        (
            "Den Zug spielen",
            (
                (
                    "Eine Mail zählt auf, was du tun kannst. Ein Link darin öffnet den Tisch mit einer vorbereiteten "
                    "Aktion; gespielt wird sie erst mit dem Knopf dort."
                ),
                (
                    "Nimmt der Dienst Antworten an, so steht das in der Mail: Antworte mit einer Aktion je Zeile, "
                    "höchstens drei."
                ),
            ),
        ),
        (
            "Vorausspielen",
            (
                (
                    "Daueraufträge, im Menü, werden ausgeführt, sobald dein Zug beginnt: von jedem Schritt das Erste, "
                    "das dann möglich ist. Niemand sonst erfährt, dass du welche hast."
                ),
            ),
        ),
        (
            "Wenn die Zeit um ist",
            (
                (
                    "Einmal zu spät: Ein Bot spielt den Rest dieses Zugs. Zweimal hintereinander zu spät: Der Bot "
                    "spielt für dich weiter, bis du deinen Platz zurückholst, mit einem Knopf am Tisch oder durch "
                    "eine Antwort auf irgendeine Mail des Spiels."
                ),
                "Ist gewählt, dass weiter gewartet wird, so wird für niemanden gespielt.",
            ),
        ),
        (
            "Auszeit",
            (
                (
                    "Urlaub hält die Uhr deiner eigenen Züge an: höchstens dreißig Tage je Spiel, in zwei Stücken. "
                    "Stimmen alle einer Pause zu, steht sie für alle."
                ),
            ),
        ),
        (
            "Link verloren",
            (
                (
                    "Mit einer bestätigten Adresse bekommst du im Menü unter „Platz nehmen“ einen neuen Link. Der "
                    "alte gilt dann nicht mehr. Kennen andere deinen Link, so mach unter „Mein Platz und sein Link“ "
                    "einen neuen."
                ),
            ),
        ),
    ),
    answers="Was eine Antwort sagen kann",
    action="Aktion",
    answer="Zeile",
    answers_lines=(
        ("die zweite offene Karte nehmen", "nimm 2"),
        ("vom Stapel ziehen", "zieh"),
        ("Öl als Geschäftemacher legen", "leg Öl"),
        ("Gold an die erste Reihe legen", "leg Gold an Reihe 1"),
        ("ein Multitalent an Reihe 2 legen", "leg Multitalent an Reihe 2"),
    ),
    answers_notes=(
        (
            "Offene Karten und Reihen zählen ab 1, wie in der Mail. Groß- und Kleinschreibung sind gleich; Gruß und "
            "zitierte Mail werden übergangen."
        ),
        (
            "Nichts wird geraten: Wird eine Zeile nicht verstanden, so wird nichts gespielt, und die Antwort sagt, "
            "welche es war."
        ),
    ),
    more="Das alles ausführlich (englisch)",
)
