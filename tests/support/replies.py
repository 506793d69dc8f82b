"""What an answer mail asks for, as tables of tests write it."""

from domain.commands import Append, AppendTo, Draw, LayBusinessmaker, Take, TakeCard
from domain.words.reply import Reply
from domain.words.reply.clause import AppendToRow, MailWish, TakeShown


def show(reply: Reply) -> str:
    if reply.error:
        return f"{reply.error.values.get('line', 0)}: {reply.error.name}"
    until = ".".join(map(str, reply.until or ()))
    word = f"{reply.word} {reply.text}{until}".strip().replace("\n", " / ")
    return ", ".join([*map(_name, reply.wishes), *filter(None, [word])])


def _name(wish: MailWish) -> str:  # noqa: PLR0911 - one for each kind
    match wish:
        case AppendToRow(card=card, business=business, row=row):
            return f"append {card} {row + 1} ({business})"
        case AppendTo(card=card, business=business):
            return f"append {card} to {business}"
        case TakeShown(slot=slot, card=card):
            return f"take {slot + 1} ({card})"
        case Take(slot=slot):
            return f"take {slot + 1}"
        case TakeCard(card=card):
            return f"take {card}"
        case Draw():
            return "draw"
        case LayBusinessmaker(card=card):
            return f"lay {card}"
        case Append(card=card, row=row):
            return f"append {card} {row + 1}"
