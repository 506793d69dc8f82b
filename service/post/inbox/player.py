"""Plays what a mail asks for, on the path of every request: `GameLog.handle`, all actions as one list.

Rule 1: a wish is judged on the game as it is now. A mail can't play into a later turn than the one it was written in,
as far as the mail that it answers tells.
Rule 2: the same mail gives the same actions: it has an idempotency key, and its first outcome is looked for before it
is judged.
Rule 3: what a card's name means is settled on the version at which the actions are applied, or not at all.
Rule 4: a mail of an abandoned seat brings its person back, also where nothing else can be done: mails to the seat have
ended, so its next turn would be a surprise.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from operator import eq
from typing import Final

from domain.commands import Act, Action, Command, ReclaimSeat, Take, TakeCard, Wish
from domain.legality import refuse_away
from domain.orders.planner import find_action
from domain.refusals import Refused
from domain.state import Game
from domain.words.refusals.sentences import Sentence, phrase_for_table, sentence_of
from domain.words.reply import Reply, read_reply, write_wish
from service.gamelog.errors import NoSuchVersion, StaleVersion, StoreUnavailable
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from service.post.inbox.message import IncomingMail
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.headers import read_message_id
from service.signing.tokens import SeatToken

_ATTEMPTS: Final = 16


@dataclass(frozen=True, slots=True)
class SeatOfMail:
    game: str
    seat: int
    generation: int
    """Of the subscription to whose address the mail has come."""
    language: str
    """In which the answer names an action."""


class MailPlayer:
    def __init__(self, games: GameLog, secret: bytes, domain: str) -> None:
        """`secret`: of the deployment, for repeats; `domain`: of the message ids of this service's mails."""
        self._games = games
        self._secret = secret
        self._domain = domain

    def play(self, incoming: IncomingMail, of: SeatOfMail) -> AnswerMail:
        """Do what the mail asks for, or nothing. Raises NoSuchGame, TokenVoid, CorruptLog and StoreUnavailable.

        After StoreUnavailable a repeat settles what has happened.
        """
        mail = incoming.digest.hex()
        reply = read_reply(incoming.text) if incoming.text.strip() else Reply(error=Sentence("reply.no-text"))
        key = IdempotencyKey(f"mail/{of.seat}", mail, None, self._secret)
        for _ in range(_ATTEMPTS):
            head, is_late = self._load(incoming, of)
            refused = partial(AnswerMail, id=mail, mail=incoming.message_id, since=head.version, until=head.version)
            if first := self._games.find_answer(of.game, key):
                return self._tell(first, reply.wishes, incoming, of)
            command: Command = ReclaimSeat(seat=of.seat)
            asked = None
            if reason := reply.error or _refuse(head, of.seat, is_late=is_late):
                if head.over or head.seats[of.seat].away != "abandoned":
                    return refused(refusal=reason)
            else:
                actions = _find_actions(reply.wishes, head)
                asked = write_wish(reply.wishes[0], of.language)
                if not actions:
                    return refused(refusal=_missing(reply.wishes[0]), wish=asked)
                command = Act(seat=of.seat, actions=tuple(actions))
            try:
                token, matches = SeatToken(of.game, of.seat, of.generation), partial(eq, head.version)
                outcome = self._games.handle(of.game, command, key=key, matches=matches, token=token)
            except StaleVersion:
                continue
            except Refused as why:
                return refused(refusal=_phrase(why, head), wish=asked)
            return self._tell(outcome, reply.wishes, incoming, of)
        raise StoreUnavailable("the game changes faster than this mail can be played")

    def _load(self, incoming: IncomingMail, of: SeatOfMail) -> tuple[Game, bool]:
        """The game, and whether another turn has begun since the mail that is answered."""
        about = read_message_id(incoming.answers, self._domain) if incoming.answers else None
        if about is not None and (about.game, about.seat) == (of.game, of.seat):
            try:
                loaded, events = self._games.load_events(of.game, about.version)
            except NoSuchVersion:  # none of this service's mails
                pass
            else:
                return loaded.game, any(event["type"] == "TurnStarted" for event in events)
        return self._games.load(of.game).game, False

    def _tell(self, outcome: Outcome, wishes: Sequence[Wish], incoming: IncomingMail, of: SeatOfMail) -> AnswerMail:
        """What was done, and why the rest was not."""
        refusal, rest = None, wishes[outcome.applied :]
        if not outcome.applied:  # the mail has only brought its writer back
            refusal, rest = Sentence("reply.back"), ()
        elif outcome.refusal is not None:
            refusal = _phrase(outcome.refusal, outcome.loaded.game)
        elif rest:
            refusal = _missing(rest[0])
        return AnswerMail(
            id=incoming.digest.hex(),
            mail=incoming.message_id,
            since=outcome.events[0]["version"] - 1,
            until=outcome.events[-1]["version"],
            refusal=refusal,
            wish=write_wish(rest[0], of.language) if rest else None,
        )


def _refuse(game: Game, seat: int, *, is_late: bool) -> Sentence | None:
    """Why no action of the mail can be taken, whichever it is."""
    try:
        refuse_away(game, seat)
    except Refused as why:
        return _phrase(why, game)
    return Sentence("reply.earlier-turn") if is_late else None


def _phrase(refused: Refused, game: Game) -> Sentence:
    return phrase_for_table(sentence_of(refused), [seat.name for seat in game.seats])


def _find_actions(wishes: Sequence[Wish], game: Game) -> list[Action]:
    """The actions up to the first wish for a card that isn't on display.

    A card that an earlier wish takes is gone then: its slot may hold a card that the player has not seen.
    """
    game = game.copy()
    actions: list[Action] = []
    for wish in wishes:
        action = find_action(wish, game)
        if action is None:
            break
        if isinstance(action, Take):
            game.display[action.slot] = None
        actions.append(action)
    return actions


def _missing(wish: Wish) -> Sentence:
    """Why a wish has no action."""
    assert isinstance(wish, TakeCard)
    return Sentence("not-on-display", {"card": wish.card})
