"""The menu of a game, in German."""

from typing import Final

from service.web.words.shape.menu import ClockWords, MenuWords, NoticeWords, OrderWords, SeatWords

MENU: Final = MenuWords(
    title="Menü des Spiels",
    close="Schließen",
    back="Zurück zum Menü",
    saved="Gespeichert.",
    seat="Mein Platz und sein Link",
    take_seat="Platz nehmen",
    help="Hilfe",
    replay="Spiel nachspielen",
    score_sheet="Wertungsblatt",
    check="Spiel nachprüfen",
    ask="Vor Nehmen und Ziehen nachfragen",
    how="So geht’s",
    how_lines=(
        (
            "Du legst Reihen aus Karten. In jeder Wertung bringt ein Geschäft der längsten Reihe 3 Millionen und "
            "der zweitlängsten 1, oder 4, wenn es nur eine gibt."
        ),
        (
            "Mit der vierten, siebten und zehnten Reibach-Karte wird gewertet. Nach der dritten Wertung ist "
            "Schluss; sie kostet 2 für jeden Geschäftemacher ohne Karte und 1 für jede Handkarte."
        ),
        (
            "Ein Zug hat drei Aktionspunkte. Die Zahl unter einer Karte sagt, was es kostet, sie zu nehmen; "
            "eine Karte zu legen kostet einen."
        ),
        "Tippe auf eine offene Karte oder den Stapel: Sie kommt sofort auf deine Hand.",
        (
            "Tippe auf eine Handkarte, dann auf „neue Reihe“: Dort liegt sie verdeckt, als Geschäftemacher, und "
            "zählt nicht mit. Darauf kommen nur Karten eines Geschäfts: Tippe auf eine davon, dann auf die Reihe."
        ),
        "Was du legst, ist eine Liste, bis du sie sendest. Danach gilt: Was liegt, das liegt.",
    ),
)
SEAT: Final = SeatWords(
    link="Link zu deinem Platz",
    link_hint="Er öffnet diesen Platz auf einem anderen Gerät. Wer ihn hat, spielt für dich.",
    copy="Kopieren",
    copied="Kopiert",
    others="Links der anderen Plätze",
    others_hint="Du hast dieses Spiel eröffnet. Wer einen Link hat, spielt auf dessen Platz: Schick ihn nur "
    "der Person, für die er ist.",
    link_of="Link für {name}",
    renew="Neuen Link machen",
    renew_hint="Der alte Link gilt dann nicht mehr. Benachrichtigungen und Daueraufträge enden auch.",
    renewed="Der alte Link gilt nicht mehr.",
    try_out="Von hier aus ausprobieren",
    try_out_hint="Öffnet eine Kopie des Spiels gegen Bots. Was du nicht siehst, wird neu gemischt.",
    have_link="Du hast einen Link?",
    paste="Link zu einem Platz oder sein Token",
    sit_down="Platz nehmen",
    take_over="Ein Platz ist verlassen",
    your_name="Dein Name",
    lost="Link verloren?",
    lost_hint="Ist deine Adresse für einen Platz dieses Spiels bestätigt, bringt eine Mail einen neuen Link.",
    mail="Mailadresse",
    ask_mail="Mail schicken",
    mail_sent="Stimmt die Adresse, ist eine Mail unterwegs. Ihr Link gilt {hours} Stunden.",
)
NOTICES: Final = NoticeWords(
    title="Benachrichtigungen",
    hint="Was du erfahren willst, wenn du nicht da bist.",
    email="Mailadresse",
    confirmed="Mails gehen an {mail}.",
    unconfirmed="Eine Mail an {mail} enthält einen Link: Bestätige dort die Adresse.",
    when="Sag Bescheid, wenn",
    on={
        "turn": "ich an der Reihe bin",
        "reminder": "meine Zeit knapp wird",
        "scoring": "gewertet wurde",
        "over": "das Spiel aus ist",
        "message": "jemand schreibt",
    },
    not_watching="Nicht, solange ich den Tisch offen habe",
    language="Sprache",
    webhook="An ein Programm oder einen Chat",
    url="Adresse (https)",
    format="Format",
    standard="für Programme (signiert)",
    secret="Geheimnis",  # noqa: S106 - the label of one
    save="Speichern",
    end="Alle Benachrichtigungen beenden",
    deliveries="Zuletzt gesendet",
    channels={"webhook": "Programm oder Chat", "email": "Mail"},
    statuses={"delivered": "zugestellt", "retry": "neuer Versuch folgt", "refused": "abgelehnt", "dead": "aufgegeben"},
    errors={
        "address-refused": "Adresse nicht erlaubt",
        "timeout": "keine Antwort in der Zeit",
        "connection-failed": "keine Verbindung",
        "tls-failed": "keine sichere Verbindung (TLS)",
        "answer-invalid": "Antwort unlesbar",
        "redirect-not-followed": "Weiterleitungen werden nicht befolgt",
        "status": "Antwort",
        "no connection": "keine Verbindung",
        "connection lost": "Verbindung abgebrochen",
        "mail refused": "Mail abgelehnt",
        "log-in refused": "Anmeldung abgelehnt",
        "server refused": "Mailserver lehnt ab",
        "server lacks STARTTLS or log-in": "Mailserver ohne Verschlüsselung oder Anmeldung",
        "certificate not trusted": "Zertifikat nicht vertrauenswürdig",
        "recipient refused": "Empfänger abgelehnt",
        "game can't be read": "Spiel nicht lesbar",
        "internal error": "interner Fehler",
    },
)
ORDERS: Final = OrderWords(
    title="Daueraufträge",
    hint="Was zu Beginn deines Zugs von selbst geschieht: von jedem Schritt das Erste, das dann möglich ist. "
    "Ist nichts möglich, verfällt der Rest.",
    none="Du hast keine erteilt.",
    dropped="In Zug {turn} verfiel der Rest:",
    kind="Aktion",
    kinds={"take": "nehmen", "draw": "ziehen", "append": "anlegen", "lay_businessmaker": "als Geschäftemacher"},
    what="Welche Karte",
    where="Wohin",
    slot="offene Karte {number}",
    row="Reihe {number}",
    add_step="Weiterer Schritt",
    add_alternative="oder sonst …",
    remove_step="Schritt entfernen",
    remove_alternative="Entfernen: {alternative}",
    save="Auftrag erteilen",
    remove="Alle Aufträge zurücknehmen",
)
CLOCK: Final = ClockWords(
    title="Urlaub, Pause, Aufgeben",
    bot_plays="Du warst lange weg: Ein Bot spielt für dich.",
    reclaim="Meinen Platz vom Bot zurückholen",
    vacation="Urlaub",
    vacation_hint="Die Uhr deiner Züge steht. Höchstens 30 Tage je Spiel, in zwei Stücken.",
    until="Zurück am",
    take_vacation="In Urlaub gehen",
    on_vacation="Du bist im Urlaub bis {time}.",
    end_vacation="Jetzt zurückkommen",
    pause="Pause",
    pause_hint="Sind alle einverstanden, steht die Uhr für alle.",
    agree_pause="Der Pause zustimmen",
    resume="Pause beenden",
    cancel="Spiel abbrechen",
    cancel_hint="Sind alle einverstanden, ist das Spiel aus und niemand gewinnt.",
    agree_cancel="Dem Abbruch zustimmen",
    agreed="Bisher einverstanden: {names}",
    withdraw="Zustimmung zurücknehmen",
    resign="Aufgeben",
    resign_hint="Ein Bot spielt für dich weiter, endgültig.",
    sure="Ja, ich verlasse dieses Spiel",
)
