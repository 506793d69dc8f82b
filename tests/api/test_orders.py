"""Standing orders over HTTP: what may be put in, what their owner is shown, and that nobody else is."""

import json
from random import Random
from typing import Any

import pytest
from werkzeug.test import TestResponse

from config.settings import Settings
from domain.cards import HAND_CARDS
from domain.commands import Act, CompleteScoring
from domain.legality import legal_actions
from tests.api.worlds import World
from tests.support.cases import cases
from tests.support.client import Api, refused
from workers.orders import play_orders

DRAW = {"type": "draw"}
GOLD = {"type": "take", "card": "gold"}
NEVER = {"type": "append", "card": "gold", "row": 9}
PEOPLE = [{"name": "Anna"}, {"name": "Bert"}]


class Table(World):
    def __init__(self, seats: list[dict[str, Any]] | None = None) -> None:
        super().__init__(settings=Settings(rate_limit=0, allow_fixed_seed=True))
        self.open(seats or PEOPLE, server_seed="7" * 64)

    def put(self, seat: int, *steps: list[dict[str, Any]], **more: Any) -> TestResponse:
        return self.ask("PUT", f"{self.path}/orders", seat, json={"steps": list(steps)}, **more)

    def show(self, seat: int, **more: Any) -> TestResponse:
        return self.ask("GET", f"{self.path}/orders", seat, **more)

    def end_turn(self) -> None:
        turn, chance = self.game.turn, Random(5)
        while (game := self.game).turn == turn and not game.over:
            if game.scoring is None:
                action = chance.choice(list(legal_actions(game, game.turn_seat)))
                away = game.seats[game.turn_seat].away is not None
                self.log.handle(game.id, Act(seat=game.turn_seat, actions=(action,), by_bot=away))
            else:
                self.log.handle(game.id, CompleteScoring(round=game.scoring))


def code(answer: TestResponse) -> tuple[int, str]:
    return answer.status_code, answer.get_json()["type"].removeprefix("/problems/")


def test_orders_are_put_shown_and_taken_back() -> None:
    """`PUT` answers what `GET` shows; it replaces; `DELETE` may be repeated."""
    table = Table()
    assert code(table.show(1)) == (404, "not-found")
    steps = [
        [GOLD, DRAW],
        [{"type": "append", "card": "oil", "row": 0}, {"type": "take", "slot": 1}],
        {
            "do": [{"type": "append", "card": "oil", "business": "oil"}, {"type": "skip"}],
            "repeat": True,
            "if_none": "keep",
        },
    ]
    answer = table.put(1, *steps)
    assert (answer.status_code, answer.get_json()) == (200, {"steps": steps, "dropped": None})
    assert table.show(1).data == answer.data
    assert "ETag" not in answer.headers
    assert table.put(1, [DRAW]).get_json()["steps"] == [[DRAW]]
    assert code(table.show(0)) == (404, "not-found")
    step = [{"type": "append", "card": card, "row": row} for row in (0, 1) for card in HAND_CARDS][:12]
    assert table.put(1, *[step] * 12).get_json()["steps"] == [step] * 12  # the longest ones
    for _ in range(2):
        gone = table.ask("DELETE", f"{table.path}/orders", 1)
        assert (gone.status_code, gone.data) == (204, b"")
        assert code(table.show(1)) == (404, "not-found")


def test_a_preview_stores_nothing() -> None:
    """What the orders would do if the turn began now, with the reasons in the reader's language."""
    table = Table()
    hand = table.ask("GET", table.path, 1).get_json()["you"]["hand"]
    lay = {"type": "lay_businessmaker", "card": hand[0]}
    body = {"steps": [[lay], [NEVER | {"card": hand[1]}]]}
    answer = table.ask("PUT", f"{table.path}/orders?preview=true", 1, json=body, headers={"Accept-Language": "nl"})
    dropped = {"turn": 2, "steps": body["steps"][1:], "reasons": ["Je hebt geen rij 9, alleen rij 0."]}
    assert answer.get_json() == {"steps": [], "dropped": dropped, "preview": [lay]}
    assert code(table.show(1)) == (404, "not-found")
    table.ask("POST", f"{table.path}/resign", 1)
    refusal = table.ask("PUT", f"{table.path}/orders?preview=true", 1, json=body)
    assert code(refusal) == (409, "seat-resigned")
    table = Table([{"name": "Anna"}, {}])
    assert code(table.ask("PUT", f"{table.path}/orders?preview=true", 0, json=body)) == (409, "game-not-started")


def test_steps_that_are_left_and_why_some_were_dropped() -> None:
    """After the turn: in the language of the reader, a reason for each alternative."""
    table = Table()
    table.put(1, [DRAW], [NEVER, {"type": "take", "slot": 0}], [DRAW])
    table.end_turn()
    play_orders(table.web.services, table.game.id, 2)
    assert table.show(1).get_json() == {"steps": [[DRAW]], "dropped": None}
    table.put(1, [DRAW], [NEVER, DRAW], [GOLD])
    table.end_turn()
    play_orders(table.web.services, table.game.id, 4)
    answer = table.show(1, headers={"Accept-Language": "de"})
    assert answer.headers["Content-Language"] == "de"
    reasons = ["„Gold“ ist nicht auf deiner Hand.", "Das kostet 2\u00a0Aktionspunkte; du hast nur noch 1."]
    dropped = {"turn": 4, "steps": [[NEVER, DRAW], [GOLD]], "reasons": reasons}
    assert answer.get_json() == {"steps": [], "dropped": dropped}
    assert table.show(1).get_json()["dropped"]["reasons"][0] == "“Gold” is not in your hand."
    assert table.put(1, [DRAW]).get_json()["dropped"] is None


@pytest.mark.parametrize(("body", "field"), cases(__file__, "orders_of_another_shape"))
def test_orders_of_another_shape_are_refused(api: Api, body: str, field: str) -> None:
    table = api.create(PEOPLE)
    answer = api.request("PUT", f"{table.path}/orders", table.tokens[0], json=json.loads(body))
    assert list(refused(answer, 422, "invalid-request")["errors"]) == [field]
    refused(api.get(f"{table.path}/orders", table.tokens[0]), 404, "not-found")


@pytest.mark.nightly
def test_who_may_put_orders_in() -> None:
    """A seat of this game, before the start, too; not when it has resigned or the game is over."""
    table = Table([{"name": "Anna"}, {}])
    assert table.put(0, [DRAW]).status_code == 200
    for method, body in (("PUT", {"json": {"steps": [[DRAW]]}}), ("GET", {}), ("DELETE", {})):
        assert code(table.ask(method, f"{table.path}/orders", **body)) == (401, "missing-token")
        other = Table()
        table.tokens[9] = other.tokens[0]
        assert code(table.ask(method, f"{table.path}/orders", 9, **body))[0] in (401, 403)
    table = Table()
    assert table.put(0, [DRAW]).status_code == 200
    table.ask("POST", f"{table.path}/resign", 1)
    assert code(table.put(1, [DRAW])) == (409, "seat-resigned")
    while not table.game.over:
        table.end_turn()
    assert code(table.put(0, [DRAW])) == (409, "game-over")
    assert table.show(0).get_json()["steps"] == []


def test_orders_change_nothing_that_others_see() -> None:
    """Every other answer, its headers included, is byte for byte what it was; refusals tell no more either."""

    def seen(table: Table) -> list[Any]:
        answers = [
            table.ask("GET", table.path + place, seat, headers=headers)
            for place in ("", "/events", "/recap", "/audit", "/orders")
            for headers in ({}, {"Accept": "application/x-ndjson, */*;q=0.5"})
            for seat in (None, 0)
        ]
        return [(answer.status_code, sorted(answer.headers), answer.data) for answer in answers]

    table = Table()
    before = seen(table)
    view = table.ask("GET", table.path, 1)
    table.put(1, [DRAW], [NEVER])
    assert seen(table) == before
    again = table.ask("GET", table.path, 1, headers={"If-None-Match": view.headers["ETag"]})
    assert again.status_code == 304


def test_carried_out_steps_are_ordinary_events() -> None:
    """The log of a game played by orders is that of the same actions sent by hand, and passes the audit.

    Nobody but their owner is told more: recaps of all others are the same.
    """
    logs, recaps = [], []
    for by_orders in (True, False):
        table = Table()
        if by_orders:
            table.put(1, [{"type": "take", "slot": 0}], [DRAW])
        table.end_turn()
        since = table.game.version
        if by_orders:
            play_orders(table.web.services, table.game.id, 2)
        else:
            for action in ({"type": "take", "slot": 0}, DRAW):
                table.ask("POST", f"{table.path}/actions", 1, json=action)
        assert table.game.turn == 3
        events = table.ask("GET", f"{table.path}/events?limit=1000", 1).get_json()["events"]
        logs.append([(event["type"], event["data"] | {"salt": ""}) for event in events[1:]])
        told = [
            table.ask("GET", f"{table.path}/recap?since={since}", seat).get_json()["items"] for seat in (None, 0, 1)
        ]
        recaps.append([[(item["text"], item["version"]) for item in items] for items in told])
        assert table.ask("GET", f"{table.path}/audit").get_json()["ok"]
    assert logs[0] == logs[1]
    assert recaps[0][:2] == recaps[1][:2]
    (ordered, version), (done, own_version) = recaps[0][2][0], recaps[1][2][0]
    assert (ordered.split()[:4], done.split()[0], version) == (["By", "your", "order:", "Bert"], "You", own_version)
