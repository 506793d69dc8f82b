"""The words of the pages that links in mails lead to, in four languages."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class PageWords:
    """A page with one question, and what it says once that is answered."""

    title: str
    question: str
    button: str
    done: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkWords:
    """The words of one language."""

    confirm: PageWords
    unsubscribe: PageWords
    token: PageWords
    void_title: str
    void: str
    """Of a link that was never issued, or whose time is over."""


LINK_PAGES: Final[Mapping[str, LinkWords]] = {
    "en": LinkWords(
        confirm=PageWords(
            title="Confirm the address",
            question="Do you want mails about this game at your address?",
            button="Yes, send me mails",
            done="The address is confirmed: mails about this game come from now on. Each has a link that ends them.",
        ),
        unsubscribe=PageWords(
            title="No more mails",
            question="Do you want no more mails about this game?",
            button="Send me no more mails",
            done="No more mails about this game are sent to your address. The game itself goes on.",
        ),
        token=PageWords(
            title="A new token",
            question="Do you want a new token for your seat? The old one is void then.",
            button="Give me a new token",
            done="This is the new token of your seat. Keep it: later it is not shown again.",
        ),
        void_title="This link does nothing any more",
        void="It was not copied whole, its time is over, or the address or token has changed since. Nothing has "
        "happened.",
    ),
    "de": LinkWords(
        confirm=PageWords(
            title="Adresse bestätigen",
            question="Möchtest du Mails zu diesem Spiel an deine Adresse?",
            button="Ja, schickt mir Mails",
            done="Die Adresse ist bestätigt: Ab jetzt kommen Mails zu diesem Spiel. Jede hat einen Link, der sie "
            "beendet.",
        ),
        unsubscribe=PageWords(
            title="Keine Mails mehr",
            question="Möchtest du keine Mails mehr zu diesem Spiel?",
            button="Keine Mails mehr schicken",
            done="An deine Adresse gehen keine Mails mehr zu diesem Spiel. Das Spiel selbst geht weiter.",
        ),
        token=PageWords(
            title="Neuer Token",
            question="Möchtest du einen neuen Token für deinen Platz? Der alte gilt dann nicht mehr.",
            button="Neuen Token ausgeben",
            done="Das ist der neue Token deines Platzes. Bewahre ihn auf: Später wird er nicht mehr gezeigt.",
        ),
        void_title="Dieser Link bewirkt nichts mehr",
        void="Er ist nicht vollständig, seine Zeit ist um, oder Adresse oder Token haben sich inzwischen geändert. Es "
        "ist nichts passiert.",
    ),
    "nl": LinkWords(
        confirm=PageWords(
            title="Adres bevestigen",
            question="Wil je mails over dit spel op je adres?",
            button="Ja, stuur me mails",
            done="Het adres is bevestigd: vanaf nu komen er mails over dit spel. In elke mail staat een link om "
            "te stoppen.",
        ),
        unsubscribe=PageWords(
            title="Geen mails meer",
            question="Wil je geen mails meer over dit spel?",
            button="Stuur me geen mails meer",
            done="Naar je adres gaan geen mails meer over dit spel. Het spel zelf gaat verder.",
        ),
        token=PageWords(
            title="Nieuw token",
            question="Wil je een nieuw token voor je plaats? Het oude geldt dan niet meer.",
            button="Geef me een nieuw token",
            done="Dit is het nieuwe token van je plaats. Bewaar het: later wordt het niet meer getoond.",
        ),
        void_title="Deze link doet niets meer",
        void="Hij is niet volledig, zijn tijd is om, of adres of token zijn intussen veranderd. Er is niets gebeurd.",
    ),
    "fr": LinkWords(
        confirm=PageWords(
            title="Confirmer l\u2019adresse",
            question="Veux-tu recevoir des mails sur cette partie à ton adresse\u202f?",
            button="Oui, envoyez-moi des mails",
            done="L\u2019adresse est confirmée\u00a0: les mails sur cette partie arrivent désormais. Chacun contient "
            "un lien pour les arrêter.",
        ),
        unsubscribe=PageWords(
            title="Plus de mails",
            question="Ne veux-tu plus recevoir de mails sur cette partie\u202f?",
            button="Ne plus m\u2019envoyer de mails",
            done="Plus aucun mail sur cette partie n\u2019est envoyé à ton adresse. La partie elle-même continue.",
        ),
        token=PageWords(
            title="Nouveau jeton",
            question="Veux-tu un nouveau jeton pour ta place\u202f? L\u2019ancien ne sera plus valable.",
            button="Obtenir un nouveau jeton",
            done="Voici le nouveau jeton de ta place. Garde-le\u00a0: il ne sera plus montré ensuite.",
        ),
        void_title="Ce lien ne fait plus rien",
        void="Il n\u2019est pas complet, son temps est passé, ou l\u2019adresse ou le jeton a changé "
        "depuis. Rien ne s\u2019est passé.",
    ),
}
"""By language."""
