"""The bots by name. A bot knows what its seat knows: its view, what it has seen, the rules, what is legal now."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final, TypeAlias

from domain.bots import apprentice, greedy
from domain.bots.knowledge import Recall, SeatKnowledge, knowledge_of
from domain.bots.shark import search
from domain.commands import Act, Action, Draw
from domain.decide import decide_into
from domain.decision import Decision
from domain.events import EventRecord
from domain.legality import legal_actions
from domain.rules import Rules
from domain.state import Game
from domain.view import redact_event, view_of

Choose: TypeAlias = Callable[[dict[str, Any], Rules, Sequence[Action], Random, Recall], Action]
"""(the seat's view, the rules, the legal actions, chance, what the seat has seen) -> one of the actions.

Pure: same arguments, same choice.
"""
History: TypeAlias = Callable[[], Iterable[EventRecord]]
"""Gives all events that led to a game, unredacted."""


@dataclass(frozen=True, slots=True)
class Bot:
    choose: Choose
    about: str
    """One sentence for players."""
    remembers: bool = False
    """Whether it asks for what its seat has seen."""
    is_dear: bool = False
    """Whether a turn of it costs ten times that of other bots."""


def _choose_any(_view: Any, _rules: Rules, legal: Sequence[Action], chance: Random, _recall: Recall) -> Action:
    """The baseline for other bots, and a fuzzer of the rules."""
    return chance.choice(legal)


BOTS: Final[dict[str, Bot]] = {
    "random": Bot(_choose_any, "Takes any legal action, each as likely as the others."),
    "apprentice": Bot(apprentice.choose, "Plays as greedy does, but overlooks some rows and some actions."),
    "greedy": Bot(greedy.choose, "Takes the action that promises the most money by what lies open on the table."),
    "shark": Bot(
        search.choose,
        "Remembers every card it has seen, and tries out whole turns and the answers to them.",
        remembers=True,
        is_dear=True,
    ),
}


def _no_history() -> Iterable[EventRecord]:
    raise ValueError("this bot remembers: give the game's events")


def choose_action(bot: str, game: Game, chance: Random, history: History = _no_history) -> Action:
    """The action that the bot of that name takes for the seat whose turn it is.

    `history` is asked only by a bot that remembers, and redacted before the bot gets it. Raises KeyError for an unknown
    bot, ValueError where one that remembers gets no history.
    """
    seat, rules = game.turn_seat, game.rules
    legal = list(legal_actions(game, seat))

    def recall() -> SeatKnowledge:
        seen = (redact_event(event, seat, game) for event in history())
        return knowledge_of(len(game.seats), rules, seen)

    return BOTS[bot].choose(view_of(game, seat, ""), rules, legal, chance, recall)


def choose_actions(bot: str, game: Game, chance: Random, history: History = _no_history) -> tuple[Action, ...]:
    """The rest of the bot's turn, as one list for an `Act`: the actions that it would choose one after the other.

    The list ends where the bot draws from the pile: it looks at a card of its hand once the log has it. A bot that
    remembers gets its next choice from the log, too. Arguments and errors are those of `choose_action`.
    """
    after, actions = Decision(game.copy(), at=game.at, now=game.at), list[Action]()
    while after.game.status == "playing" and after.game.turn == game.turn:
        action = choose_action(bot, after.game, chance, history)
        actions.append(action)
        if isinstance(action, Draw) or BOTS[bot].remembers:
            break
        decide_into(after, Act(seat=game.turn_seat, actions=(action,), by_bot=True))
    return tuple(actions)
