"""The clauses that the recorded games must show: the name of each, and how a game shows it."""

from typing import Final

from domain.cards import SPECIALS
from domain.commands import JoinGame
from domain.events import ActionPointsForfeited, CardDrawn, CardTaken, GameStarted, TurnStarted
from domain.people.events import MessagePosted
from domain.rules import RULES
from tests.games.clauses_of_actions import ACTIONS
from tests.games.clauses_of_refusals import REFUSALS
from tests.games.clauses_of_reibachs import REIBACHS
from tests.games.clauses_of_scoring import SCORING
from tests.games.played import Clause, Played

_VARIANTS: Final = RULES["standard@1"].variants
VARIANT_SETS: Final = (frozenset(), *(frozenset({variant}) for variant in _VARIANTS), frozenset(_VARIANTS))
"""None, each alone, all."""
TABLES: Final = [(players, variants) for players in (2, 3, 4, 5) for variants in VARIANT_SETS]


def _table(players: int, variants: frozenset[str]) -> Clause:
    return lambda played: len(played.game.seats) == players and set(played.recorded.variants) == variants


def _deal(players: int) -> Clause:
    """Four cards each, three open, 97 - 4n + 10 in the pile."""
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, GameStarted)
            and [len(hand) for hand in moment.event.hands] == [4] * players
            and (len(moment.event.display), len(moment.event.draw_pile)) == (3, 107 - 4 * players)
        )
    )


def _starts(seat: int) -> Clause:
    return lambda played: played.any(lambda moment: isinstance(moment.event, TurnStarted) and moment.event == (1, seat))


def _bots(*names: str) -> Clause:
    return lambda played: sorted(seat.bot or "" for seat in played.game.seats) == sorted(names)


SEATS: Final[dict[str, Clause]] = {
    **{f"{players} players, {' and '.join(sorted(on)) or 'no variant'}": _table(players, on) for players, on in TABLES},
    **{f"the deal for {players}": _deal(players) for players in (2, 3, 4, 5)},
    **{f"seat {seat} starts": _starts(seat) for seat in range(5)},
    **{
        f"{players} players, another seat than 0 starts": (
            lambda played, players=players: len(played.game.seats) == players and played.game.starting_seat > 0
        )
        for players in (2, 3, 4, 5)
    },
    "seats are joined one by one": lambda played: sum(isinstance(step.command, JoinGame) for step in played.steps) > 1,
    "a person takes an open seat beside a bot": lambda played: (
        played.game.seats[-1].bot is not None
        and any(isinstance(step.command, JoinGame) and not step.refusal for step in played.steps)
    ),
    "a seat without entropy": lambda played: any(not seat.entropy and not seat.bot for seat in played.game.seats),
    "greedy against greedy": _bots("greedy", "greedy"),
    "greedy against random": _bots("greedy", "random"),
    "five bots": lambda played: all(seat.bot for seat in played.game.seats) and len(played.game.seats) == 5,
}


def _taken_special(cost: int) -> Clause:
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, CardTaken) and moment.event.card in SPECIALS and moment.event.cost == cost
        )
    )


def _forfeited(*, full: bool) -> Clause:
    """Ruling 5: with an empty hand, or with ten businessmakers and cards that fit nowhere."""
    return lambda played: played.any(
        lambda moment: (
            isinstance(moment.event, ActionPointsForfeited)
            and bool(moment.before.seats[moment.event.seat].hand) is full
        )
    )


def _bonus(played: Played) -> list[int]:
    return played.game.bonus


def _wins_without_bonus(played: Played) -> bool:
    earned = [seat.total - bonus for seat, bonus in zip(played.game.seats, _bonus(played), strict=True)]
    return played.game.winners == [seat for seat, income in enumerate(earned) if income == max(earned)]


VARIANT_RULES: Final[dict[str, Clause]] = {
    "an open special for one action point": _taken_special(1),
    "an open special for two action points": _taken_special(2),
    "a special drawn unseen, specials being expensive": lambda played: (
        "expensive_specials" in played.recorded.variants
        and played.any(lambda moment: isinstance(moment.event, CardDrawn) and moment.event.card in SPECIALS)
    ),
    "forfeit with an empty hand": _forfeited(full=False),
    "forfeit with ten businessmakers": _forfeited(full=True),
    "staggered start from another seat than 0": lambda played: any(_bonus(played)) and played.game.starting_seat > 0,
    "the staggered start decides who wins": lambda played: any(_bonus(played)) and not _wins_without_bonus(played),
}


def _said(status: str) -> Clause:
    return lambda played: played.any(
        lambda moment: isinstance(moment.event, MessagePosted) and moment.before.status == status
    )


MESSAGES: Final[dict[str, Clause]] = {
    "a message before the cards are dealt": _said("open"),
    "a message in a turn": _said("playing"),
    "a message before a round is scored": _said("scoring"),
    "a message after the end": _said("over"),
}


CLAUSES: Final[dict[str, Clause]] = SEATS | ACTIONS | REFUSALS | REIBACHS | SCORING | VARIANT_RULES | MESSAGES
_SEVEN: Final = "wants seven Reibach cards in a row: with five players one deal in 2.4 million, with fewer less"
_NO_CLOCK: Final = "recorded games have no clock; tests/domain/test_clock.py and test_refusals.py show who plays a seat"
_NO_CONSENT: Final = "recorded games know no agreements; tests/domain/test_consent.py has them"
EXCUSED: Final = {
    "all three rounds in one refill": _SEVEN,
    "all three rounds in one draw": _SEVEN,
    "refused: too-many-messages": "a thousand messages aren't worth keeping; tests/domain/test_messages.py writes them",
    "refused: seat-resigned": _NO_CLOCK,
    "refused: seat-not-abandoned": _NO_CLOCK,
    "refused: seat-not-silent": _NO_CLOCK,
    "refused: consent-unchanged": _NO_CONSENT,
    "refused: too-many-consents": _NO_CONSENT,
    "refused: vacation-refused": _NO_CLOCK,
    "refused: not-on-vacation": _NO_CLOCK,
    "refused: game-paused": _NO_CLOCK,
    "refused: game-not-paused": _NO_CLOCK,
}
"""Clauses that no recorded game shows, with the reason."""


def clauses_of(played: Played) -> set[str]:
    return {name for name, clause in CLAUSES.items() if clause(played)}
