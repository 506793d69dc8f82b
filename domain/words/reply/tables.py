"""The tables of `vocabulary.py`: words as people write them, with accents."""

from collections.abc import Mapping
from typing import Final

from domain.cards import BUSINESSES, Card

ROLES: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "TAKE": "take takes taking pick choose",
        "DRAW": "draw draws drawing",
        "LAY": "lay lays laying",
        "APPEND": "append appends add adds attach put",
        "ROW": "row",
        "MAKER": "businessmaker",
        "DISPLAY": "display middle",
        "PLACE": "slot place",
        "PILE": "pile deck stack top",
        "ON": "on onto to",
        "FILLER": "the a an one my i ll d would like want will card number from of at in as face down finally now also",
        "POLITE": "please thanks thank you very much many ok okay yes kindly",
    },
    "de": {
        "TAKE": "nimm nehme nehmen",
        "DRAW": "zieh ziehe ziehen",
        "LAY": "leg lege legen auslegen ablegen",
        "APPEND": "anlegen anhängen hänge häng anfügen hinzufügen füge",
        "ROW": "reihe",
        "MAKER": "geschäftemacher",
        "DISPLAY": "mitte auslage",
        "PLACE": "platz",
        "PILE": "stapel aufnahmestapel nachziehstapel",
        "ONTO": "an dran",
        "ON": "auf in zu zur",
        "FILLER": "ich möchte will würde gern gerne die der das den dem ein eine einen einer mein meine meinen meiner "
        "karte nummer aus vom von ab hin hinzu zuerst erst zuletzt jetzt nun als auch",
        "POLITE": "bitte danke dank dir euch vielen schön schon sehr ok okay ja",
    },
    "nl": {
        "TAKE": "neem neemt nemen pak pakken kies",
        "DRAW": "trek trekt trekken",
        "LAY": "leg legt leggen neerleggen",
        "APPEND": "aanleggen toevoegen voeg",
        "ROW": "rij",
        "MAKER": "spelmaker",
        "DISPLAY": "midden",
        "PLACE": "plaats",
        "PILE": "stapel voorraadstapel",
        "ONTO": "aan toe",
        "ON": "op bij in",
        "FILLER": "ik wil zou de het een t mijn kaart nummer uit van als eerst nu ook neer",
        "POLITE": "graag alsjeblieft alstublieft aub svp dank bedankt dankjewel je u wel ok oké ja",
    },
    "fr": {
        "TAKE": "prends prendre prenez choisis",
        "DRAW": "pioche piocher tire tirer",
        "LAY": "pose poser",
        "APPEND": "ajoute ajouter ajoutez",
        "ROW": "suite",
        "MAKER": "réceptrice",
        "DISPLAY": "milieu",
        "PLACE": "emplacement place",
        "PILE": "pile",
        "ON": "à sur dans au",
        "FILLER": "je j voudrais veux vais le la les l un une de du des d ma mon carte numéro comme abord maintenant",
        "POLITE": "merci beaucoup bien s il te vous plaît svp stp ok oui",
    },
}
"""Language -> role -> words."""

ALIASES: Final[Mapping[str, Mapping[Card, str]]] = {
    "en": {
        **{business: business for business in BUSINESSES},
        "jewellery": "jewellery, jewelry, jewels",
        "multitalent": "multitalent, multitalented, multitalent card, joker",
        "risk": "risk, risk card 2x, risk 2x, 2x, x2",
    },
    "de": {
        "shares": "Aktie",
        "luxury": "Luxus",
        "multitalent": "Joker, Multitalent-Karte, Multitalentkarte",
        "risk": "Risiko, Risiko-Karte, Risikokarte, Risikokarte 2x, Risiko 2x, 2x",
    },
    "nl": {
        "shares": "waardepapier",
        "luxury": "luxe, luxeprodukten",
        "gambling": "gokspel",
        "multitalent": "multitalent, multitalentkaart, joker",
        "risk": "risico, risicokaart, risico-kaart, risico 2x, 2x",
    },
    "fr": {
        "shares": "action",
        "luxury": "luxe",
        "gambling": "jeux",
        "jewellery": "bijou",
        "multitalent": "multi-affaires, carte multi-affaires, joker, multitalent",
        "risk": "risque, carte risque, risque x2, x2, 2x",
    },
}
"""Language -> card -> its names besides the one of `Words.cards`."""

GREETINGS: Final = """
hi hello hey dear good hallo moin servus liebe lieber guten grüezi hoi dag beste lieve goedemorgen goedemiddag
goedenavond bonjour bonsoir salut coucou cher chère chers
"""
FAREWELLS: Final = """
regards cheers bye sincerely greetings care gruß grüße grüßen mfg lg vg tschüss tschüß ciao groet groeten groetjes mvg
cordialement amitiés bises salutations bientôt
"""

FORMS: Final[Mapping[str, Mapping[str, str]]] = {
    "en": {
        "Take": "take {place}",
        "TakeCard": "take {card}",
        "Draw": "draw",
        "LayBusinessmaker": "lay {card}",
        "Append": "append {card} {place}",
    },
    "de": {
        "Take": "nimm {place}",
        "TakeCard": "nimm {card}",
        "Draw": "zieh",
        "LayBusinessmaker": "leg {card}",
        "Append": "leg {card} an Reihe {place}",
    },
    "nl": {
        "Take": "neem {place}",
        "TakeCard": "neem {card}",
        "Draw": "trek",
        "LayBusinessmaker": "leg {card}",
        "Append": "leg {card} aan rij {place}",
    },
    "fr": {
        "Take": "prends {place}",
        "TakeCard": "prends {card}",
        "Draw": "pioche",
        "LayBusinessmaker": "pose {card}",
        "Append": "ajoute {card} à la suite {place}",
    },
}
"""Language -> action -> how a mail shows it; an answer may repeat it word for word."""
