"""Words of the game's page alone; `mail.py` has those that a mail says, too."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainTableWords:
    """What the page of a game says besides the words of the table."""

    recap: str
    """A heading: what happened lately."""
    prepared: str
    """A heading above the action of a link."""
    seat: str
    """A heading above the form for the token."""
    field: str
    """The label of its field."""
    show: str
    """Its button."""
    reload: str
    """A link that shows the game as it is now."""
    waiting: str
    """Whose turn it is, with `{name}`."""
    scoring: str
    open: str
    deadline: str
    """When the turn ends, with `{time}`."""
    late: str
    """The turn has timed out."""
    paused: str
    abandoned: str
    """Behind a player's name, like the next two."""
    resigned: str
    vacation: str
    """With `{time}`."""
    done: str
    """The action was taken."""
    stale: str
    """The game has changed since the page was shown."""
    refused_seat: str
    bad_form: str
    unknown: str
    """There is no such game."""


PLAIN_TABLE: Final[Mapping[str, PlainTableWords]] = {
    "en": PlainTableWords(
        recap="What happened last",
        prepared="The action of your link",
        seat="Play your seat",
        field="Token of your seat",
        show="Show my hand",
        reload="Show the game as it is now",
        waiting="It is the turn of {name}.",
        scoring="A round is being scored.",
        open="The game waits for players.",
        deadline="The turn ends on {time}.",
        late="The time of this turn is over.",
        paused="The game is paused: its clock stands still.",
        abandoned="away, the bot plays",
        resigned="resigned, the bot plays",
        vacation="on vacation until {time}",
        done="Done.",
        stale="Nothing was done: the game has changed since this page was shown.",
        refused_seat="This is not the token of a seat of this game.",
        bad_form="Nothing was done: the form could not be read.",
        unknown="There is no such game.",
    ),
    "de": PlainTableWords(
        recap="Was zuletzt geschah",
        prepared="Die Aktion deines Links",
        seat="Deinen Platz spielen",
        field="Token deines Platzes",
        show="Meine Hand zeigen",
        reload="Das Spiel zeigen, wie es jetzt ist",
        waiting="An der Reihe: {name}.",
        scoring="Eine Wertung wird ausgerechnet.",
        open="Das Spiel wartet auf Mitspieler.",
        deadline="Der Zug endet am {time}.",
        late="Die Zeit für diesen Zug ist um.",
        paused="Das Spiel macht Pause: Seine Uhr steht still.",
        abandoned="abwesend, der Bot spielt",
        resigned="aufgegeben, der Bot spielt",
        vacation="im Urlaub bis {time}",
        done="Erledigt.",
        stale="Nichts wurde getan: Seit diese Seite gezeigt wurde, hat sich das Spiel geändert.",
        refused_seat="Das ist nicht der Token eines Platzes in diesem Spiel.",
        bad_form="Nichts wurde getan: Das Formular war nicht zu lesen.",
        unknown="Dieses Spiel gibt es nicht.",
    ),
    "nl": PlainTableWords(
        recap="Wat er net gebeurde",
        prepared="De actie van je link",
        seat="Je plaats spelen",
        field="Token van je plaats",
        show="Mijn hand tonen",
        reload="Het spel tonen zoals het nu is",
        waiting="Aan de beurt: {name}.",
        scoring="Er wordt een waardebepaling uitgerekend.",
        open="Het spel wacht op spelers.",
        deadline="De beurt eindigt op {time}.",
        late="De tijd voor deze beurt is om.",
        paused="Het spel pauzeert: de klok staat stil.",
        abandoned="afwezig, de bot speelt",
        resigned="gestopt, de bot speelt",
        vacation="met vakantie tot {time}",
        done="Gedaan.",
        stale="Er is niets gedaan: het spel is veranderd sinds deze pagina werd getoond.",
        refused_seat="Dit is niet het token van een plaats in dit spel.",
        bad_form="Er is niets gedaan: het formulier was niet te lezen.",
        unknown="Dit spel bestaat niet.",
    ),
    "fr": PlainTableWords(
        recap="Ce qui vient de se passer",
        prepared="L\u2019action de ton lien",
        seat="Jouer ta place",
        field="Jeton de ta place",
        show="Montrer ma main",
        reload="Montrer la partie telle qu\u2019elle est",
        waiting="Au tour de {name}.",
        scoring="Un décompte est en cours.",
        open="La partie attend des joueurs.",
        deadline="Le tour se termine le {time}.",
        late="Le temps de ce tour est écoulé.",
        paused="La partie est en pause\u00a0: son horloge est arrêtée.",
        abandoned="absence, le robot joue",
        resigned="abandon, le robot joue",
        vacation="en vacances (fin\u00a0: {time})",
        done="C\u2019est fait.",
        stale="Rien n\u2019a été fait\u00a0: la partie a changé depuis l\u2019affichage de cette page.",
        refused_seat="Ce n\u2019est pas le jeton d\u2019une place de cette partie.",
        bad_form="Rien n\u2019a été fait\u00a0: le formulaire était illisible.",
        unknown="Cette partie n\u2019existe pas.",
    ),
}
"""By language."""
