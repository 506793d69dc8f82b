"""What each turn of a finished game was worth, judged by what its seat could know when it began."""

from domain.analysis.judge import ENGINE, judge_steps, judge_turn
from domain.analysis.turns import PlayedTurn, played_turns, summary

__all__ = ["ENGINE", "PlayedTurn", "judge_steps", "judge_turn", "played_turns", "summary"]
