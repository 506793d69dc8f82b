"""The goals of the speed of requests: the rows of the first table of a run, in its order."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Limit:
    """What a ratio must be, and what it should be; nothing: it is only shown."""

    relation: str = ""
    """`<=` or `>=`."""
    bound: float = 0.0
    """What it must be at least, or at most."""
    aim: float = 0.0
    """0: there is none."""

    def is_met(self, ratio: float, limit: float) -> bool:
        """Whether the ratio is on the right side of the bound, or of the aim."""
        return ratio >= limit if self.relation == ">=" else ratio <= limit

    def verdict(self, ratio: float) -> str:
        """What is to be said of a ratio."""
        if not self.relation:
            return ""
        if not self.is_met(ratio, self.bound):
            return "missed"
        return "aim reached" if self.aim and self.is_met(ratio, self.aim) else "met"


NONE: Final = Limit()


@dataclass(frozen=True, slots=True)
class Goal:
    """One row."""

    name: str
    limit: Limit


WHOLE_GAMES = Goal("whole games, 16 connections: actions a second, service / bare route", Limit(">=", 0.80, 0.95))
ACTIONS = Goal("actions only, 16 connections: actions a second, service / bare route", Limit(">=", 0.88, 0.95))
WEB_TIME = Goal(
    "actions only, 16 connections: processor time of the web processes, bare route / service", Limit(">=", 0.80, 0.9)
)
PEER = Goal("whole games, 20 clients: actions a second, service / boardgame.io", Limit(">=", 1.0, 1.2))
PEER_TURNS = Goal(
    "whole games, turns as lists, 20 clients: actions a second, service / boardgame.io", Limit(">=", 2.0, 2.5)
)
P99 = Goal("whole games, 16 connections: p99, service / bare route", Limit("<=", 1.5, 1.1))
BOT_TURNS = Goal("turns of bots a second, one worker, after / before", Limit(">=", 4, 8))
GOALS: Final = (WHOLE_GAMES, ACTIONS, WEB_TIME, PEER, PEER_TURNS, P99, BOT_TURNS)
