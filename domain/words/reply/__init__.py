"""What an answer mail asks for, as people write it in any language: `take 2`, `lege Öl`, `say hello`, `pause`.

What a number means: a place, counted from 1. After a verb for taking it is a place on the display, from the left; after
one for appending one of the player's rows, in the order laid. It is never a quantity, since an action moves one card:
`take 2 cards` and `take 2 from the display` are not understood. Nor is it a list mark: at the beginning of a line a
number with a full stop, bracket or colon is dropped. So a clause has one number at most, and its verb says of what.

Rule 1: never a guess. A clause is an action only if one language knows each of its words, nothing is missing or too
much, and no other language reads another action. One clause that is none refuses the whole mail; what it could mean is
offered. A word such as `pause` stands alone on its line, with courtesies, and with no action in its mail; `say` and
what follows may stand below actions.
Rule 2: passed over are courtesies, a greeting with names on its line, a company's banner on top, and, behind thanks or
an empty line below an action, or below a word, text that has no doubt and no verb of an action, and is no part of one;
no action may follow such text, since it may be its condition. Behind a farewell or the sender's name, and below what is
quoted, an action or what takes one back refuses the mail; nothing else is read there, nor in a company's text.
Rule 3: the work is bounded for any text: 100 lines, 4,000 characters, 200 of a line, up to the first error.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from itertools import chain
from typing import Final

from domain.cards import SPECIALS
from domain.commands import LONGEST_MESSAGE, Append, Take
from domain.words.catalogue import read
from domain.words.refusals.sentences import Sentence
from domain.words.reply.clause import (
    MOST_ROWS,
    AppendToRow,
    MailWish,
    Parts,
    TakeShown,
    Word,
    is_fragment,
    read_clause,
    take_apart,
)
from domain.words.reply.day import Day, read_day
from domain.words.reply.nearest import complete, find_nearest
from domain.words.reply.quoting import LONGEST_LINE, own_text_of
from domain.words.reply.vocabulary import Role, clauses_of, fold, lexicon, tokens_of
from domain.words.spreadsheet import has_ink
from domain.words.wording import words_of

MOST_ACTIONS: Final = 3
"""The limit of a request's list of actions, too."""
_LONGEST_EXCERPT: Final = 60
_LONGEST_GREETING: Final = 4
"""Words, the names included; other people's names stand alone behind a comma or `and`."""
_LONGEST_FAREWELL: Final = 6
_LONGEST_NAME: Final = 3
_INCOMPLETE: Final = {"pass": "reply.pass", "say": "reply.say", "note": "reply.note", "vacation": "reply.vacation"}
"""What is said about words that mean nothing by themselves."""
_TELLING: Final = (Word("help"), Word("status"))
"""Words that change nothing: a question, too, and whatever stands below."""
_DIGITS: Final = re.compile(r"\b(?:19|20)\d\d\b|\d[:.h]\d\d\b|(?:\d\D{0,3}){6}")
_LIST_MARK: Final = re.compile(r"^\s*(?:[-*+\u2013\u2014\u2022\u00b7](?=\s)|\(?\d{1,2}[.):](?!\d)|[a-z]\))\s*")


@dataclass(frozen=True, slots=True)
class Reply:
    wishes: tuple[MailWish, ...] = ()
    """At most MOST_ACTIONS, in order; `orders.find_action` gives their actions."""
    word: str = ""
    """The request beside them: `say`, or another one alone; empty where there is none."""
    text: str = ""
    """What `say` says, or `note` notes."""
    until: Day | None = None
    """Of `vacation`."""
    tells_absence: bool = False
    """Whether that is said as a notice of absence says it, too: `I am on vacation until 5 December`."""
    error: Sentence | None = None
    """The first line that isn't understood, and what was expected; `phrase_refusal` puts it into words."""
    offers: tuple[MailWish | Word, ...] = ()
    """What that line could mean."""
    has_chat: bool = False
    """Whether more is said below the actions than a farewell, which goes nowhere."""


def read_reply(body: str, name: str = "", sender: str = "") -> Reply:
    """What the plain text of an answer mail asks for. Never raises. There are wishes or a word, or an error.

    A signature is known by `name`, of the seat, and by `sender`, the name that the mail gives its writer.
    """
    reader, own_text = _MailReader(name=tokens_of(fold(name)), sender={*tokens_of(fold(sender))}), own_text_of(body)
    reader.last = next((number for number, line in reversed(own_text.lines) if line.strip()), 0)
    note, doubtful, rest, reply = _find_note(own_text.lines), [*own_text.doubtful], own_text.rest, None
    for index, (number, line) in enumerate(own_text.lines):
        for word, begins in lexicon().texts.items():
            # Below an action `Note: ...` is a company's text, or of no account.
            if (begun := begins.match(line)) and (word == "say" or not reader.has_begun):
                below = (text.rstrip() for _, text in own_text.lines[index + 1 :])
                text = _without_farewell("\n".join([line[begun.end() :], *below]).strip(), reader.name)
                if has_ink(text):
                    reply = reader.take_text(word, number, text, is_cut=own_text.is_cut)
        if reply:
            break
        if index == note and reader.has_begun:
            doubtful += own_text.lines[index:]
            break
        if error := reader.read_line(number, line):
            return Reply(error=error, offers=reader.offers)
        if reader.is_finished:
            rest = [*own_text.lines[index + 1 :], *rest]
            break
    rest = rest[: _find_note(rest)] if reader.has_answer else ()
    unread = own_text.rest if own_text.is_cut and note == len(own_text.lines) else ()
    refused = (each for each in rest if each in unread or _takes_back(each[1]) or _is_answer(each[1]))
    undone = (each for each in own_text.signature if reader.has_answer and _takes_back(each[1]))
    if wrong := next(chain(refused, undone), None):
        return Reply(error=Sentence("reply.unknown", {"line": wrong[0], "text": _excerpt(wrong[1])}))
    is_doubtful = any(_is_answer(line) for _, line in doubtful)
    return Reply(error=Sentence("reply.empty")) if is_doubtful else reply or reader.conclude()


def read_message(body: str, name: str = "") -> Reply:
    """All that the sender of a mail wrote but a farewell, as a message to the table. `name`: of the seat."""
    own_text = own_text_of(body)
    text = _without_farewell("\n".join(line.rstrip() for _, line in own_text.lines).strip(), tokens_of(fold(name)))
    if not has_ink(text):
        return Reply(error=Sentence("reply.empty"))
    if lexicon().absence.search(folded := fold(text)) and re.search(r"\d", folded):
        return Reply(error=Sentence("reply.absence"))  # a notice of a program without any sign may say so, too
    return _MailReader(name=()).take_text("say", 1, text, is_cut=own_text.is_cut)


def has_message(body: str) -> bool:
    """Whether a line of a mail begins a message to the table, also below what isn't understood."""
    return any(lexicon().texts["say"].match(line) for _, line in own_text_of(body).lines)


def write_wish(wish: MailWish | Word, language: str) -> str:
    """The action or word in one of `LANGUAGES`, as `read_reply` understands it."""
    if isinstance(wish, Word):
        return " ".join(read(language, "reply").words[name][0] for name in wish.name.split())
    reply = read(language, "reply")
    cards = {**words_of(language).cards, **{card: reply.cards[card][0] for card in SPECIALS}}
    kind: type[MailWish] = {AppendToRow: Append, TakeShown: Take}.get(type(wish), type(wish))
    values = {name: getattr(wish, name) for name in kind.__dataclass_fields__}
    form: str = reply.forms[kind.__name__]
    return form.format_map({name: each + 1 if isinstance(each, int) else cards[each] for name, each in values.items()})


def _find_note(lines: Sequence[tuple[int, str]]) -> int:
    """Where a paragraph begins that a company has below each of its mails; after the last line where none does."""
    index = next((index for index, (_, line) in enumerate(lines) if lexicon().gateway.search(fold(line))), len(lines))
    while 0 < index < len(lines) and lines[index - 1][1].strip():
        index -= 1
    return index


def _is_answer(line: str) -> bool:
    """Whether it asks for something by itself."""
    reader = _MailReader(name=())
    return lexicon().texts["say"].match(line) is not None or (
        reader.read_line(0, line) is None and reader.conclude().error is None
    )


def _takes_back(line: str) -> bool:
    words, tokens = lexicon(), tokens_of(fold(line[:LONGEST_LINE]))
    has_doubt = not words.doubts.isdisjoint(tokens) and not words.acts.isdisjoint(tokens)
    return has_doubt or not words.retracts.isdisjoint(tokens)


_Case = Enum("_Case", "COURTESY GREETING CHAT BELOW_WORD SIGNATURE ACTION OTHER")
"""What a clause is that is no whole action; nothing is read behind a signature. The last two refuse the mail."""


@dataclass(slots=True)
class _MailReader:
    name: tuple[str, ...]
    sender: set[str] = field(default_factory=set)
    last: int = 0
    """Number of the last line that isn't empty."""
    wishes: list[MailWish] = field(default_factory=list)
    word: str = ""
    until: Day | None = None
    offers: tuple[MailWish | Word, ...] = ()
    is_finished: bool = False
    """Whether only a signature can follow."""
    _says_yes: bool = False
    _is_banner: bool = False
    """Whether the line belongs to what a company's mail server puts on top."""
    _may_chat: bool = False
    """Whether what follows may be no action at all."""
    _chat: Sentence | None = None
    """What is wrong with the first text passed over as such. No action may follow it: it may be its condition."""

    _has_digits: bool = False
    """Whether the line holds a day, a time, or a number to call."""
    tells_absence: bool = False

    @property
    def has_begun(self) -> bool:
        return bool(self.wishes or self.word)

    @property
    def has_answer(self) -> bool:
        """Whether what follows may be a farewell."""
        return self.has_begun or self._says_yes

    def conclude(self) -> Reply:
        if self.has_begun:
            has_chat = self._chat is not None
            return Reply(tuple(self.wishes), self.word, "", self.until, self.tells_absence, has_chat=has_chat)
        return Reply(word="yes") if self._says_yes else Reply(error=Sentence("reply.empty"))

    def take_text(self, word: str, number: int, text: str, *, is_cut: bool) -> Reply:
        """The mail, which ends with a message to the table, or a note to oneself."""
        if self.word:
            return Reply(error=Sentence("reply.alone", {"line": number}))
        if lexicon().hand.search(fold(text)):
            return Reply(error=Sentence("reply.secret"))
        if is_cut or len(text) > LONGEST_MESSAGE:
            name = "reply.message-long" if word == "say" else "reply.note-long"
            return Reply(error=Sentence(name, {"most": LONGEST_MESSAGE}))
        return Reply(tuple(self.wishes), word, text)

    def read_line(self, number: int, line: str) -> Sentence | None:
        """What is wrong with the line, if anything."""
        folded = fold(line[:LONGEST_LINE])
        is_empty, is_whole = not folded.strip(), len(line) <= LONGEST_LINE
        self._has_digits = _DIGITS.search(folded) is not None
        self.is_finished = number == self.last and self.has_answer and _is_signature(line)
        if self.is_finished:
            return None
        if is_empty:
            self._may_chat = self.has_begun
        begins = not self.has_begun and lexicon().banners.match(folded) is not None
        self._is_banner = begins or (self._is_banner and not is_empty)
        if self._is_banner:
            return None
        values: dict[str, str | int] = {"line": number, "text": _excerpt(line), "most": LONGEST_LINE}
        if not is_whole:
            tokens, wrong = tokens_of(folded), Sentence("reply.long", values)
            return wrong if tokens and not self._pass_over(tokens, [], wrong, greeted=False) else None
        if (day := read_day(folded)) and (day.day or not self._may_chat):
            self.tells_absence = lexicon().vacations_by_name.isdisjoint(tokens_of(folded)[:1])
            return self._add_word(number, "vacation", day)
        return self._read_clauses(clauses_of(_LIST_MARK.sub("", folded)), values)

    def _read_clauses(self, clauses: Sequence[str], values: Mapping[str, str | int]) -> Sentence | None:
        greeted, before = False, tuple[str, ...]()
        for clause in clauses:
            is_question = "?" in clause or "~~" in clause  # which is no order; nor is what is struck out
            if not (tokens := tokens_of(clause)) and not is_question:
                continue
            parts = take_apart(tokens)
            reading = read_clause(parts)
            reading = "reply.unknown" if is_question and reading not in _TELLING else reading
            if not isinstance(reading, str):
                if error := self._add(reading, values["line"]):
                    return error
                before = tokens
            elif not self._pass_over(
                tokens, parts, wrong := Sentence(reading, values), greeted=greeted and not is_question
            ):
                more = complete(before, tokens) if self.wishes and is_fragment(parts) else None
                self.offers = (self.wishes[-1], more) if more else find_nearest(clause)
                if not self.offers and any("?" in each for each in clauses):
                    self.offers = (Word("help"),)
                is_labelled = ":" in clause and self.offers  # the action itself isn't what is wrong
                return Sentence("reply.two" if more else "reply.unknown" if is_labelled else wrong.name, values)
            if self.is_finished:
                break
            greeted = greeted or _greets(tokens)
        return None

    def _add(self, wish: MailWish | Word, number: str | int) -> Sentence | None:
        """Add an action or a word; give what is wrong with that, if anything."""
        if isinstance(wish, Word):
            return self._add_word(number, wish.name)
        if self.word:
            return Sentence("reply.alone", {"line": number})
        self.wishes.append(wish)
        self._may_chat = False
        if len(self.wishes) > MOST_ACTIONS:
            return self._chat or Sentence("reply.too-many", {"line": number, "most": MOST_ACTIONS})
        return self._chat

    def _add_word(self, number: str | int, word: str, until: Day | None = None) -> Sentence | None:
        if self.has_begun:
            return Sentence("reply.alone", {"line": number})
        self.word, self.until = word, until
        is_whole = word not in _INCOMPLETE or (until is not None and until.day > 0)
        return self._chat if is_whole else Sentence(_INCOMPLETE[word], {"line": number})

    def _pass_over(self, tokens: tuple[str, ...], parts: list[Parts], error: Sentence, *, greeted: bool) -> bool:
        """Whether a clause that is no action is none of a kind that may stand there. `greeted`: before, on its line."""
        case = self._case_of(tokens, parts, greeted=greeted)
        if case is _Case.COURTESY:
            self._may_chat = self.has_begun
            self._says_yes = self._says_yes or Role.YES in _courtesies(parts)
        elif case is _Case.CHAT:
            self._chat = self._chat or error
        self.is_finished = case is _Case.SIGNATURE
        return case not in {_Case.ACTION, _Case.OTHER}

    def _case_of(self, tokens: tuple[str, ...], parts: list[Parts], *, greeted: bool) -> _Case:
        """The first line that holds."""
        begun, is_sure = self.has_begun, lexicon().doubts.isdisjoint(tokens)
        is_whole = tokens[: len(self.name)] == self.name and len(tokens) <= len(self.name) + 2
        is_name = bool(tokens and self.name) and (is_whole or tokens == self.name[: len(tokens)])
        cases = (
            (_Case.BELOW_WORD, Word(self.word) in _TELLING),
            (_Case.COURTESY, bool(_courtesies(parts))),
            (_Case.SIGNATURE, self.has_answer and is_name),
            (_Case.ACTION, _has_action(tokens, parts, may_be_digits=begun and self._has_digits)),
            (_Case.SIGNATURE, self.has_answer and is_sure and _is_farewell(tokens)),
            (_Case.SIGNATURE, self.has_answer and is_sure and set() < {*tokens} <= self.sender),
            (_Case.CHAT, begun and self._may_chat and (is_sure or self.word == "stop")),
            (_Case.BELOW_WORD, self.word != "" and is_sure),
            (
                _Case.GREETING,
                not begun and is_sure and (_greets(tokens) or (greeted and len(tokens) <= _LONGEST_FAREWELL)),
            ),
        )
        return next((case for case, holds in cases if holds), _Case.OTHER)


def _courtesies(parts: Sequence[Parts]) -> set[Role]:
    return set[Role]().union(*(each.courtesies for each in parts))


def _has_action(tokens: Sequence[str], parts: Sequence[Parts], *, may_be_digits: bool) -> bool:
    """Whether it has the verb of an action, but for a farewell as `take care`, or could be a part of one.

    `may_be_digits`: numbers alone are none.
    """
    words = lexicon()
    plays = any(Role.PLAY in each.roles and (each.cards or each.numbers) for each in parts)
    has_verb = not words.verbs.isdisjoint(tokens) and not words.farewell.match(" ".join(tokens))
    numbers = [int(token) for token in tokens if token.isdecimal()]
    are_digits = len(numbers) == len(tokens) and (may_be_digits or min(numbers, default=0) > MOST_ROWS)
    return plays or has_verb or (is_fragment(parts) and not are_digits)


def _is_signature(line: str) -> bool:
    """Whether it is one to three words, each with a capital and none of the lexicon, but for initials: `Kurt M.`."""
    words = tokens_of(line) if re.fullmatch(r"[\w\s.,'\u2019\u2013\u2014-]*", line[:LONGEST_LINE]) else ()
    are_capitals = all(word[0].isupper() for word in words)
    names = [fold(word) for word in words if len(word) > 1]
    return are_capitals and len(names) > 0 and len(words) <= _LONGEST_NAME and lexicon().known.isdisjoint(names)


def _is_farewell(tokens: Sequence[str]) -> bool:
    return len(tokens) <= _LONGEST_FAREWELL and bool(lexicon().farewell.search(" ".join(tokens)))


def _without_farewell(text: str, name: tuple[str, ...]) -> str:
    """A message without the lines at its end that are no part of it: a farewell and a name, or the player's name."""
    lines = text.splitlines()
    numbered = [(number, each) for number, line in enumerate(lines) if (each := tokens_of(fold(line[:LONGEST_LINE])))]
    last = numbered[1:][-2:]  # something else stands above
    if len(last) == 2 and (len(last[1][1]) > _LONGEST_GREETING or not _closes(last[0][1], name)):
        del last[0]
    start = next((number for number, each in last if _closes(each, name) or each == name[: len(each)]), len(lines))
    return "\n".join(lines[:start]).rstrip()


def _closes(tokens: tuple[str, ...], name: tuple[str, ...]) -> bool:
    """Whether the words are no more than a farewell, with or without the name: `see you at eight` says more."""
    signed = next((count for count in range(len(name), 0, -1) if tokens[-count:] == name[:count]), 0)
    match = lexicon().farewell.search(line := " ".join(tokens[: len(tokens) - signed]))
    before = line[: match.start()].split() if match else ()
    return match is not None and match.end() == len(line) and len(before) <= (2 if " " not in match[0] else 0)


def _greets(tokens: Sequence[str]) -> bool:
    return bool(tokens) and tokens[0] in lexicon().greetings and len(tokens) <= _LONGEST_GREETING


def _excerpt(line: str) -> str:
    """The beginning of a line, as text that any mail can hold."""
    text = line.strip().encode(errors="replace").decode()
    return text if len(text) <= _LONGEST_EXCERPT else f"{text[:_LONGEST_EXCERPT]}…"
