"""The bot `random`: the baseline for other bots, and a fuzzer of the rules."""

from collections.abc import Sequence
from random import Random
from typing import Any

from domain.bots.knowledge import Recall
from domain.commands import Action
from domain.rules.standard import Rules


def choose(_view: dict[str, Any], _rules: Rules, legal: Sequence[Action], chance: Random, _recall: Recall) -> Action:
    """Any legal action, each as likely as the others."""
    return chance.choice(legal)
