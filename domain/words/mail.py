"""Words of mails alone: subjects, headings and the texts of links.

Rule: mails count slots and rows from 1, as people do; `words/reply/` reads and writes the actions of answers alike.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class MailWords:
    """What mails need besides the words of the table."""

    subjects: Mapping[str, str]
    """By type of mail: a template with `{players}`, the other players; of `confirmation` and `token` it has none."""
    headlines: Mapping[str, str]
    """By type of mail: the first sentence; that of `turn` and `reminder` with `{points}`."""
    headings: Mapping[str, str]
    """Of the parts of a mail."""
    deadline: str
    """With `{time}`."""
    earlier: str
    """In place of the oldest sentences, where there are too many for a mail."""
    labels: Mapping[str, str]
    """By kind of action, what a link says; cards with their article. `append.first` is for a row without cards."""
    answer: str
    """How to play by answering, with `{example}`."""
    links: Mapping[str, str]
    """Texts of links that are not actions."""
    confirm: str
    """What the link of a confirmation does."""
    renew: str
    """What the link to a new token does."""
    absence: Mapping[str, str]
    """What a player hears who misses turns: `warning` before the last one, `abandoned` after it, and the way back."""
    ignore: str
    """What to do for those who asked for nothing."""


MAIL: Final[Mapping[str, MailWords]] = {
    "en": MailWords(
        subjects={
            "turn": "Your turn: Reibach & Co. with {players}",
            "reminder": "Reminder, still your turn: Reibach & Co. with {players}",
            "scoring": "Scoring round: Reibach & Co. with {players}",
            "over": "The game is over: Reibach & Co. with {players}",
            "message": "A message: Reibach & Co. with {players}",
            "messages": "Messages: Reibach & Co. with {players}",
            "answer": "Your mail: Reibach & Co. with {players}",
            "confirmation": "Reibach & Co.: confirm this address",
            "token": "Reibach & Co.: a new token for your seat",
        },
        headlines={
            "turn": "It is your turn: you have {points}.",
            "reminder": "It is still your turn: you have {points} left.",
            "scoring": "A round has been scored.",
            "over": "The game is over.",
            "message": "There is a message for the table.",
            "messages": "There are messages for the table.",
            "answer": "Your mail was played.",
            "answer.part": "Only a part of your mail was played.",
            "answer.none": "Your mail was not played.",
            "confirmation": "Do you want mails about a game of Reibach & Co.?",
            "token": "Have you lost the token of your seat?",
        },
        headings={
            "recap": "Since your last turn",
            "done": "What was done",
            "hand": "Your hand",
            "table": "The table",
            "actions": "What you can do",
        },
        deadline="Your turn ends on {time}.",
        earlier="Earlier events are on the page of the game.",
        labels={
            "take": "Take {card} from the display",
            "draw": "Draw a card from the pile",
            "lay": "Lay {card} as a businessmaker",
            "append": "Add {card} to row {row} ({business})",
            "append.first": "Open row {row} with {card}",
        },
        answer="To play by mail, answer this mail with one action a line, such as “{example}”.",
        links={
            "game": "Open the game",
            "unsubscribe": "No more mails about this game",
            "confirm": "Confirm the address",
            "token": "Get a new token",
        },
        confirm="This address was given for mails about a game. "
        "They begin when you open the page and press its button.",
        renew="A new token for your seat was asked for with this address. You get it when you open the page and press "
        "its button; the old one is void then. The link is valid for a day. If you did not ask for this, do nothing.",
        absence={
            "warning": "If you don\u2019t play by then, a bot plays on for you, as you missed your last turn, too.",
            "abandoned": "You missed two turns in a row: a bot plays on for you.",
            "answer": "An answer to any mail of this game brings your seat back.",
            "reclaim": "You can reclaim your seat at any time.",
        },
        ignore="If you did not ask for this, do nothing: no further mail comes.",
    ),
    "de": MailWords(
        subjects={
            "turn": "Du bist an der Reihe: Reibach & Co. mit {players}",
            "reminder": "Erinnerung, du bist noch an der Reihe: Reibach & Co. mit {players}",
            "scoring": "Wertung: Reibach & Co. mit {players}",
            "over": "Das Spiel ist aus: Reibach & Co. mit {players}",
            "message": "Eine Nachricht: Reibach & Co. mit {players}",
            "messages": "Nachrichten: Reibach & Co. mit {players}",
            "answer": "Deine Mail: Reibach & Co. mit {players}",
            "confirmation": "Reibach & Co.: diese Adresse bestätigen",
            "token": "Reibach & Co.: ein neuer Token für deinen Platz",
        },
        headlines={
            "turn": "Du bist an der Reihe und hast {points}.",
            "reminder": "Du bist noch an der Reihe und hast {points} übrig.",
            "scoring": "Es gab eine Wertung.",
            "over": "Das Spiel ist aus.",
            "message": "Es gibt eine Nachricht an alle am Tisch.",
            "messages": "Es gibt Nachrichten an alle am Tisch.",
            "answer": "Deine Mail wurde gespielt.",
            "answer.part": "Nur ein Teil deiner Mail wurde gespielt.",
            "answer.none": "Deine Mail wurde nicht gespielt.",
            "confirmation": "Möchtest du Mails zu einem Spiel Reibach & Co.?",
            "token": "Hast du den Token deines Platzes verloren?",
        },
        headings={
            "recap": "Seit deinem letzten Zug",
            "done": "Was getan wurde",
            "hand": "Deine Hand",
            "table": "Der Tisch",
            "actions": "Was du tun kannst",
        },
        deadline="Dein Zug endet am {time}.",
        earlier="Was davor geschah, steht auf der Seite des Spiels.",
        labels={
            "take": "{card} aus der Mitte nehmen",
            "draw": "eine Karte vom Stapel ziehen",
            "lay": "{card} als Geschäftemacher legen",
            "append": "{card} an Reihe {row} legen ({business})",
            "append.first": "Reihe {row} eröffnen: {card}",
        },
        answer="Um per Mail zu spielen, antworte mit einer Aktion je Zeile, zum Beispiel „{example}“.",
        links={
            "game": "Spiel öffnen",
            "unsubscribe": "Keine Mails mehr zu diesem Spiel",
            "confirm": "Adresse bestätigen",
            "token": "Neuen Token holen",
        },
        confirm="Diese Adresse wurde für Mails zu einem Spiel angegeben. Sie beginnen, sobald du die Seite öffnest und "
        "dort den Knopf drückst.",
        renew="Für deinen Platz wurde mit dieser Adresse ein neuer Token verlangt. Du bekommst ihn, wenn du "
        "die Seite öffnest und dort den Knopf drückst; der alte gilt dann nicht mehr. Der Link gilt einen Tag. Wenn du "
        "das nicht wolltest, tu nichts.",
        absence={
            "warning": "Ohne Aktion bis dahin spielt ein Bot für dich weiter: Schon dein letzter Zug lief ab.",
            "abandoned": "Zwei deiner Züge nacheinander sind abgelaufen: Ein Bot spielt für dich weiter.",
            "answer": "Eine Antwort auf irgendeine Mail zu diesem Spiel bringt deinen Platz zurück.",
            "reclaim": "Du kannst deinen Platz jederzeit zurücknehmen.",
        },
        ignore="Wenn du das nicht wolltest, tu nichts: Es kommt keine weitere Mail.",
    ),
    "nl": MailWords(
        subjects={
            "turn": "Jij bent aan de beurt: Reibach & Co. met {players}",
            "reminder": "Herinnering, je bent nog aan de beurt: Reibach & Co. met {players}",
            "scoring": "Waardebepaling: Reibach & Co. met {players}",
            "over": "Het spel is afgelopen: Reibach & Co. met {players}",
            "message": "Een bericht: Reibach & Co. met {players}",
            "messages": "Berichten: Reibach & Co. met {players}",
            "answer": "Je mail: Reibach & Co. met {players}",
            "confirmation": "Reibach & Co.: bevestig dit adres",
            "token": "Reibach & Co.: een nieuw token voor je plaats",
        },
        headlines={
            "turn": "Je bent aan de beurt en hebt {points}.",
            "reminder": "Je bent nog aan de beurt en hebt nog {points}.",
            "scoring": "Er was een waardebepaling.",
            "over": "Het spel is afgelopen.",
            "message": "Er is een bericht aan de hele tafel.",
            "messages": "Er zijn berichten aan de hele tafel.",
            "answer": "Je mail is gespeeld.",
            "answer.part": "Maar een deel van je mail is gespeeld.",
            "answer.none": "Je mail is niet gespeeld.",
            "confirmation": "Wil je mails over een spel Reibach & Co.?",
            "token": "Ben je het token van je plaats kwijt?",
        },
        headings={
            "recap": "Sinds je laatste beurt",
            "done": "Wat er is gedaan",
            "hand": "Je hand",
            "table": "De tafel",
            "actions": "Wat je kunt doen",
        },
        deadline="Je beurt eindigt op {time}.",
        earlier="Wat daarvoor gebeurde, staat op de pagina van het spel.",
        labels={
            "take": "{card} uit het midden nemen",
            "draw": "een kaart van de stapel trekken",
            "lay": "{card} als spelmaker leggen",
            "append": "{card} aanleggen bij rij {row} ({business})",
            "append.first": "rij {row} openen: {card}",
        },
        answer="Om per mail te spelen, antwoord je met één actie per regel, bijvoorbeeld ‘{example}’.",  # noqa: RUF001 - as Dutch has them
        links={
            "game": "Spel openen",
            "unsubscribe": "Geen mails meer over dit spel",
            "confirm": "Adres bevestigen",
            "token": "Nieuw token halen",
        },
        confirm="Dit adres is opgegeven voor mails over een spel. Ze beginnen zodra je de pagina opent en daar op de "
        "knop drukt.",
        renew="Voor je plaats is met dit adres een nieuw token gevraagd. Je krijgt het als je de pagina opent "
        "en daar op de knop drukt; het oude geldt dan niet meer. De link is een dag geldig. Als je "
        "dit niet wilde, doe dan niets.",
        absence={
            "warning": "Als je dan nog niet hebt gespeeld, speelt een bot voor je verder: ook je vorige beurt verliep.",
            "abandoned": "Twee van je beurten na elkaar zijn verlopen: een bot speelt voor je verder.",
            "answer": "Een antwoord op een mail over dit spel brengt je plaats terug.",
            "reclaim": "Je kunt je plaats altijd terugnemen.",
        },
        ignore="Als je dit niet wilde, doe dan niets: er komt geen mail meer.",
    ),
    "fr": MailWords(
        subjects={
            "turn": "À toi de jouer\u00a0: Reibach & Co. avec {players}",
            "reminder": "Rappel, c\u2019est encore à toi de jouer\u00a0: Reibach & Co. avec {players}",
            "scoring": "Décompte\u00a0: Reibach & Co. avec {players}",
            "over": "La partie est finie\u00a0: Reibach & Co. avec {players}",
            "message": "Un message\u00a0: Reibach & Co. avec {players}",
            "messages": "Des messages\u00a0: Reibach & Co. avec {players}",
            "answer": "Ton mail\u00a0: Reibach & Co. avec {players}",
            "confirmation": "Reibach & Co.\u00a0: confirmer cette adresse",
            "token": "Reibach & Co.\u00a0: un nouveau jeton pour ta place",
        },
        headlines={
            "turn": "C\u2019est à toi de jouer\u00a0: tu as {points}.",
            "reminder": "C\u2019est encore à toi de jouer\u00a0: il te reste {points}.",
            "scoring": "Un décompte a eu lieu.",
            "over": "La partie est finie.",
            "message": "Il y a un message pour toute la table.",
            "messages": "Il y a des messages pour toute la table.",
            "answer": "Ton mail a été joué.",
            "answer.part": "Seule une partie de ton mail a été jouée.",
            "answer.none": "Ton mail n\u2019a pas été joué.",
            "confirmation": "Veux-tu recevoir des mails sur une partie de Reibach & Co.\u202f?",
            "token": "As-tu perdu le jeton de ta place\u202f?",
        },
        headings={
            "recap": "Depuis ton dernier tour",
            "done": "Ce qui a été fait",
            "hand": "Ta main",
            "table": "La table",
            "actions": "Ce que tu peux faire",
        },
        deadline="Ton tour se termine le {time}.",
        earlier="Ce qui s\u2019est passé avant est sur la page de la partie.",
        labels={
            "take": "Prendre {card} au milieu",
            "draw": "Tirer une carte de la pioche",
            "lay": "Poser {card} comme carte réceptrice",
            "append": "Ajouter {card} à la suite {row} ({business})",
            "append.first": "Ouvrir la suite {row} avec {card}",
        },
        answer="Pour jouer par mail, réponds avec une action par ligne, par exemple «\u00a0{example}\u00a0».",
        links={
            "game": "Ouvrir la partie",
            "unsubscribe": "Ne plus recevoir de mails sur cette partie",
            "confirm": "Confirmer l\u2019adresse",
            "token": "Obtenir un nouveau jeton",
        },
        confirm="Cette adresse a été donnée pour recevoir des mails sur une partie. Ils commencent quand tu ouvres la "
        "page et appuies sur son bouton.",
        renew="Un nouveau jeton a été demandé pour ta place avec cette adresse. Tu l\u2019obtiens en ouvrant "
        "la page et en appuyant sur son bouton\u00a0; l\u2019ancien n\u2019est alors plus valable. Le "
        "lien est valable un jour. Si tu n\u2019as rien demandé, ne fais rien.",
        absence={
            "warning": "Sans action d\u2019ici là, un robot continuera à ta place\u00a0: ton dernier tour a expiré.",
            "abandoned": "Deux de tes tours de suite ont expiré\u00a0: un robot continue à ta place.",
            "answer": "Une réponse à un mail de cette partie te rend ta place.",
            "reclaim": "Tu peux reprendre ta place à tout moment.",
        },
        ignore="Si tu n\u2019as rien demandé, ne fais rien\u00a0: aucun autre mail ne viendra.",
    ),
}
"""By language."""
