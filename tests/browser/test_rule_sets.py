"""The page's own code reads a game's own rule set: its verifier, and what the table shows of prices."""

from typing import Final

import pytest

from domain.audit.evidence import evidence_of, fold
from domain.cards import SPECIALS
from domain.rules import RULES
from domain.view import view_of
from service.web.assets import read_module
from tests.browser.verifying import Verifier, serve_modules
from tests.browser.windows import Browser, script
from tests.oracle.play import rechain
from tests.support.logs import log_of
from tests.support.rule_sets import DEAR, known, play_by
from tests.support.samples import with_nightly

PRICES: Final = {"standard@1": 2, DEAR.name: 3}
"""By rule set: what a special card of the display costs in games with the variant."""
VARIANT: Final = "expensive_specials"
DECK: Final = "verify/cards/deck.js"


def read_with_dear(path: str) -> str:
    """The modules of a page that knows one rule set more, which is the newest one."""
    text = read_module(path)
    if path != DECK:
        return text
    head, is_there, rest = text.partition("export const RULE_SETS = {\n")
    (standard, tail) = rest.split("\n", 1)
    assert is_there
    dear = standard.replace("standard@1", DEAR.name).replace("specialCost: 2", f"specialCost: {PRICES[DEAR.name]}")
    assert dear != standard.replace("standard@1", DEAR.name)
    return f"{head}{is_there}{standard}\n{dear}\n{tail}"


@pytest.mark.nightly
@pytest.mark.parametrize("name", with_nightly(reversed(PRICES)))
def test_a_game_is_priced_by_its_own_rule_set(browser: Browser, name: str) -> None:
    """Its log holds in the verifier, and with the other's name fails at a price; the table shows that price."""
    page = browser.new_page()
    serve_modules(page, read_with_dear)
    with known(DEAR):
        log = log_of(play_by(RULES[name], (VARIANT,)))
        taken = next(one for one in log if one["type"] == "CardTaken" and one["data"]["card"] in SPECIALS)
        view = view_of(fold(evidence_of(log), taken["version"] - 1), taken["data"]["seat"], "")
    (other,) = PRICES.keys() - {name}
    renamed = rechain([log[0] | {"data": log[0]["data"] | {"rules": other}}, *log[1:]])
    verifier = Verifier(page)
    assert verifier.verify(log).failed == {}
    found = verifier.verify(renamed)
    assert (found.failed.keys(), found.first) == ({"play"}, taken["version"])
    points = view["turn"]["action_points"]
    costs = [PRICES[name] if card in SPECIALS else 1 for card in view["display"]]
    assert page.evaluate(script("take_costs"), view) == [[cost, cost <= points] for cost in costs]
    page.close()
