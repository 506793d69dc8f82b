"""The commands that a mail means, on the game as it is: the same that HTTP has. Pure."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, time, timedelta
from typing import Final, assert_never
from zoneinfo import ZoneInfo

from domain.cards import BUSINESS_SET
from domain.commands import (
    Act,
    Action,
    Append,
    AppendTo,
    Command,
    Draw,
    EndVacation,
    GiveConsent,
    LayBusinessmaker,
    PostMessage,
    ReclaimSeat,
    Resign,
    ResumeGame,
    Take,
    TakeCard,
    TakeVacation,
    WithdrawConsent,
)
from domain.decide import decide
from domain.orders.planner import find_action, missing
from domain.people.legality import AGREEMENTS, asked_of, is_agreed, is_on_vacation
from domain.refusals import Refused
from domain.state import Game
from domain.words.refusals.sentences import Sentence
from domain.words.reply import Reply, write_wish
from domain.words.reply.clause import AppendToRow, MailWish, TakeShown, Word

_SIMPLE: Final[Mapping[str, Callable[..., Command]]] = {"reclaim": ReclaimSeat, "resume": ResumeGame, "yes": Resign}


def command_of(  # noqa: PLR0911, PLR0913 - one for each word, and who asks
    reply: Reply, game: Game, seat: int, language: str, zone: str, now: int
) -> Command | Sentence | None:
    """The command of a word, or why nothing is done; None where it only asks to be told something."""
    word, _, what = (f"agree {reply.word}" if reply.word in AGREEMENTS else reply.word).partition(" ")
    if word == "reclaim" and is_on_vacation(game.seats[seat], now) and game.seats[seat].away is None:
        return EndVacation(seat=seat)
    if word in _SIMPLE:
        return _SIMPLE[word](seat=seat)
    if word == "say":
        return PostMessage(seat=seat, text=reply.text)
    if word == "vacation":
        until = _end_of_vacation(reply, ZoneInfo(zone), now)
        return Sentence("reply.vacation", {"line": 1}) if until is None else TakeVacation(seat=seat, until=until)
    if word not in {"agree", "withdraw"}:
        return Sentence("reply.resign") if word == "resign" else None
    mine = sorted(to for agreeing, to in game.consents if agreeing == seat)
    agreements = [what] if what else asked_of(game.consents, seat, game.turn_seat) if word == "agree" else mine
    if len(agreements) > 1:
        return Sentence("reply.which", {"values": [write_wish(Word(f"{word} {to}"), language) for to in agreements]})
    if not agreements:
        return Sentence("reply.nothing-asked" if word == "agree" else "reply.nothing-agreed")
    about = game.turn_seat if agreements[0] == "release" else None
    if about == seat:
        return Sentence("reply.own-turn")
    return (GiveConsent if word == "agree" else WithdrawConsent)(seat=seat, to=agreements[0], about=about)


def is_possible(offer: MailWish | Word, game: Game, seat: int, now: int) -> bool:
    """Whether what could be meant could also be done now; a word that needs something after it always could."""
    if not isinstance(offer, Word):
        actions = _find_actions([offer], game, seat)
        command: Command | Sentence | None = Act(seat=seat, actions=tuple(actions)) if actions else missing(offer)
    elif offer.name in {"say", "note", "vacation"}:
        return True
    else:
        word = "yes" if offer.name == "resign" else offer.name  # what it asks is answered by that
        command = command_of(Reply(word=word), game, seat, "en", "UTC", now)
    try:
        return command is None or (not isinstance(command, Sentence) and bool(decide(command, game, now)))
    except Refused:
        return False


def _end_of_vacation(reply: Reply, zone: ZoneInfo, now: int) -> int | None:
    """The end of its day, in ms since 1970, by the zone's clocks; None where there is no such day."""
    day = reply.until and reply.until.next_after(datetime.fromtimestamp(now / 1000, zone).date())
    return None if day is None else int(datetime.combine(day + timedelta(days=1), time(), zone).timestamp() * 1000)


def ask_back(  # noqa: PLR0913 - what was meant, and what is
    consent: GiveConsent, game: Game, told: Game, language: str, now: int, is_asked: bool, is_named: bool
) -> Sentence | None:
    """What to ask before the seat agrees, if anything: it may have read of something else, and a game ends for good.

    `told`: the game as of the answered mail, empty without one; `is_asked`: that mail asked it; `is_named`: to what.
    """
    seat, to = consent.seat, consent.to
    is_meant = is_named or any(other != seat and agreement == to for other, agreement in told.consents)
    if not is_meant or (to == "release" and told.turn_version != game.turn_version):
        return Sentence("reply.which", {"values": [write_wish(Word(f"agree {to}"), language)]})
    after = game.copy()
    after.at, after.consents, after.seats[seat].away = now, game.consents | {(seat, to)}, None
    return Sentence("reply.cancel") if to == "cancel" and not is_asked and is_agreed(after, to) else None


def command_of_wishes(
    wishes: Sequence[MailWish], game: Game, seat: int, load_shown: Callable[[], Game | None]
) -> Act | Sentence:
    """The command, or why nothing of the mail is played. `load_shown`: the game as the answered mail showed it."""
    if numbers := [type(wish) for wish in wishes if {"slot", "row"} & wish.__dataclass_fields__.keys()]:
        then = load_shown()
        if then is None and not {Take, Append}.isdisjoint(numbers):  # beside a name it says what it means
            return Sentence("reply.number")
        if why := _refuse_numbers(wishes, game, then or game, seat):
            return why
    actions = _find_actions(wishes, game, seat)
    return Act(seat=seat, actions=tuple(actions)) if actions else missing(wishes[0])


def _refuse_numbers(wishes: Sequence[MailWish], game: Game, then: Game, seat: int) -> Sentence | None:
    """Why a number doesn't mean now what it meant then, if any doesn't."""
    taken, laid, rows = set[int](), 0, game.seats[seat].rows
    known = len(then.seats[seat].rows)
    for wish in wishes:
        match wish:
            case Take(slot=slot):
                if why := _refuse_place(wish, game, then, is_taken=slot in taken):
                    return why
                taken.add(slot)
            case TakeCard(card=card) if card in game.display:
                taken.add(game.display.index(card))
            case LayBusinessmaker() if known == len(rows) + laid:  # it opens the next row that the mail counts
                laid, known = laid + 1, known + 1
            case Append(row=row) | AppendToRow(row=row):
                if row >= known:
                    return Sentence("reply.new-row" if row < len(rows) else "reply.no-row", {"row": row + 1})
                if isinstance(wish, AppendToRow) and row < len(rows) and rows[row].business != wish.business:
                    return Sentence("reply.other-row", {"row": row + 1, "business": wish.business})
            case Draw() | AppendTo() | TakeCard() | LayBusinessmaker():
                pass
            case _ as never:
                assert_never(never)
    return None


def _refuse_place(wish: Take, game: Game, then: Game, *, is_taken: bool) -> Sentence | None:
    """Why the place of the display hasn't the card now that it had then. `is_taken`: by an earlier wish."""
    before, card = then.display[wish.slot] or "", game.display[wish.slot] or ""
    before = wish.card if isinstance(wish, TakeShown) else before
    values: dict[str, int | str] = {"place": wish.slot + 1, "before": before, "card": card}
    if before and is_taken:
        return Sentence("reply.taken", values)
    if before == card:
        return None
    name = "reply.moved" if before and card else "reply.moved.empty" if before else "reply.moved.new"
    return Sentence(name, {name: value for name, value in values.items() if value})


def _find_actions(wishes: Sequence[MailWish], game: Game, seat: int) -> list[Action]:
    """The actions up to the first wish for a card that isn't on display, or a row that isn't there.

    A card that an earlier wish takes is gone then: its slot may hold a card that the player has not seen.
    """
    game = game.copy()
    rows, actions = game.seats[seat].rows, list[Action]()
    for wish in wishes:
        match wish:
            case TakeShown(slot=slot):
                action: Action | None = Take(slot=slot)
            case AppendToRow(card=card, row=row):
                action = Append(card=card, row=row)
            case _:
                action = find_action(wish, game, seat)
        match action:
            case None:
                break
            case Take(slot=slot):
                game.display[slot] = None
            case Append(card=card, row=row):
                if row < len(rows) and card in BUSINESS_SET:
                    rows[row] = rows[row]._replace(business=rows[row].business or card)
            case Draw() | LayBusinessmaker():
                pass
            case _ as never:
                assert_never(never)
        actions.append(action)
    return actions
