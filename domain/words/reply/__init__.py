"""The actions of an answer mail, as people write them in any language: `take 2`, `lege Öl`, `ajoute Or à la suite 1`.

What a number means: a place, counted from 1. After `take` it is a place on the display, from the left; after `append`
one of the player's rows, in the order laid; no other action has one. It is never a quantity, since an action moves one
card: `take 2 cards` and `take 2 from the display` are not understood. Nor is it a list mark: at the beginning of a line
a number with a full stop, bracket or colon is dropped. So a clause has one number at most, and its verb says of what.

Rule 1: never a guess. A clause is an action only if one language knows each of its words, nothing is missing or too
much, and no other language reads another action. One clause that is none refuses the whole mail.
Rule 2: passed over are courtesies, a greeting with names on its line, and, behind thanks or an empty line below an
action, text that has no verb of an action and is no part of one; no action may follow such text, since it may be its
condition. Behind a farewell nothing is read.
Rule 3: the work is bounded for any text: 100 lines, 4,000 characters, 200 of a line, up to the first error.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from domain.cards import SPECIALS
from domain.commands import Append, Draw, LayBusinessmaker, Take, TakeCard, Wish
from domain.words.catalogue import read
from domain.words.refusals.sentences import Sentence
from domain.words.reply.clause import is_fragment, is_polite, read_clause
from domain.words.reply.quoting import LONGEST_LINE, own_lines
from domain.words.reply.vocabulary import fold, lexicon, tokens_of
from domain.words.wording import words_of

MOST_ACTIONS: Final = 3
"""As many as a request may have."""
_LONGEST_EXCERPT: Final = 60
_LONGEST_GREETING: Final = 4
"""Words, the names included; other people's names stand alone behind a comma or `and`."""
_LIST_MARK: Final = re.compile(r"^\s*(?:[-*+\u2013\u2014\u2022\u00b7](?=\s)|\(?\d{1,2}[.):](?!\d)|[a-z]\))\s*")


@dataclass(frozen=True, slots=True)
class Reply:
    wishes: tuple[Wish, ...] = ()
    """1 to MOST_ACTIONS, in order; none if there is an error. `orders.find_action` gives their actions."""
    error: Sentence | None = None
    """The first line that isn't understood, and what was expected; `phrase_refusal` puts it into words."""


def read_reply(body: str) -> Reply:
    """The actions in the plain text of an answer mail. Never raises."""
    reader = _MailReader()
    for number, line in own_lines(body):
        if error := reader.read_line(number, line):
            return Reply(error=error)
        if reader.is_finished:
            break
    return Reply(tuple(reader.wishes)) if reader.wishes else Reply(error=Sentence("reply.empty"))


def write_wish(wish: Wish, language: str) -> str:
    """The action in one of `LANGUAGES`, as `read_reply` understands it."""
    reply, values = read(language, "reply"), dict[str, str | int]()
    cards = {**words_of(language).cards, **{card: reply.cards[card][0] for card in SPECIALS}}
    match wish:
        case Take(slot=place):
            values = {"place": place + 1}
        case TakeCard(card=card) | LayBusinessmaker(card=card):
            values = {"card": cards[card]}
        case Append(card=card, row=place):
            values = {"card": cards[card], "place": place + 1}
        case Draw():
            pass
    form: str = reply.forms[type(wish).__name__]
    return form.format(**values)


@dataclass(slots=True)
class _MailReader:
    wishes: list[Wish] = field(default_factory=list)
    is_finished: bool = False
    """Whether only a signature can follow."""
    _may_chat: bool = False
    """Whether what follows may be no action at all."""
    _chat: Sentence | None = None
    """What is wrong with the first text passed over as such. No action may follow it: it may be its condition."""

    def read_line(self, number: int, line: str) -> Sentence | None:
        """What is wrong with the line, if anything."""
        folded = fold(line[:LONGEST_LINE])
        if not folded.strip():
            self._may_chat = bool(self.wishes)
        is_whole = len(line) <= LONGEST_LINE
        greeted = False
        for clause in lexicon().separator.split(_LIST_MARK.sub("", folded)) if is_whole else [folded]:
            if not (tokens := tokens_of(clause)):
                continue
            found = read_clause(clause) if is_whole else "reply.long"
            if not isinstance(found, str):
                if error := self._add(found, number):
                    return error
                continue
            greets = tokens[0] in lexicon().greetings and len(tokens) <= _LONGEST_GREETING
            error = Sentence(found, {"line": number, "text": _excerpt(line), "most": LONGEST_LINE})
            if not self._pass_over(tokens, error, is_greeting=greets or (greeted and len(tokens) == 1)):
                return error
            if self.is_finished:
                break
            greeted = greeted or greets
        return None

    def _add(self, wish: Wish, number: int) -> Sentence | None:
        """Add an action; give what is wrong with that, if anything."""
        self.wishes.append(wish)
        self._may_chat = False
        if len(self.wishes) > MOST_ACTIONS:
            return self._chat or Sentence("reply.too-many", {"line": number, "most": MOST_ACTIONS})
        return self._chat

    def _pass_over(self, tokens: tuple[str, ...], error: Sentence, *, is_greeting: bool) -> bool:
        """Whether a clause that is no action is none of a kind that may stand there."""
        begun, words = bool(self.wishes), lexicon()
        if is_polite(tokens):
            self._may_chat = begun
            return True
        if is_fragment(tokens):
            return False
        if not words.verbs.isdisjoint(tokens) and tokens[:2] not in words.farewells:  # `take care` is none
            return False
        if begun and any(farewell[-1] in tokens for farewell in words.farewells):
            self.is_finished = True
            return True
        if begun and (self._may_chat or is_greeting):  # some greetings are farewells, too
            self._may_chat = True
            self._chat = self._chat or error
            return True
        return is_greeting


def _excerpt(line: str) -> str:
    """The beginning of a line, as text that any mail can hold."""
    text = line.strip().encode(errors="replace").decode()
    return text if len(text) <= _LONGEST_EXCERPT else f"{text[:_LONGEST_EXCERPT]}…"
