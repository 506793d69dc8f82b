"""What the players of the demonstration write: actions in words, as eight mail programs send them."""

import tomllib
from collections.abc import Sequence
from email.message import EmailMessage
from functools import partial
from html import escape
from importlib.resources import files
from itertools import count
from random import Random
from typing import Any, Final

from domain.bots import BOTS
from domain.bots.knowledge import knowledge_of
from domain.cards import SPECIALS
from domain.commands import Action, Draw, Take, TakeCard
from domain.orders.wishes import action_of
from domain.rules import Rules, rules_of
from domain.words.catalogue import read
from domain.words.wording import words_of
from service.post.mail.headers import POLICY

MAILS: Final = tomllib.loads((files(__package__) / "mails.toml").read_text("utf-8"))
"""`players` by seat, `phrases` by language, `programs` by name."""
_numbers: Final = count()


def choose_turn(view: dict[str, Any], legal: Sequence[Any]) -> list[Action]:
    """What a player does of what is legal now, until a card comes that nobody has seen: as the bot `greedy` chooses.

    Of the JSON of the API. Each action is legal after those before it, too, as far as a mail shows.
    """
    rules = rules_of(view["rules"], frozenset(name for name, on in view["variants"].items() if on))
    recall = partial(knowledge_of, len(view["seats"]), rules, ())  # `greedy` never asks
    actions, left, points = list[Action](), [action_of(action) for action in legal], view["turn"]["action_points"]
    while left and points > 0 and not (actions and isinstance(actions[-1], Draw)):
        actions.append(BOTS["greedy"].choose(view, rules, left, Random(1), recall))  # noqa: S311 - unused
        points -= _cost(rules, actions[-1])
        left = [action for action in left if _cost(rules, action) <= points and _is_apart(action, actions[-1])]
    return actions


def _cost(rules: Rules, action: Action) -> int:
    return rules.cost_draw if isinstance(action, Draw) else rules.cost_take


def _is_apart(action: Action, done: Action) -> bool:
    if isinstance(action, Take) and isinstance(done, Take):
        return action.slot != done.slot
    return type(action) is not type(done) and getattr(action, "card", "") != getattr(done, "card", None)


def say_action(action: Action, display: Sequence[str | None], language: str, number: int) -> str:
    """One of the two ways, by the number, in which a player says it; a card by its name where it lies there once."""
    cards = {**words_of(language).cards, **{card: read(language, "reply").cards[card][0] for card in SPECIALS}}
    wish: Any = action
    if isinstance(action, Take) and (card := display[action.slot]) and display.count(card) == 1:
        wish = TakeCard(card=card)
    place = getattr(wish, "slot", getattr(wish, "row", 0)) + 1
    phrase: str = MAILS["phrases"][language][type(wish).__name__][number % 2]
    return phrase.format(card=cards.get(getattr(wish, "card", "")), place=place)


def write_answer(mail: EmailMessage, sender: str, program: str, text: str) -> EmailMessage:
    """The answer to a mail, with that quoted as the program does. `own`: the sender's address."""
    form, body = MAILS["programs"][program], mail.get_body(("plain",))
    assert body is not None
    old = str(body.get_content()).rstrip()
    values = {"text": text, "were": old, "sender": str(mail["From"])}
    values |= {f"html_{name}": escape(value).replace("\n", "<br>\n") for name, value in values.items()}
    values |= {"own": sender, "subject": str(mail["Subject"])}
    values |= {"lines": "\n".join(f"> {line}".rstrip() for line in old.splitlines())}
    answer = EmailMessage(policy=POLICY)
    answer["From"], answer["To"], answer["Subject"] = sender, mail["Reply-To"], f"Re: {mail['Subject']}"
    answer["Message-ID"] = f"<{next(_numbers)}.{mail['Message-ID'].strip('<>')}>"
    answer["In-Reply-To"] = answer["References"] = mail["Message-ID"]
    add = answer.set_content
    for kind in ("plain", "html"):
        if kind in form:
            charset = form.get("charset", "utf-8")
            content = form[kind].lstrip().format(**values).encode(charset, "xmlcharrefreplace").decode(charset)
            add(content, subtype=kind, charset=charset)
            add = answer.add_alternative
    if form.get("flowed"):
        answer.set_param("format", "flowed")
    return answer
