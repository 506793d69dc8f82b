"""The rule sets by the name in a game's first event, each with its variants as changed values.

A rule set that games were played with is never edited: what changes, or is added, is a new rule set.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, Final

from domain.cards import BUSINESSES, MULTITALENT, REIBACH, RISK, Card


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """What a rule set fixes: numbers of cards, action points (AP) and millions."""

    name: str
    variants: Mapping[str, Mapping[str, Any]] = field(default_factory=dict, compare=False)
    """By name: the values that a game with it has in place of these. A game says of each whether it is on."""
    cards_per_business: int = 9
    multitalents: int = 5
    risks: int = 5
    reibachs: int = 10
    hand_size: int = 4
    display_size: int = 3
    action_points: int = 3
    cost_take: int = 1
    cost_take_special: int = 1
    """Of an open multitalent or risk card."""
    cost_draw: int = 2
    cost_lay: int = 1
    cost_append: int = 1
    max_businessmakers: int = 10
    scoring_at: tuple[int, ...] = (4, 7, 10)
    """Reibach cards revealed when scoring round 1, 2, 3 is due; the last one ends the game."""
    income_monopoly: int = 4
    income_longest: int = 3
    income_second: int = 1
    income_shared: int = 4
    """Divided by the number of rows that tie for longest, rounded down."""
    penalty_empty_businessmaker: int = -2
    penalty_hand_card: int = -1
    bonus_step: int = 0
    """Head start of each player over the one before in turn order."""

    def __hash__(self) -> int:
        """Of the name alone: caches ask for it for each estimate of a bot."""
        return hash(self.name)

    @property
    def deck(self) -> list[Card]:
        """The cards without the Reibach cards, in the order that contract 4.5 shuffles."""
        businesses = [business for business in BUSINESSES for _ in range(self.cards_per_business)]
        return [*businesses, *[MULTITALENT] * self.multitalents, *[RISK] * self.risks]

    @property
    def reibach_cards(self) -> list[Card]:
        """The Reibach cards, which are shuffled into the draw pile only."""
        return [REIBACH] * self.reibachs

    def bonuses(self, seats: int, starting_seat: int) -> list[int]:
        """Each seat's head start in millions (variant `staggered_start`; ruling 6)."""
        return [(seat - starting_seat) % seats * self.bonus_step for seat in range(seats)]


_RULE_SETS: Final = (
    Rules(
        name="standard@1",
        variants={"expensive_specials": {"cost_take_special": 2}, "staggered_start": {"bonus_step": 1}},
    ),
)
"""From the first to the newest."""
RULES: Final = {rules.name: rules for rules in _RULE_SETS}
NEWEST: Final = _RULE_SETS[-1]
"""The rule set that new games are opened with."""


@cache
def rules_of(name: str, variants: frozenset[str] = frozenset()) -> Rules:
    """The rule set `name` with the named variants on. Raises KeyError for an unknown name."""
    rules = RULES[name]
    for variant in sorted(variants):
        rules = replace(rules, **rules.variants[variant])
    return rules
