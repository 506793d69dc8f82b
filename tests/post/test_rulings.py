"""What is done with a claimed notice: a line of the table is a case and, at its end, what is ruled."""

from dataclasses import replace
from typing import Any

import pytest

from domain.clock.hours import Hours
from service.post.notices import CONFIRMATION, OVER, PEOPLE, RECEIVER, TURN, Notice
from service.post.sending.rulings import NEXT_LOOK, Case, Ruling, judge
from service.post.subscriptions import WebhookTarget
from tests.post.processes import wish
from tests.support.cases import cases
from tests.support.play import play_until

GAME, _ = play_until(2, "rulings", 20)
NOW = 1_800_000_000_000
MINUTE = NOW // 60_000 % 1440
CHAT = WebhookTarget(url="https://example.org/hook", secret="", format="discord")
QUIET = Hours(opens=MINUTE - 60, closes=MINUTE + 60, zone="UTC")
CASE = Case(
    notice=Notice(
        game=GAME.id, seat=GAME.turn_seat, type=TURN, version=GAME.turn_version, channel="webhook", generation=4
    ),
    game=GAME,
    subscription=wish(generation=4),
    now=NOW,
    created=NOW - 1000,
    generation=4,
    is_steady=True,
    is_watched=False,
    follows_another=False,
    merging=None,
    may_be_ordered=False,
    awaits_analysis=False,
)
FACTS: dict[str, dict[str, Any]] = {
    "turn": {},
    "past-turn": {"notice": replace(CASE.notice, version=GAME.turn_version - 1)},
    "reminder": {"notice": replace(CASE.notice, type="turn.reminder")},  # none is due: the game has no pace
    "over": {"notice": replace(CASE.notice, type=OVER)},
    "shared": {
        "notice": replace(CASE.notice, type=PEOPLE, is_shared=True, generation=0),
        "subscription": wish(webhook=CHAT, generation=4),
    },
    "receiver": {"notice": replace(CASE.notice, type=RECEIVER)},
    "confirmation": {"notice": replace(CASE.notice, type=CONFIRMATION)},  # the address is gone
    "unwanted": {"subscription": wish(1, "scoring", generation=4)},
    "of-another": {"generation": 5},
    "unsteady": {"is_steady": False},
    "watched": {"is_watched": True},
    "follows": {"follows_another": True},
    "merged": {"merging": Ruling.MERGED},
    "told": {"merging": Ruling.DROP},
    "ordered": {"may_be_ordered": True},
    "analysed": {"awaits_analysis": True},
    "old": {"created": NOW - 120_000},
    "quiet": {"subscription": wish(quiet=QUIET, generation=4)},
}
LINES = [" ".join(line.split()) for line in cases(__file__, "table").strip().splitlines()]


@pytest.mark.parametrize("line", LINES)
def test_each_case_has_its_ruling(line: str) -> None:
    """And those that wait a time, in ms from now on."""
    words, pause = line.split(), None
    if words[-1].isdigit():
        pause = int(words.pop())
    *facts, expected = words
    case = CASE
    for fact in facts:
        case = replace(case, **FACTS[fact])
    ruling = judge(case)
    assert ruling.value == expected
    assert (NEXT_LOOK[ruling](case) - NOW if ruling in NEXT_LOOK else None) == pause


def test_all_that_is_neither_sent_nor_dropped_is_looked_at_again() -> None:
    assert set(NEXT_LOOK) == set(Ruling) - {Ruling.SEND, Ruling.DROP}
    assert {line.split()[-2 + line.split()[-1].isalpha()] for line in LINES} == {ruling.value for ruling in Ruling}
