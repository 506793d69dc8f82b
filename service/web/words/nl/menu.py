"""The menu of a game, in Dutch."""

from typing import Final

from service.web.words.shape.menu import ClockWords, MenuWords, NoticeWords, OrderWords, SeatWords

MENU: Final = MenuWords(
    title="Menu van het spel",
    close="Sluiten",
    back="Terug naar het menu",
    saved="Opgeslagen.",
    seat="Mijn plaats en de link",
    take_seat="Plaatsnemen",
    help="Hulp",
    replay="Spel naspelen",
    score_sheet="Scoreblad",
    check="Spel controleren",
    ask="Vragen vóór het nemen en trekken",
    how="Zo speel je",
    how_lines=(
        (
            "Je legt rijen kaarten. Bij elke waardebepaling krijgt de langste rij van een branche 3 miljoen en de "
            "op één na langste 1, of 4 als het de enige is."
        ),
        (
            "De vierde, zevende en tiende woekerwinst-kaart leiden tot een waardebepaling. Na de derde is het spel "
            "uit; die kost 2 voor elke spelmaker zonder kaart en 1 voor elke handkaart."
        ),
        (
            "Een beurt heeft drie actiepunten. Het getal onder een kaart zegt wat het kost om haar te nemen; een "
            "kaart leggen kost er één."
        ),
        "Tik op een open kaart of de stapel: ze komt meteen in je hand.",
        (
            "Tik op een handkaart, dan op “nieuwe rij”: daar ligt ze gedekt, als spelmaker, en telt niet mee. "
            "Daarop komen alleen kaarten van één branche: tik op zo’n kaart, dan op de rij."
        ),
        "Wat je legt, is een lijst tot je die verstuurt. Daarna blijft alles liggen.",
    ),
)
SEAT: Final = SeatWords(
    link="Link naar je plaats",
    link_hint="Hij opent deze plaats op een ander apparaat. Wie hem heeft, speelt voor jou.",
    copy="Kopiëren",
    copied="Gekopieerd",
    others="Links van de andere plaatsen",
    others_hint="Jij hebt dit spel geopend. Wie een link heeft, speelt op die plaats: stuur hem alleen aan "
    "degene voor wie hij bedoeld is.",
    link_of="Link voor {name}",
    renew="Nieuwe link maken",
    renew_hint="De oude link vervalt, en ook meldingen en vaste opdrachten.",
    renewed="De oude link geldt niet meer.",
    try_out="Vanaf hier uitproberen",
    try_out_hint="Opent een kopie van het spel tegen bots. Wat je niet ziet, wordt opnieuw geschud.",
    have_link="Heb je een link?",
    paste="Link naar een plaats, of het token",
    sit_down="Plaatsnemen",
    take_over="Een plaats is verlaten",
    your_name="Je naam",
    lost="Link kwijt?",
    lost_hint="Is je adres voor een plaats van dit spel bevestigd, dan brengt een mail een nieuwe link.",
    mail="Mailadres",
    ask_mail="Stuur me een mail",
    mail_sent="Klopt het adres, dan is er een mail onderweg. De link geldt {hours} uur.",
)
NOTICES: Final = NoticeWords(
    title="Meldingen",
    hint="Wat je wilt weten als je er niet bent.",
    email="Mailadres",
    confirmed="Mails gaan naar {mail}.",
    unconfirmed="Een mail aan {mail} heeft een link: bevestig daar het adres.",
    when="Meld het als",
    on={
        "turn": "ik aan de beurt ben",
        "reminder": "mijn tijd bijna om is",
        "scoring": "er een waardebepaling was",
        "over": "het spel is afgelopen",
        "message": "iemand schrijft",
    },
    not_watching="Niet zolang ik de tafel open heb",
    language="Taal",
    webhook="Naar een programma of een chat",
    url="Adres (https)",
    format="Formaat",
    standard="voor programma’s (ondertekend)",
    secret="Geheim",  # noqa: S106 - the label of one
    save="Opslaan",
    end="Alle meldingen beëindigen",
    deliveries="Onlangs verstuurd",
    channels={"webhook": "programma of chat", "email": "mail"},
    statuses={"delivered": "bezorgd", "retry": "wordt opnieuw geprobeerd", "refused": "geweigerd", "dead": "opgegeven"},
    errors={
        "address-refused": "adres niet toegestaan",
        "timeout": "geen antwoord op tijd",
        "connection-failed": "geen verbinding",
        "tls-failed": "geen veilige verbinding (TLS)",
        "answer-invalid": "antwoord onleesbaar",
        "redirect-not-followed": "doorverwijzingen worden niet gevolgd",
        "status": "antwoord",
        "no connection": "geen verbinding",
        "connection lost": "verbinding verbroken",
        "mail refused": "mail geweigerd",
        "log-in refused": "aanmelding geweigerd",
        "server refused": "mailserver weigert",
        "server lacks STARTTLS or log-in": "mailserver zonder versleuteling of aanmelding",
        "certificate not trusted": "certificaat niet vertrouwd",
        "recipient refused": "ontvanger geweigerd",
        "game can't be read": "spel niet leesbaar",
        "internal error": "interne fout",
    },
)
ORDERS: Final = OrderWords(
    title="Vaste opdrachten",
    hint="Wat aan het begin van je beurt vanzelf gebeurt: van elke stap het eerste dat dan kan. "
    "Kan er niets, dan vervalt de rest.",
    none="Je hebt er geen gegeven.",
    dropped="In beurt {turn} verviel de rest:",
    kind="Actie",
    kinds={"take": "nemen", "draw": "trekken", "append": "aanleggen", "lay_businessmaker": "als spelmaker"},
    what="Welke kaart",
    where="Waar",
    slot="open kaart {number}",
    row="rij {number}",
    add_step="Nog een stap",
    add_alternative="of anders …",
    remove_step="Stap weghalen",
    remove_alternative="Weghalen: {alternative}",
    save="Opdracht geven",
    remove="Alle opdrachten intrekken",
)
CLOCK: Final = ClockWords(
    title="Vakantie, pauze, opgeven",
    bot_plays="Je was lang weg: een bot speelt voor je.",
    reclaim="Mijn plaats van de bot terugnemen",
    vacation="Vakantie",
    vacation_hint="De klok van je beurten staat stil. Hoogstens 30 dagen per spel, in hoogstens twee delen.",
    until="Terug op",
    take_vacation="Met vakantie gaan",
    on_vacation="Je bent met vakantie tot {time}.",
    end_vacation="Nu terugkomen",
    pause="Pauze",
    pause_hint="Is iedereen het eens, dan staat de klok voor allen stil.",
    agree_pause="Instemmen met pauze",
    resume="Pauze beëindigen",
    cancel="Spel afbreken",
    cancel_hint="Is iedereen het eens, dan is het spel afgelopen en wint niemand.",
    agree_cancel="Instemmen met afbreken",
    agreed="Tot nu toe akkoord: {names}",
    withdraw="Instemming intrekken",
    resign="Opgeven",
    resign_hint="Een bot speelt voorgoed voor je verder.",
    sure="Ja, ik verlaat dit spel",
)
