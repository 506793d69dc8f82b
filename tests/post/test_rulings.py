"""What is done with a claimed notice: a line of the table is a case and, at its end, what is ruled."""

from dataclasses import fields, replace
from types import SimpleNamespace
from typing import Any

import pytest

from domain.clock.hours import Hours
from domain.orders.planner import NO_ORDERS
from service.post.notices import CONFIRMATION, OVER, RECEIVER, TURN, Notice
from service.post.sending.sender import Sender
from service.post.subscriptions import WebhookTarget
from tests.post.processes import wish
from tests.support.play import play_until

GAME, _ = play_until(2, "rulings", 20)
NOW = 1_800_000_000_000
MINUTE = NOW // 60_000 % 1440
CHAT = WebhookTarget(url="https://example.org/hook", secret="", format="discord")
QUIET = Hours(opens=MINUTE - 60, closes=MINUTE + 60, zone="UTC")
NOTICE = Notice(
    game=GAME.id, seat=GAME.turn_seat, type=TURN, version=GAME.turn_version, channel="webhook", generation=4
)
CASE: dict[str, Any] = {
    "notice": {},
    "wish": {"generation": 4},
    "created": NOW - 1000,
    "generation": 4,
    "is_steady": True,
    "is_watching": False,
    "waits_for_another": False,
    "may_be_ordered": False,
}
FACTS: dict[str, dict[str, Any]] = {
    "turn": {},
    "past-turn": {"notice": {"version": GAME.turn_version - 1}},
    "reminder": {"notice": {"type": "turn.reminder"}},  # none is due: the game has no pace
    "over": {"notice": {"type": OVER}},
    "shared": {"notice": {"type": OVER, "is_shared": True, "generation": 0}, "wish": {"webhook": CHAT}},
    "receiver": {"notice": {"type": RECEIVER}},
    "confirmation": {"notice": {"type": CONFIRMATION}},  # the address is gone
    "unwanted": {"wish": {"on": frozenset({"scoring"})}},
    "of-another": {"generation": 5},
    "unsteady": {"is_steady": False},
    "watched": {"wish": {"while_watching": False}, "is_watching": True},
    "follows": {"waits_for_another": True},
    "ordered": {"may_be_ordered": True},
    "old": {"created": NOW - 60_000},
    "quiet": {"wish": {"quiet": QUIET}},
}
TABLE = """
    turn                          send
    turn unsteady                 send
    turn follows                  send
    turn unwanted                 drop
    turn of-another               drop
    past-turn                     drop
    past-turn ordered             drop
    past-turn watched             drop
    turn ordered                  after 500
    turn ordered old              after 15000
    turn ordered watched quiet    after 500
    turn watched                  after 15000
    turn watched quiet            after 15000
    turn quiet                    after 3600000
    reminder                      drop
    reminder unsteady             after 15000
    reminder unsteady of-another  after 15000
    over                          send
    over ordered                  send
    over watched                  drop
    over quiet                    after 3600000
    over unwanted                 drop
    shared                        send
    shared of-another             after 500
    shared follows                after 500
    receiver                      send
    receiver quiet                send
    receiver of-another           drop
    confirmation                  drop
"""
LINES = [" ".join(line.split()) for line in TABLE.strip().splitlines()]


@pytest.mark.parametrize("line", LINES)
def test_each_case_has_its_ruling(line: str) -> None:
    """And those that wait a time, in ms from now on."""
    *facts, ruling = line.replace("after ", "").split()
    case = dict(CASE)
    for fact in facts:
        for name, value in FACTS[fact].items():
            case[name] = case[name] | value if isinstance(value, dict) else value
    parts = dict.fromkeys(field.name for field in fields(Sender)) | {
        "is_steady": lambda: case["is_steady"],
        "presence": SimpleNamespace(is_watching=lambda _game, _seat: case["is_watching"]),
        "orders": SimpleNamespace(may_end_turn=lambda _game, _orders: case["may_be_ordered"]),
    }
    claim: Any = SimpleNamespace(
        notice=replace(NOTICE, **case["notice"]),
        created=case["created"],
        waits_for=lambda _kind, _versions: case["waits_for_another"],
    )
    loaded: Any = SimpleNamespace(game=GAME, generation=lambda _seat: case["generation"])
    look = Sender(**parts).next_look(claim, loaded, wish(**case["wish"]), NO_ORDERS, NOW)
    assert look == ({"send": NOW, "drop": None}[ruling] if ruling.isalpha() else NOW + int(ruling))
