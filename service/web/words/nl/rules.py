"""The rules of the game, in Dutch."""

from typing import Final

from service.web.words.shape.rules import RulesWords

RULES: Final = RulesWords(
    title="De regels",
    lead=(
        "Reibach & Co. is een kaartspel van Alan R. Moon voor twee tot vijf spelers.",
        "Je legt rijen kaarten in maximaal tien branches. Alleen wie de langste rijen heeft, verdient eraan.",
        (
            "Drie keer worden de rijen gewaardeerd, op momenten die niemand kan voorzien. Wie aan het eind het meeste "
            "geld heeft, wint."
        ),
    ),
    cards="De kaarten",
    cards_lead="110 kaarten: negen van elk van deze tien branches, en drie bijzondere soorten.",
    specials={
        "multitalent": "Vijf stuks. In een rij telt ze als nog een kaart van de branche van die rij.",
        "risk": "Vijf stuks. Ze verdubbelt wat een rij vanaf dat moment opbrengt, en sluit die voorgoed af.",
        "reibach": "Tien stuks. Niemand heeft ze in de hand: ze duiken op in de stapel en zetten de waardebepalingen "
        "in gang.",
    },
    start="Aan het begin",
    start_steps=(
        "Iedereen krijgt vier kaarten.",
        "Drie kaarten liggen open op tafel.",
        "De tien woekerwinst-kaarten worden door alle andere kaarten geschud. Dat is de voorraadstapel.",
    ),
    turn="Je beurt",
    turn_lead="Je hebt drie actiepunten. Verdeel ze zoals je wilt, in elke volgorde, ook meermaals aan dezelfde actie; "
    "maar gebruik ze alle drie, zelfs als je er niets aan hebt.",
    action="Actie",
    cost="Punten",
    actions={
        "take": ("Nemen", "Eén open kaart komt in je hand. De stapel vult het gat meteen aan."),
        "draw": ("Trekken", "De bovenste kaart van de stapel komt in je hand. Verder ziet niemand haar."),
        "lay_businessmaker": (
            "Een spelmaker leggen",
            "Een willekeurige handkaart wordt aan iedereen getoond en ligt daarna gedekt: zij begint een nieuwe rij.",
        ),
        "append": ("Aanleggen", "Een handkaart komt open aan het eind van een van je eigen rijen."),
    },
    actions_note="Wat ligt, dat ligt: geen kaart wordt ooit verplaatst of teruggenomen.",
    rows="De rijen",
    rows_example="Een rij Goud van lengte 3: de spelmaker ligt gedekt, daarop twee kaarten Goud, een "
    "multitalent-kaart en, dwars, een risicokaart. De rij is afgesloten en brengt het dubbele op.",
    rows_rules=(
        (
            "Elke rij begint met een spelmaker. Hij is alleen een plaats: wat op zijn voorkant staat doet er niet toe "
            "en telt nooit mee. Een risicokaart als spelmaker verdubbelt niets."
        ),
        (
            "De eerste kaart daarop moet een branchekaart zijn. Zij bepaalt de branche van de rij; daarna volgen "
            "kaarten van die branche, zoveel multitalent-kaarten als je wilt, en als laatste hoogstens één risicokaart."
        ),
        (
            "Van elke branche heb je in het hele spel hoogstens één rij; een afgesloten rij telt ook. En je legt "
            "hoogstens tien spelmakers. Er mogen er meerdere tegelijk nog leeg zijn."
        ),
        "Je legt alleen aan je eigen rijen aan.",
        (
            "Iedereen kan een spelmaker zien tot de volgende beurt van zijn eigenaar begint. Vanaf dan mag niemand hem "
            "nog bekijken, ook de eigenaar niet."
        ),
    ),
    reibach="De woekerwinst-kaarten",
    reibach_example="De rij van de woekerwinst-kaarten: er zijn er vijf opgedoken. De eerste waardebepaling kwam met "
    "de vierde, de volgende komt met de zevende.",
    reibach_rules=(
        "Een woekerwinst-kaart die opduikt wordt apart gelegd, en de volgende kaart van de stapel vervangt haar.",
        "De vierde, de zevende en de tiende onderbreken het spel meteen: de rijen worden gewaardeerd.",
        (
            "Na de eerste twee waardebepalingen gaat de onderbroken beurt verder met de punten die over zijn. Na de "
            "derde is het spel uit."
        ),
    ),
    scoring="Een waardebepaling",
    scoring_lead="De branches worden één voor één bekeken. De lengte van een rij is het aantal branchekaarten en "
    "multitalent-kaarten. Alleen rijen met minstens één kaart op de spelmaker doen mee.",
    case="Je rij",
    earns="Miljoen",
    cases=(
        ("is de enige in haar branche, hoe kort ook", "4"),
        ("is als enige de langste", "3"),
        ("is samen met andere de langste: 4, gedeeld en naar beneden afgerond", "2, 1, 1, 0"),
        ("is als enige de op één na langste, achter één enkele langste", "1"),
        ("al het andere; ook een gedeelde tweede plaats, of een tweede plaats achter meerdere langste", "0"),
    ),
    scoring_notes=(
        "Een risicokaart verdubbelt wat haar rij zojuist opbracht, bij elke waardebepaling vanaf dat moment.",
        "De derde waardebepaling kost ook: 2 voor elke spelmaker zonder kaart erop, en 1 voor elke handkaart.",
    ),
    example="Een voorbeeld",
    example_lead="Anna, Bert en Carla zitten in de tweede waardebepaling.",
    player="Naam",
    row="Rij",
    reasons={
        "monopoly": "de enige rij",
        "longest": "de langste",
        "shared_longest": "gedeeld de langste",
        "second": "de tweede",
        "shared_second": "gedeeld tweede",
        "none": "niets",
    },
    end="Het einde",
    end_rules=(
        "Wie na de derde waardebepaling het meeste geld heeft, wint. Bij gelijke stand wordt de overwinning gedeeld.",
        "Een totaal kan onder nul komen.",
    ),
    details="Wat de gedrukte regels openlaten",
    details_rules=(
        (
            "Het gat of de trekking waarbij de vierde of zevende woekerwinst-kaart opdook, wordt na de waardebepaling "
            "afgemaakt. Daarbij kunnen er meer opduiken, en zo meteen de volgende waardebepaling in gang zetten. De "
            "punten blijven uitgegeven."
        ),
        "Met de tiende woekerwinst-kaart is het afgelopen: het gat blijft leeg, en een trekking geeft geen kaart.",
        "Wie de tafel opent, zegt wie begint. Daarna gaan de beurten op volgorde van de plaatsen.",
    ),
    variants="Varianten",
    variants_lead="Beide gelden alleen als ze bij het openen gekozen zijn.",
    variants_texts={
        "expensive_specials": "Een open multitalent-kaart of risicokaart nemen kost twee actiepunten. Is er nog één "
        "punt over en valt er niets mee te doen, dan vervalt het.",
        "staggered_start": "Op volgorde van de beurten beginnen de spelers met 0, 1, 2, … miljoen.",
    },
    begin="Spelen",
)
