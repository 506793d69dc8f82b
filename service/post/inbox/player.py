"""Does what a mail asks for, on the path of every request: `GameLog.handle`, all actions as one list.

Rule 1: a wish is judged on the game as it is now. A mail can't play into a later turn than the one it was written in,
as far as the mail that it answers tells; and a number means what that mail showed, or nothing of the mail is played.
Which one it answers says the address that it has come to, else its references, which anyone can make up: by these no
question is answered.
Rule 2: the same mail gives the same actions: it has idempotency keys, and its first outcome is looked for before it is
judged.
Rule 3: what a card's or a row's name means is settled on the version at which the actions are applied, or not at all.
Rule 4: a mail of an abandoned seat brings its person back, also where nothing else can be done: mails to the seat have
ended, so its next turn would be a surprise. Only one that wants no more mails doesn't.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from operator import eq
from typing import Final

from domain.commands import Command, GiveConsent, PostMessage, ReclaimSeat
from domain.legality import refuse_away
from domain.orders.planner import missing
from domain.refusals import Refused
from domain.state import Game
from domain.words.refusals.sentences import Sentence, phrase_for_table, sentence_of
from domain.words.reply import Reply, has_message, read_message, read_reply, write_wish
from domain.words.reply.clause import Word
from domain.words.reply.quoting import has_quotation
from service.gamelog.idempotency import IdempotencyKey
from service.gamelog.log import GameLog, Outcome
from service.gamelog.notes import put_note
from service.gamelog.store.errors import StaleVersion, StoreUnavailable
from service.post.inbox.commands import ask_back, command_of, command_of_wishes, is_possible
from service.post.inbox.message import IncomingMail
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.headers import SHOWN, MailSubject, read_message_id
from service.post.notices import CONSENTS
from service.post.subscriptions import Subscription
from service.signing.salts import new_salt
from service.signing.tokens import SeatToken, holds_secret

_ATTEMPTS: Final = 16
_RESIGNING: Final = "resign"
_CANCELLING: Final = "cancel"
QUESTIONS: Final = frozenset({_RESIGNING, _CANCELLING})
"""The kinds of the mails that ask back."""
_OF_MESSAGES: Final = frozenset({"message", "messages"})
_KINDS: Final = {"say": "said", "note": "noted", "help": "help", "status": "status", "no": "no"}
"""Of answers, by the mail's word; those to the other words say that it was done."""
_TELLING: Final = frozenset({"reclaim", "help", "status"})
"""Words whose answer says so itself, where the mail has brought its writer back."""
_HEADER: Final = re.compile(r"(?m)^[\W_]*[^\W\d_]{1,14} ?:.*[^\s@]@[^\s@]+\.\w|[^\s@]@[^\s@]+\.\w.*: *$")
"""A line of a quoted header, or the introduction of a quotation, with a bare address."""
_OF_MAIL: Final = ("reply.", "not-your-turn", "seat-", "game-")
"""How the names of refusals begin that aren't about one action."""
_ASKING: Final = {
    "reply.resign": _RESIGNING,
    "reply.cancel": _CANCELLING,
    "reply.back": "back",
    "reply.message": "asked",
    "reply.which": "asked",
}
"""Of answers, by what they say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MailPlayer:
    games: GameLog
    secret: bytes
    """Of the deployment, for repeats."""
    domain: str
    """Of the message ids of this service's mails."""

    def play(
        self, incoming: IncomingMail, of: SeatToken, reader: Subscription, about: MailSubject | None, now: int
    ) -> AnswerMail | None:
        """Do what the mail asks for, or nothing; None where it wants no more mails. `now`: in ms since 1970.

        `reader`: the subscription to whose address it has come; `about`: which mail is answered, as the address says.
        Raises NoSuchGame, TokenVoid, CorruptLog and StoreUnavailable. After that a repeat settles what has happened.
        """
        game = self.games.load(of.game).game
        answered = [mail for text in incoming.answers if (mail := read_message_id(text, self.domain))]
        answered = [about] if about else answered
        mine = [mail for mail in answered if mail[:2] == (of.game, of.seat)]
        ours = [mail for mail in mine if 0 < mail.version <= mail.shown <= game.version]
        about = next((mail for mail in ours if mail.kind != SHOWN), None)
        if about is not None:
            showing = (mail.shown for mail in ours if (mail.kind, mail.version) == (SHOWN, about.version))
            about = about._replace(shown=next(showing, about.shown))
        reply = _read(incoming, game.seats[of.seat].name or "", about)
        # A quotation, which may be in a form that no language here knows.
        is_quoted = _HEADER.search(reply.text) or re.search(rf"(?i)@{re.escape(self.domain)}[>\]]", reply.text)
        if is_quoted or holds_secret(reply.text, of.game):
            reply = Reply(error=Sentence("reply.secret"))
        if reply.word == "stop":
            return None
        if reply.word == "note":
            put_note(self.games.store, of, reply.text)
        answer = self._do(incoming, of, "", partial(self._decide, reply, about, of, reader, now), game)
        done = [answer] if isinstance(answer, Outcome) else []
        said: Outcome | Sentence | None = None
        if reply.word == "say" and reply.wishes:  # whatever has become of these: it depends on nothing
            say = PostMessage(seat=of.seat, text=reply.text, salt=new_salt())
            said = self._do(incoming, of, "say", lambda _: say, done[0].head if done else game)
            done += [said] if isinstance(said, Outcome) else []
        if done and done[-1].head.seats[of.seat].away == "abandoned":  # a message brings nobody back by itself
            back = self._do(incoming, of, "back", lambda _: ReclaimSeat(seat=of.seat), done[-1].head)
            done += [back] if isinstance(back, Outcome) else []
        offers = tuple(offer for offer in reply.offers if is_possible(offer, game, of.seat, now))
        told = _tell(incoming, reader.language, replace(reply, offers=offers), done, (answer, said), game.version)
        asked = self._read_yes(about, game) if about and reply.error and not (done or offers) else None
        is_open = about and asked and is_possible(Word(asked), game, of.seat, now)
        return replace(told, question=(about.kind, about.version)) if about and is_open else told

    def _do(
        self,
        incoming: IncomingMail,
        of: SeatToken,
        part: str,
        decide: Callable[[Game], Command | Sentence | None],
        game: Game,
    ) -> Outcome | Sentence | None:
        """Do a part of the mail once, or say why not; None where there is nothing to do."""
        key = IdempotencyKey(f"mail/{of.seat}", incoming.digest.hex() + part, None, self.secret)
        for _ in range(_ATTEMPTS):
            if first := self.games.find_answer(of.game, key):
                return first
            command = decide(game)
            is_refused = command is None or (isinstance(command, Sentence) and command.name not in _ASKING)
            if is_refused and game.seats[of.seat].away == "abandoned" and not game.over:
                command = ReclaimSeat(seat=of.seat)
            if command is None or isinstance(command, Sentence):
                return command
            try:
                return self.games.handle(of.game, command, key=key, matches=partial(eq, game.version), token=of)
            except StaleVersion:
                game = self.games.load(of.game).game
            except Refused as why:
                return phrase(why, game)
        raise StoreUnavailable("the game changes faster than this mail can be played")

    def _decide(  # noqa: PLR0913 - all that it is judged by
        self, reply: Reply, about: MailSubject | None, of: SeatToken, reader: Subscription, now: int, game: Game
    ) -> Command | Sentence | None:
        if reply.error:
            return reply.error
        language = reader.language
        is_asked = about is not None and about.is_marked and about.kind == _CANCELLING
        if reply.word == "yes":
            word = self._read_yes(about, game) if about else None
            if word is None:
                return Sentence("reply.no-yes")
            reply = replace(reply, word=word)
        if not reply.wishes:
            command = command_of(reply, game, of.seat, language, reader.zone, now)
            if isinstance(command, GiveConsent) and not game.over:
                version = min(max(about.version, about.shown), game.version) if about else 0
                told = self.games.load_history(of.game).state_at(version).game
                command = ask_back(command, game, told, language, now, is_asked, reply.word != "agree") or command
            return replace(command, salt=new_salt()) if isinstance(command, PostMessage) else command
        try:
            refuse_away(game, of.seat)
        except Refused as why:
            return phrase(why, game)
        if about is not None and about.shown < game.turn_version:
            return Sentence("reply.earlier-turn")

        def load_shown() -> Game | None:
            return self.games.load_history(of.game).state_at(about.shown).game if about else None

        return command_of_wishes(reply.wishes, game, of.seat, load_shown)

    def _read_yes(self, about: MailSubject, game: Game) -> str | None:
        """The word that `yes` to a mail stands for; None where it asks nothing any more, or was answered."""
        if about.is_marked and about.kind == _RESIGNING:
            return "yes"
        told, *later = self.games.load_events(about.game, about.version - 1)[1]
        given = (told["data"]["seat"], told["data"]["to"]) if told["type"] == "ConsentGiven" else None
        to = given[1] if given in game.consents and about.kind == "people" else None
        to = "cancel" if about.is_marked and about.kind == _CANCELLING else to
        answers = [event["data"] for event in later if event["type"] in CONSENTS]
        is_answered = (about.seat, to) in {(data["seat"], data["to"]) for data in answers}
        return None if to is None or is_answered else f"agree {to}"


def _read(incoming: IncomingMail, name: str, about: MailSubject | None) -> Reply:
    if not incoming.text.strip():
        return Reply(error=Sentence("reply.hidden" if incoming.hides else "reply.no-text"))
    reply = read_reply(incoming.text, name, incoming.sender)
    if reply.tells_absence and not has_quotation(incoming.text):  # as a notice that no header shows
        return Reply(error=Sentence("reply.absence"))
    if reply.error is None and (incoming.page or incoming.is_struck):
        page = read_reply(incoming.page, name, incoming.sender)
        is_same = (page.wishes, page.word, page.until) == (reply.wishes, reply.word, reply.until)
        if not is_same and (page.error is None or incoming.is_struck):
            return Reply(error=Sentence("reply.page"))
    is_word = reply.word in {"say", "note", "help", "status"} and not reply.wishes
    if about is None or about.kind not in _OF_MESSAGES or is_word:
        return reply
    if reply.error is None and reply.word not in {"yes", "no"}:
        return Reply(error=Sentence("reply.message"))
    return read_message(incoming.text, name)


def _tell(  # noqa: PLR0913 - all that has come of a mail
    incoming: IncomingMail,
    language: str,
    reply: Reply,
    done: Sequence[Outcome],
    parts: tuple[Outcome | Sentence | None, Outcome | Sentence | None],
    version: int,
) -> AnswerMail:
    """What was done, and why the rest was not. `parts`: what has become of the mail, and of a message below actions."""
    answer, said = parts
    refusal, wish = answer if isinstance(answer, Sentence) else None, None
    first = answer if isinstance(answer, Outcome) else None
    is_back = first is not None and [event["type"] for event in first.events] == ["SeatReclaimed"]
    if is_back and reply.word not in _TELLING:
        refusal = Sentence("reply.back")  # the mail has only brought its writer back
    elif reply.wishes and (refusal is None or reply.error is None):
        applied = first.applied if first else 0
        rest = reply.wishes[applied:]
        if first is not None and first.refusal is not None:
            refusal = phrase(first.refusal, first.loaded.game)
        elif rest and refusal is None:
            refusal = missing(rest[0])
        is_of_mail = refusal is not None and refusal.name.startswith(_OF_MAIL)
        wish = write_wish(rest[0], language) if rest and not is_of_mail else None
        refusal = refusal or (said if isinstance(said, Sentence) else None)
    kind = _ASKING.get(refusal.name, "") if refusal else "" if reply.wishes else _KINDS.get(reply.word, "done")
    return AnswerMail(
        id=incoming.digest.hex(),
        mail=incoming.message_id,
        since=done[0].events[0]["version"] - 1 if done else version,
        until=done[-1].events[-1]["version"] if done else version,
        refusal=refusal,
        wish=wish,
        kind=kind,
        offers=tuple(write_wish(offer, language) for offer in reply.offers),
        has_unsent=isinstance(said, Sentence) or reply.has_chat or (bool(reply.error) and has_message(incoming.text)),
    )


def phrase(refused: Refused, game: Game) -> Sentence:
    return phrase_for_table(sentence_of(refused), game.seats)
