"""The bot `random`: the yardstick for the others, and the monkey at the keyboard for the rules."""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain.commands import Action


def choose(_view: dict[str, Any], legal: Sequence[Action], chance: Random) -> Action:
    """Any legal action, each as likely as the others."""
    return chance.choice(legal)
