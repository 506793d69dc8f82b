"""The rule sets by the name in a game's first event, and the variants as changed values."""

from dataclasses import replace
from functools import cache
from typing import Any, Final

from domain.rules.standard import EXPENSIVE_SPECIALS, STAGGERED_START, STANDARD, Rules

RULES: Final = {STANDARD.name: STANDARD}
VARIANTS: Final[dict[str, dict[str, Any]]] = {
    "expensive_specials": EXPENSIVE_SPECIALS,
    "staggered_start": STAGGERED_START,
}


@cache
def rules_of(name: str, variants: frozenset[str] = frozenset()) -> Rules:
    """The rule set `name` with the named variants on. Raises KeyError for an unknown name."""
    rules = RULES[name]
    for variant in sorted(variants):
        rules = replace(rules, **VARIANTS[variant])
    return rules
