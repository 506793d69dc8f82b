"""A second reading of the rules and the contract, written apart from the service and used to check it in tests.

Nothing here is imported from the product. A `Table` is folded from *unredacted* events (`table.py`) and knows at
every version which single event must come next (`due` of `position.py`), or that a player must act. Everything else
follows from that:

- `OracleGame(events)` checks a whole log and raises `AssertionError`, naming the version, at the first offence;
- `view_at`, `events_as_seen`, `scores_at` and `refusal` of `answers.py` say what the service has to
  answer;
- `terms.py` has the contract's words, `fairness.py` the shuffle and the hash chain, `scoring.py` a round's incomes.

Events are dicts `{"version", "type", "at", "data", "hash"}` as in a finished game's NDJSON; event v is item v - 1.
Money is in millions. The game's words are those of the rules.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime

from tests.oracle.fairness import chain, unerased
from tests.oracle.table import Table
from tests.oracle.terms import ALL_CARDS, Event, need, same


class OracleGame:
    """A log that has passed every check; raises `AssertionError` naming the offending version otherwise.

    With `complete` the log must reach `GameEnded`; without, any unredacted beginning of a log will do.
    """

    def __init__(self, events: Sequence[Event], *, complete: bool = True) -> None:
        """Check `events` from version 1 on."""
        self.events = list(events)
        self.table = Table()
        need(self.events, "version 1: there are no events")
        for number, event in enumerate(self.events, start=1):
            try:
                self._step(number, event)
            except AssertionError as wrong:
                msg = f"version {number}: {wrong}"
                raise AssertionError(msg) from wrong
            except (KeyError, TypeError, ValueError, IndexError, AttributeError) as broken:
                msg = f"version {number}: malformed event ({broken!r})"
                raise AssertionError(msg) from broken
        need(not complete or self.table.status == "over", f"version {len(self.events)}: the log ends before the game")

    def _step(self, number: int, event: Event) -> None:
        need(set(event) == {"version", "type", "at", "data", "hash"}, "an event has five fields")
        need(same(event["version"], number), "versions count 1, 2, 3, ...")
        need(isinstance(event["type"], str), "a type is a string")
        need(re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", event["at"]), "not a time")
        datetime.fromisoformat(event["at"])
        need(event["at"] >= self.table.at, "time runs backwards")
        need(number > 1 or event["type"] == "GameCreated", "GameCreated comes first")
        self.table.apply(unerased(event))
        if number == 1:
            self._hashes = chain(self.table.created["server_seed"], self.table.created["game"], self.events)
        need(event["hash"] == next(self._hashes), "the hash chain is broken")
        need(self.table.pile is None or self.table.count_cards() == ALL_CARDS, "cards were lost or made")

    @property
    def winners(self) -> list[int] | None:
        """The winning seats, None while the game runs."""
        return self.table.winners
