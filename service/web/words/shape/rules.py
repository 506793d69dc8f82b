"""The rules of the game."""

from collections.abc import Mapping
from dataclasses import dataclass

from domain.cards import Card


@dataclass(frozen=True, slots=True, kw_only=True)
class RulesWords:
    """All that one needs to know to play, without the printed game. Members in pairs: a heading, and its texts."""

    title: str
    lead: tuple[str, str, str]
    """Of a game in a few sentences."""
    cards: str
    cards_lead: str
    specials: Mapping[Card, str]
    """By special card: what it does."""
    start: str
    start_steps: tuple[str, str, str]
    turn: str
    turn_lead: str
    action: str
    """The heading of a column."""
    cost: str
    """The heading of a column of action points."""
    actions: Mapping[str, tuple[str, str]]
    """By type of action: its name, and what happens."""
    actions_note: str
    rows: str
    rows_example: str
    """What the drawing shows: Gold with a multitalent and a risk card, of length 3, on another card face down."""
    rows_rules: tuple[str, ...]
    reibach: str
    reibach_example: str
    """What the drawing shows: five cards turned up."""
    reibach_rules: tuple[str, ...]
    scoring: str
    scoring_lead: str
    case: str
    """The heading of a column."""
    earns: str
    """The heading of a column of amounts."""
    cases: tuple[tuple[str, str], ...]
    """Your row, and what it earns."""
    scoring_notes: tuple[str, ...]
    example: str
    example_lead: str
    player: str
    """The heading of a column."""
    row: str
    """The heading of a column."""
    reasons: Mapping[str, str]
    """By reason of an income."""
    end: str
    end_rules: tuple[str, ...]
    details: str
    """What the printed rules leave open."""
    details_rules: tuple[str, ...]
    variants: str
    variants_lead: str
    variants_texts: Mapping[str, str]
    """By variant."""
    begin: str
    """A heading above buttons that open a game."""
