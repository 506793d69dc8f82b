"""What chat messages say, in each language.

Every template is a whole sentence and public in its game. None says "you": a channel has several readers.
"""

from typing import Final

SENTENCES: Final[dict[str, dict[str, str]]] = {
    "en": {
        "turn.started": "It\u2019s {player}\u2019s turn ({others}).",
        "turn.reminder": "It\u2019s still {player}\u2019s turn ({others}).",
        "round.scored": "A scoring round has been played ({players}).",
        "game.over": "The game is over ({players}).",
        "message.posted": "{author} writes: {text}",
        "until": "The turn lasts until {deadline}.",
    },
    "de": {
        "turn.started": "{player} ist an der Reihe ({others}).",
        "turn.reminder": "{player} ist noch immer an der Reihe ({others}).",
        "round.scored": "Es gab eine Wertung ({players}).",
        "game.over": "Das Spiel ist zu Ende ({players}).",
        "message.posted": "{author} schreibt: {text}",
        "until": "Der Zug dauert bis {deadline}.",
    },
    "nl": {
        "turn.started": "{player} is aan de beurt ({others}).",
        "turn.reminder": "{player} is nog steeds aan de beurt ({others}).",
        "round.scored": "Er was een waardebepaling ({players}).",
        "game.over": "Het spel is afgelopen ({players}).",
        "message.posted": "{author} schrijft: {text}",
        "until": "De beurt duurt tot {deadline}.",
    },
    "fr": {
        "turn.started": "C\u2019est à {player} de jouer ({others}).",
        "turn.reminder": "C\u2019est toujours à {player} de jouer ({others}).",
        "round.scored": "Un décompte a eu lieu ({players}).",
        "game.over": "La partie est terminée ({players}).",
        "message.posted": "{author} écrit\u00a0: {text}",
        "until": "Le tour dure jusqu\u2019au {deadline}.",
    },
}
"""By language: by the notice's type, and for the deadline of a turn."""
