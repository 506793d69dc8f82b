"""A game is shown, priced and checked by its own rule set, and not by the newest one."""

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import Any

import pytest
from markupsafe import escape

from domain.audit.checks import audit
from domain.cards import BUSINESS_SET, SPECIALS
from domain.decide import decide
from domain.rules import RULES
from domain.state import Game
from domain.words.wording import words_of
from service.post.mail.contents import link_actions
from service.post.snapshot import take_snapshot
from tests.support.client import Table
from tests.support.logs import log_of
from tests.support.play import create
from tests.support.rule_sets import DEAR, known, play_by
from tests.support.world import Process

VARIANT = "expensive_specials"


@pytest.fixture(autouse=True)
def _dear() -> Iterator[None]:
    with known(DEAR):
        yield


def open_game(process: Process, rules: str) -> tuple[Table, dict[str, Any], dict[str, Any]]:
    """A game with the variant; and the actions that take a special card and another one from its first display."""
    for number in count():
        command = replace(create(2, f"{rules}-{number}", {VARIANT}), rules=rules)
        display = decide(command, Game()).game.display
        slots = [[slot for slot, card in enumerate(display) if card in cards] for cards in (SPECIALS, BUSINESS_SET)]
        if all(slots):
            break
    process.log.create(command)
    tokens = {seat: process.services.tokens.issue(command.game, seat) for seat in range(2)}
    special, other = ({"type": "take", "slot": slot} for (slot, *_) in slots)
    return Table(command.game, tokens, {}), special, other


@pytest.mark.parametrize(("rules", "cost"), [("standard@1", 2), ("dear@1", 3)])
def test_a_game_is_priced_by_its_own_rule_set(rules: str, cost: int) -> None:
    """View, replay, legal actions, the table without scripts, and mails; a card is taken at that price."""
    process = Process()
    (table, special, other), api = open_game(process, rules), process.api
    view = api.view(table, 0)
    assert (view["rules"], view["variants"][VARIANT]) == (rules, True)
    lines = api.get(f"{table.path}/replay").text.splitlines()
    assert {json.loads(line)["view"]["rules"] for line in lines} == {rules}

    page = api.post(f"/g/{table.id}", data={"token": table.tokens[0]}).text
    (label,) = re.findall(rf'value="{re.escape(escape(json.dumps(special)))}"[^>]*>(.*?)</button>', page, re.DOTALL)
    assert words_of("en").points(cost) in label
    history = process.log.load_history(table.id)
    costs = {link.cost for link in link_actions(take_snapshot(history.head.game, history.events, 0), "en", "", None)}
    assert costs == {1, 2, cost}

    assert special in api.legal_actions(table, 0)
    assert api.act(table, 0, other).status_code == 201
    is_payable = cost <= 2
    assert (special in api.legal_actions(table, 0)) is is_payable
    assert (api.act(table, 0, special).status_code == 201) is is_payable


@pytest.mark.parametrize("rules", ["standard@1", "dear@1"])
def test_the_audit_judges_a_price_by_the_rule_set_of_the_game(rules: str) -> None:
    """Its log holds; with the name of the other it doesn't, from the first special card that was taken openly."""
    log = log_of(play_by(RULES[rules], (VARIANT,), ["random", "greedy", "greedy"]))
    assert audit(log).ok
    (other,) = {"standard@1", "dear@1"} - {rules}
    found = audit([log[0] | {"data": log[0]["data"] | {"rules": other}}, *log[1:]]).checks[3]
    dear = next(event["version"] for event in log if event["type"] == "CardTaken" and event["data"]["card"] in SPECIALS)
    assert (found.name, found.ok, found.version) == ("rules", False, dear)
