"""The page on which a browser checks a game, in Dutch."""

from typing import Final

from service.web.words.shape.check import CheckWords, FaultWords, NoteWords, StepWords

CHECK: Final = CheckWords(
    title="Zelf controleren",
    what=(
        "Je browser rekent elke stap zelf na, alleen uit het logboek van het spel. Niets van wat de server beweert "
        "wordt geloofd, en er wordt niets verstuurd."
    ),
    file_label="Het logboek van een spel",
    file_hint="Een export (.ndjson): kies hem hier, of sleep hem naar deze pagina.",
    receipt_label="Nog een kwitantie",
    receipt_hint=(
        "De kwitanties van deze browser en die van de dienst worden vanzelf gecontroleerd. Heb je er nog een, plak dan "
        "de JSON: ze bewijst hoe het logboek toen was."
    ),
    again="Met deze kwitantie controleren",
    save="Logboek als bestand opslaan",
    save_receipt="Kwitantie opslaan",
    origins={
        "kept": "Deze browser kreeg die tijdens het spelen. Een logboek dat sindsdien veranderd is, valt hier op.",
        "fetched": "Zojuist bij de dienst opgehaald. Wie die opslaat, kan later bewijzen wat de dienst nu zegt.",
        "pasted": "Door jou geplakt.",
    },
    other_file="Een bestand controleren",
    back="Naar het spel",
    steps_heading="Stap voor stap",
    working="Wordt nagerekend …",
    holds="klopt",
    fails="klopt niet",
    open="niet na te gaan",
    all_hold="Alle stappen kloppen: gebeurtenissen 1 tot en met {n} zijn zoals ze moeten zijn.",
    all_hold_so_far="Wat van gebeurtenissen 1 tot en met {n} na te gaan is, klopt; hieronder staat wat niet.",
    all_consistent=(
        "Gebeurtenissen 1 tot en met {n} passen bij elkaar, maar zonder elders bewaarde kwitantie lijkt een vervalsing "
        "net zo echt."
    ),
    passed_over="Onbekende gebeurtenissen zijn overgeslagen.",
    broken="Gebeurtenis {version} ({type}) is niet wat ze moet zijn.",
    broken_receipt="Het logboek is intern consistent, maar is niet wat de kwitantie zegt.",
    inputs="Gegeven",
    formula="Regel",
    output="Berekend",
    expected="Verwacht",
    found="Gevonden",
    whole="Helemaal tonen",
    too_large="Dit bestand is te groot voor het logboek van een spel.",
    no_crypto=(
        "Deze browser leent zijn cryptografie alleen aan pagina’s met https. Open deze pagina met https, of op "
        "localhost."
    ),
    bad_receipt="Dit is geen kwitantie: er moeten een versie en een hash in staan, als JSON.",
    steps=StepWords(
        form="Het logboek is volledig en in zijn ene vorm",
        commitment="De startwaarde is die van de belofte aan het begin",
        shuffle="De kaarten volgen uit de startwaarde",
        chain="Geen gebeurtenis is veranderd",
        cards="Elke kaart komt vanwaar ze moet komen",
        play="De beurten volgen de regels",
        scores="De waardebepalingen zijn wat de rijen opleveren",
        fork="Waar dit spel vandaan komt",
        receipt="Het logboek past bij de kwitantie",
        signature="De dienst heeft de kwitantie ondertekend",
    ),
    meanings=StepWords(
        form=(
            "Elke regel staat in de enige vorm waaruit hashes berekend worden, versies tellen één voor één, en de tijd "
            "gaat nooit terug."
        ),
        commitment=(
            "Voordat de eerste kaart gedeeld was, heeft de server een vingerafdruk van zijn geheime startwaarde "
            "bekendgemaakt. De startwaarde van het einde moet die vingerafdruk hebben."
        ),
        shuffle=(
            "Startwaarde en de eigen woorden van de spelers geven een stroom getallen; die schudt het spel, kaart voor "
            "kaart. Handen, open kaarten en voorraadstapel moeten precies de uitkomst zijn."
        ),
        chain=(
            "De hash van elke gebeurtenis omvat de gebeurtenis en de hash ervoor: wie er een verandert, moet alle "
            "volgende veranderen."
        ),
        cards=(
            "Elke genomen kaart lag op haar plek, elke getrokken of aangevulde lag boven op de voorraadstapel, elke "
            "gespeelde zat in de hand."
        ),
        play="De plaatsen zijn om de beurt, elk heeft drie actiepunten, en elke rij krijgt alleen kaarten die passen.",
        scores="De lengtes worden opnieuw geteld, de rondes opgeteld, en de winnaar opnieuw bepaald.",
        fork="Dit spel is uit een ander begonnen.",
        receipt=(
            "Een kwitantie bevat de hash bij haar versie. Is het de hier berekende, dan is het logboek tot daar "
            "hetzelfde als toen."
        ),
        signature="Met de openbare sleutel van de dienst ziet iedereen dat de kwitantie van de dienst is.",
    ),
    notes=NoteWords(
        page="Een pagina met gebeurtenissen, geen export: de precieze bytes waren niet te vergelijken.",
        not_begun="Het logboek begint niet met de aanmaak van een spel: er is niets na te gaan.",
        hidden_seed="De startwaarde is geheim tot het spel voorbij is. Dan is deze stap na te gaan.",
        seed_of_parent="De startwaarde was al bekend voordat dit spel begon: het is die van het gekopieerde spel.",
        bound_by_nobody=(
            "Geen speler heeft na het trekken van de startwaarde een eigen woord toegevoegd; de server had dus uit "
            "startwaarden kunnen kiezen."
        ),
        bound_by_seats=(
            "Woorden van deze spelers kwamen na het trekken van de startwaarde; de server kon dus niet kiezen: {seats}."
        ),
        not_dealt="Er zijn geen kaarten gedeeld.",
        consistent=(
            "Het logboek is intern consistent. Is de startwaarde bekend, dan kan iedereen een ander zo’n logboek "
            "schrijven: alleen een elders bewaarde kwitantie bewijst dat dit het oorspronkelijke is."
        ),
        not_over="Het logboek toont zijn startwaarde, maar het spel is nog bezig: een kopie van de beheerder.",
        stopped="Nagegaan tot de gebeurtenis vóór versie {version}; wat daarna komt, bouwt daarop.",
        other_rules="Deze pagina kent de regels van dit spel niet.",
        passed_over="Gebeurtenissen van onbekende soort zijn overgeslagen: {types}.",
        as_far_as_shown="Voor zover het logboek kaarten toont. Verborgen kaarten zijn na afloop na te gaan.",
        copy_of_parent=(
            "Het kopieert een afgelopen spel. Dat de gebeurtenissen dezelfde zijn, kan alleen dat logboek bewijzen."
        ),
        position_of_parent=(
            "Het begon met wat één plaats van een lopend spel zag. Wat dat was, kan alleen dat logboek bewijzen; alle "
            "andere kaarten zijn opnieuw gedeeld, wat hierboven is nagegaan."
        ),
        no_receipt="Er is geen kwitantie om mee te vergelijken.",
        proved_up_to="Gebeurtenissen 1 tot en met {version} zijn bewezen; latere zijn alleen intern consistent.",
        proved_all="Alle gebeurtenissen tot en met {version}, de laatste, zijn bewezen.",
        receipt_of_hidden=(
            "Het logboek noemt dezelfde hash. Of die bij deze gebeurtenissen hoort, is na te gaan als de startwaarde "
            "bekend is."
        ),
        no_keys="De openbare sleutels van de dienst waren niet op te halen.",
        no_ed25519=(
            "Deze browser kan geen handtekeningen nagaan: hij kent Ed25519 niet. Nieuwere versies van elke browser wel."
        ),
    ),
    faults=FaultWords(
        not_json="Deze regel is geen JSON.",
        not_canonical="Deze regel is niet geschreven zoals een export hem schrijft.",
        no_line_feed="De laatste regel is afgebroken.",
        members="De gebeurtenis heeft niet de velden die ze moet hebben.",
        version="De versies tellen niet één voor één.",
        unexpected="Hier moet een andere gebeurtenis staan.",
        value="Een waarde kan hier niet staan.",
        hash="Dit is geen hash.",
        time="De tijd kan niet kloppen.",
        empty="Het logboek bevat geen gebeurtenis.",
        differs="De waarden zijn niet die welke uit het voorgaande volgen.",
        deal="De kaarten zijn niet die van het schudden.",
        chain="De gebeurtenis heeft niet de hash die eruit volgt: zij is veranderd, of haar hash.",
        card="Het is een andere kaart.",
        not_in_hand="Deze kaart zat niet in de hand.",
        too_many="Van een soort zijn er meer kaarten dan het spel heeft.",
        row="De rij kan deze kaart niet opnemen.",
        points="Er zijn niet genoeg actiepunten.",
        cut="Het logboek eindigt te vroeg.",
        origin="Wat over het andere spel gezegd wordt, kan niet.",
        receipt="Het logboek is niet dat waarvoor de kwitantie gegeven is.",
        unknown_key="De dienst noemt zo’n sleutel niet.",
        bad_signature="De handtekening is niet die van de sleutel.",
    ),
)
