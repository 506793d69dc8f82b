"""Sentences: clauses of one language, joined so that nothing is said twice.

Rule 1: clauses of one player that follow one another share their subject.
Rule 2: clauses that differ in one thing only become one that lists the things: `Anna lays two businessmakers`.
Rule 3: what an action causes stands in brackets behind it, except the card of a draw, which becomes its object.
Rule 4: where the player is the `Reader`, a clause takes its form in `Words.to_you`: `you take Gold`.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

from domain.cards import Card
from domain.words.wording import Reader, Words, capitalise

_CAUSES: Final = frozenset({"CardTaken", "PileDrawn", "PileDrawn.seen"})
"""Templates of the actions that can cause something."""
_SUBJECT: Final = "{player} "
"""How the template of a clause begins that has a player for its subject."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One of the things that a clause lists: a card, else a text (a name, a number), with what its action caused."""

    card: Card | None = None
    text: str = ""
    asides: tuple["Clause", ...] = ()


@dataclass(frozen=True, slots=True)
class Clause:
    """The name of a template in `Words.clauses`, or in `Words.to_you`, and what fills it."""

    name: str
    values: dict[str, Any]
    things: tuple[Thing, ...] = ()
    """They fill `{list}` and `{count}`; more than one take the template `<name>.several`, where there is one."""


def add_clause(clauses: tuple[Clause, ...], clause: Clause) -> tuple[Clause, ...]:
    """The clauses with one more; by the rules above it may become part of the last one."""
    if clauses and clauses[-1].name in _CAUSES:
        *before, last = clauses
        *others, thing = last.things
        if clause.name == "DisplayRefilled":
            thing = replace(thing, asides=_merge(thing.asides, clause))
            return (*before, replace(last, things=(*others, thing)))
        if clause.name.startswith("CardDrawn"):
            name = clause.name.replace("CardDrawn", "PileDrawn")
            return (*before, replace(last, name=name, things=(replace(thing, card=clause.things[0].card),)))
    if clause.name == "DisplayRefilled":
        clause = replace(clause, name="DisplayRefilled.alone")
    return _merge(clauses, clause)


def _merge(clauses: tuple[Clause, ...], clause: Clause) -> tuple[Clause, ...]:
    if not clauses or clauses[-1].name != clause.name:
        return (*clauses, clause)
    *before, last = clauses
    if clause.things and last.values == clause.values:
        return (*before, replace(last, things=last.things + clause.things))
    # Of one row's lengths in a turn, the last one counts.
    if clause.name == "CardAppended.same" and last.values | {"length": clause.values["length"]} == clause.values:
        return (*before, clause)
    return (*clauses, clause)


def make_sentence(clauses: Sequence[Clause], words: Words) -> str:
    parts: list[str] = []
    for subject, some in groupby(clauses, key=lambda clause: _subject_of(clause, words)):
        texts = [_fill(clause, words).removeprefix(subject) for clause in some]
        parts += [subject + words.join(texts)] if subject else texts
    # A name keeps its first letter as it is; the template's own first letter, and that of "you", becomes a capital.
    if _is_to_reader(clauses[0]) or not _template_of(clauses[0], words).startswith("{"):
        parts[0] = capitalise(parts[0])
    sentence = words.semicolon.join(parts)
    return sentence if sentence.endswith((".", words.quotes[1])) else f"{sentence}."


def _subject_of(clause: Clause, words: Words) -> str:
    """The player's name with a space; "" where the clause has another subject."""
    if not _template_of(clause, words).startswith(_SUBJECT):
        return ""
    return _SUBJECT.format(player=clause.values["player"])


def _template_of(clause: Clause, words: Words) -> str:
    several = f"{clause.name}.several" if len(clause.things) > 1 else ""
    tables = (words.to_you, words.clauses) if _is_to_reader(clause) else (words.clauses,)
    return next(table[name] for table in tables for name in (several, clause.name) if name in table)


def _is_to_reader(clause: Clause) -> bool:
    return isinstance(clause.values.get("player"), Reader)


def _fill(clause: Clause, words: Words) -> str:
    template = _template_of(clause, words)
    if not clause.things:
        return template.format(**clause.values)
    texts = [thing.text if thing.card is None else words.spoken[thing.card] for thing in clause.things]
    if len(texts) == 1:  # what its action caused stands behind the whole clause
        text = template.format(list=texts[0], **clause.values)
        return text + _bracket(clause.things[0], words)
    if any(thing.asides for thing in clause.things):
        listed = words.join([text + _bracket(thing, words) for text, thing in zip(texts, clause.things, strict=True)])
    else:
        cards = [thing.card for thing in clause.things if thing.card is not None]
        listed = words.list_cards(cards) if len(cards) == len(texts) else words.join(texts)
    return template.format(list=listed, count=words.spell(len(texts)), **clause.values)


def _bracket(thing: Thing, words: Words) -> str:
    asides = words.semicolon.join(_fill(aside, words) for aside in thing.asides)
    return f" ({asides})" if asides else ""
