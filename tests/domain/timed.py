"""Games with a pace, decided on a fake clock."""

from collections.abc import Sequence

import pytest

from domain.audit.checks import audit
from domain.clock.deadline import deadline
from domain.clock.pace import Pace
from domain.commands import Act, Command, CompleteScoring, CreateGame, SeatPlan
from domain.decide import decide
from domain.decision import Decision
from domain.events import Event, type_of
from domain.evolve import evolve
from domain.legality import legal_actions
from domain.people.events import BankRefilled, BankUsed
from domain.refusals import Refused
from domain.state import Game
from domain.view import view_of
from tests.oracle.answers import view_of_table
from tests.oracle.oracle import OracleGame
from tests.support.logs import log_of

SECOND, MINUTE, HOUR, DAY = 1000, 60_000, 3_600_000, 86_400_000
START = 1_790_000_000_000
"""Some autumn day; the clocks are changed a few weeks later."""
BANKED = Pace(turn_seconds=60, reminder_seconds=20, bank_seconds=120, bank_refill_seconds=30)
PLAIN = Pace(turn_seconds=3600, reminder_seconds=600)


class Timed:
    """A game of people, decided command by command; `now` is its fake clock."""

    def __init__(
        self,
        pace: Pace | None,
        names: Sequence[str] = ("Anna", "Bert"),
        start: int = START,
        *,
        replaceable: bool = False,
    ) -> None:
        self.now = start
        # `Bert*` is invited, and `-` an open seat.
        plans = tuple(SeatPlan(name=name.rstrip("*-") or None, is_invited=name.endswith("*")) for name in names)
        command = CreateGame(game="g", server_seed=bytes(32), seats=plans, pace=pace, replaceable=replaceable)
        self.decisions: list[Decision] = [decide(command, Game(), self.now)]

    @property
    def game(self) -> Game:
        return self.decisions[-1].game

    @property
    def until(self) -> int:
        until = deadline(self.game)
        assert until is not None
        return until

    def do(self, command: Command) -> list[str]:
        decision = decide(command, self.game, self.now)
        if decision.events:
            self.decisions.append(decision)
        return [type_of(event) for event in decision.events]

    def refused(self, command: Command) -> tuple[object, ...]:
        """Reason and parameters with which a command is refused."""
        with pytest.raises(Refused) as found:
            self.do(command)
        return str(found.value.reason), *found.value.parameters.values()

    def finish_turn(self, *, by_bot: bool = False) -> list[Event]:
        """All actions that the turn has left; the events of the last request that are about the bank."""
        turn = self.game.turn
        while self.game.turn == turn and not self.game.over:
            action = next(legal_actions(self.game, self.game.turn_seat))
            self.do(Act(seat=self.game.turn_seat, actions=(action,), by_bot=by_bot))
            if self.game.scoring:
                self.do(CompleteScoring(round=self.game.scoring))
        return [event for event in self.decisions[-1].events if isinstance(event, BankUsed | BankRefilled)]

    def checked(self) -> None:
        """Both engines find the log lawful, agree on the view, and a replay has the same deadline."""
        log = log_of(self.decisions)
        found = audit(log, open_cards=True)
        assert found.ok, found
        table = OracleGame(log, complete=False).table
        view = view_of(self.game, None, log[-1]["hash"])
        assert view_of_table(table, table, None)["turn"] == view["turn"]
        seats = view_of_table(table, table, None)["seats"]
        assert [seat | {"rows": 0} for seat in seats] == [seat | {"rows": 0} for seat in view["seats"]]
        again = Game()
        for decision in self.decisions:
            again = evolve(again, decision.events, decision.at)
        assert deadline(again) == deadline(self.game)
