"""One clause of an answer mail: an action or a request in one of the languages, or what it lacks."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import itemgetter
from typing import Final, NamedTuple, TypeAlias

from domain.cards import BUSINESS_SET, Business, Card
from domain.commands import Append, AppendTo, Draw, LayBusinessmaker, Take, TakeCard, Wish
from domain.rules import RULES
from domain.words.reply.vocabulary import COURTESIES, NOUNS, VERBS, Role, Term, Vocabulary, lexicon

EXPECTED: Final = {role: f"reply.{role.name.lower()}" for role in VERBS}
"""The sentence that says how such an action is written."""
_MEANS_LAYING: Final = frozenset({Role.MAKER, Role.NEW, Role.DOWN})
_BETWEEN: Final = frozenset({Role.FILLER, Role.WISH, *COURTESIES})
"""What may stand anywhere in an action, and says nothing of it."""
_MOST_PLACES: Final = max(rules.display_size for rules in RULES.values())
MOST_ROWS: Final = max(rules.max_businessmakers for rules in RULES.values())
"""Of any rule set: a mail is read before its game is."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppendToRow(AppendTo):
    """Lay a hand card on this row, which is of that business: both must be true."""

    row: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TakeShown(Take):
    """Take the card of this place, which is that card: both must be true."""

    card: Card


class Word(NamedTuple):
    """A request that is no action."""

    name: str
    """In the table `words` of `reply.toml`; behind `agree` and `withdraw` may stand another, to what."""


MailWish: TypeAlias = Wish | AppendTo
"""What a mail may ask for at the table; it is settled on the game as it is then."""


@dataclass(slots=True)
class Parts:
    """What a clause consists of, in one language."""

    roles: set[Role] = field(default_factory=set)
    cards: list[Card] = field(default_factory=list)
    businesses: list[Business] = field(default_factory=list)
    """Of the row that is meant."""
    numbers: list[int] = field(default_factory=list)
    words: list[str] = field(default_factory=list)
    unknown: bool = False
    """Whether a word is none of the language's."""
    _is_onto: bool = False
    """Whether a card that comes next names a row."""

    def add(self, term: Term) -> None:
        match term.role:
            case Role.CARD if self._is_onto and not self.businesses:
                self.businesses.append(term.value)
            case Role.CARD:
                self.cards.append(term.value)
            case Role.ROW_OF:
                self.businesses.append(term.value)
            case Role.NUMBER | Role.SPOT:
                self.numbers.append(term.value)
            case Role.WORD:
                self.words.append(term.value)
        if term.role not in _BETWEEN:
            self._is_onto = term.role in {Role.ON, Role.ONTO, Role.ROW}
        if term.role not in {Role.CARD, Role.ROW_OF, Role.NUMBER, Role.WORD}:
            self.roles.add(term.role)

    def settle(self) -> None:
        """What only the whole clause tells: `row 2 (gold)` names the row's business, `new row: gold` the card."""
        if len(self.cards) == 2 and self.numbers and Role.ROW in self.roles and not self.businesses:
            self.businesses.append(self.cards.pop())
        elif self.businesses and not self.cards and (self.numbers or Role.NEW in self.roles):
            self.cards.append(self.businesses.pop())
            self.roles.add(Role.ROW)

    @property
    def courtesies(self) -> set[Role]:
        """The courtesies, where there is nothing else."""
        says_more = self.cards or self.businesses or self.numbers or self.words or self.unknown
        return set() if says_more or self.roles - {Role.FILLER, *COURTESIES} else self.roles & COURTESIES

    @property
    def verb(self) -> Role | None:
        """The kind of action; None where there is none or more than one."""
        verbs = self.roles & VERBS
        is_onto = bool({Role.ON, Role.ROW} & self.roles and self.numbers) or bool(self.businesses)
        is_onto = is_onto or Role.THERE in self.roles
        is_onto = is_onto or (
            Role.ON in self.roles and len({Role.ROW, Role.MAKER} & self.roles) == 1
        )  # `on the new row`
        is_laying = not _MEANS_LAYING.isdisjoint(self.roles)
        if not verbs:
            is_placed = is_laying or bool(self.businesses) or (Role.ROW in self.roles and bool(self.numbers))
            if self.cards and is_placed:
                verbs = {Role.PLAY}
            elif self.cards and not self.numbers and self.roles & {Role.WISH, Role.PLEASE}:
                return Role.TAKE
        if verbs == {Role.PLAY} and is_laying is not is_onto:
            return Role.LAY if is_laying else Role.APPEND
        if verbs <= {Role.LAY, Role.APPEND} and Role.LAY in verbs and (is_onto or Role.ONTO in self.roles):
            return Role.APPEND
        return next(iter(verbs)) if len(verbs) == 1 else None


def take_apart(tokens: Sequence[str]) -> list[Parts]:
    """What the clause consists of, by language."""
    return [read_in(vocabulary, tokens) for vocabulary in lexicon().vocabularies]


def read_in(vocabulary: Vocabulary, tokens: Sequence[str]) -> Parts:
    parts, index, longest = Parts(), 0, lexicon().longest_term
    while index < len(tokens):
        for length in range(longest, 0, -1):  # the longest name first: "carte risque (X2)" is one card
            if term := vocabulary.get(tuple(tokens[index : index + length])):
                break
        if number := lexicon().number.fullmatch(tokens[index]):
            term = term or Term(Role.NUMBER, int(number[1]))
        if term:
            parts.add(term)
        else:
            parts.unknown = True
        index += length
    parts.settle()
    return parts


def read_clause(clauses: Sequence[Parts]) -> MailWish | Word | str:
    """What a clause asks for, or the name of the sentence that says what was expected. `clauses`: it, by language.

    A clause that two languages understand differently is not understood.
    """
    wishes: set[MailWish | Word] = set()
    lacks: list[tuple[bool, Role]] = []
    for parts in clauses:
        if wish := understand(parts):
            wishes.add(wish)
        elif parts.verb and (parts.verb is not Role.PLAY or parts.cards or parts.numbers):  # `nice to play with you`
            lacks.append((parts.unknown, parts.verb))
    if len(wishes) == 1:
        return wishes.pop()
    if any(Role.MAKER in parts.roles and parts.numbers and not parts.roles & VERBS for parts in clauses):
        return "reply.row"  # a line of the mail's table
    if wishes or not lacks:
        return "reply.unknown"
    _, verb = min(lacks, key=itemgetter(0))  # a language that knows every word of it, if there is one
    return EXPECTED[verb]


def counts_cards(parts: Parts) -> bool:
    """Whether it names a card with a number: `2 gold` is no action, as an action moves one card."""
    is_taking = parts.roles <= {Role.TAKE, *_BETWEEN} and not parts.unknown and not parts.businesses
    return is_taking and (len(parts.cards), len(parts.numbers), parts.words) == (1, 1, [])


def is_fragment(clauses: Sequence[Parts]) -> bool:
    """Whether the words could be a part of an action: cards or numbers, and only words of one language."""
    return any(bool(parts.cards or parts.numbers or parts.businesses) and not parts.unknown for parts in clauses)


def understand(parts: Parts) -> MailWish | Word | None:
    """The action or request, if nothing is missing and nothing too much."""
    if parts.words:
        has_object = len(parts.words) == 2 and parts.words[0] in {"agree", "withdraw"}
        says_more = parts.cards or parts.numbers or parts.businesses or parts.unknown
        is_alone = (has_object or len(parts.words) == 1) and not says_more
        is_alone = is_alone and parts.roles <= _BETWEEN | {Role.ON, Role.ONTO, Role.WITH}
        is_praise = parts.words == ["resume"] and Role.POLITE in parts.roles  # `und so weiter`, `weiter so`
        return Word(" ".join(parts.words)) if is_alone and not is_praise else None
    wish_with_roles = _find_wish(parts)
    if wish_with_roles is None or parts.unknown:
        return None
    wish, nouns = wish_with_roles
    # Another noun means another thing: of the pile, nothing is taken; "take 2 from the display" may mean two cards.
    return None if parts.roles & NOUNS - nouns else wish


def _find_wish(parts: Parts) -> tuple[MailWish, set[Role]] | None:  # noqa: PLR0911 - one for each kind
    """The action, and the nouns that may stand in it."""
    match parts.verb, parts.cards, parts.numbers, parts.businesses:
        case Role.TAKE, [], [place], [] if 1 <= place <= _MOST_PLACES:
            return Take(slot=place - 1), {Role.PLACE, Role.SPOT, Role.UP}
        case Role.TAKE, [card], [place], [] if 1 <= place <= _MOST_PLACES and Role.NAMELY in parts.roles:
            return TakeShown(slot=place - 1, card=card), {Role.PLACE, Role.UP}
        case Role.TAKE, [card], [], []:
            return TakeCard(card=card), {Role.DISPLAY, Role.UP}
        case Role.DRAW, [], [] | [1], []:
            return Draw(), {Role.PILE, Role.DOWN}
        case Role.LAY, [card], [], []:
            is_new = Role.NEW in parts.roles
            return LayBusinessmaker(card=card), {*_MEANS_LAYING, Role.ROW} if is_new else {Role.MAKER, Role.DOWN}
        case Role.APPEND, [card], [row], [] if 1 <= row <= MOST_ROWS:
            return Append(card=card, row=row - 1), {Role.ROW}
        case Role.APPEND, [card], [row], [name] if name in BUSINESS_SET and 1 <= row <= MOST_ROWS:
            return AppendToRow(card=card, business=name, row=row - 1), {Role.ROW}
        case Role.APPEND, [card], [], [name] if name in BUSINESS_SET:
            return AppendTo(card=card, business=name), {Role.ROW}
        case Role.APPEND, [card], [], [] if card in BUSINESS_SET and Role.ROW not in parts.roles:
            return AppendTo(card=card, business=card), set()
    return None
