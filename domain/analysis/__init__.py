"""What each turn of a finished game was worth, judged by what its seat could know when it began."""

from domain.analysis.judge import ENGINE, answer_of, judge_steps, judge_turn
from domain.analysis.turns import PlayedTurn, played_turns

__all__ = ["ENGINE", "PlayedTurn", "answer_of", "judge_steps", "judge_turn", "played_turns"]
