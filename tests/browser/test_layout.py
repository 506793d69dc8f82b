"""The table fits the window: no cell of a rival is covered, and the hand is wholly in sight."""

from typing import Final

import pytest

from tests.browser.checks import check_width
from tests.browser.players import open_table
from tests.browser.tables import Tables, seat_link
from tests.browser.test_long_names import LONGEST
from tests.browser.test_phone_table import prepare
from tests.browser.windows import Look, Windows, script
from tests.support.samples import with_nightly

DESKS: Final = ((1280, 600), (1366, 650), (1440, 780), (1536, 730), (1024, 768), (1180, 820), (1920, 950), (1440, 900))
PHONES: Final = ((360, 640), (360, 740), (375, 667), (390, 844))
LOW: Final = 740
"""Pixels below which the table of five players may scroll downwards on a phone."""


@pytest.mark.nightly
@pytest.mark.parametrize("players", with_nightly([5, 3, 4, 2]))
def test_no_cell_is_covered(players: int, windows: Windows, tables: Tables) -> None:
    table = tables.open(*LONGEST[:players])
    tables.play(table, 8 * players)
    prepare(tables, table, rows=2, cards=8)
    page = open_table(windows, seat_link(table, 0), Look(language="de"))
    wrong = {}
    for width, height in (*DESKS, *PHONES):
        page.set_viewport_size({"width": width, "height": height})
        page.reload()
        page.locator("#table[data-version]").wait_for()
        check_width(page)
        seen = page.evaluate(script("covered"))
        may_scroll = width < 700 and height < LOW and players == 5
        if seen["covered"] or (not may_scroll and (seen["hand"] < 0 or seen["isBelow"])):
            wrong[width, height] = seen
    assert not wrong


@pytest.mark.nightly
def test_cards_fill_the_table(windows: Windows, tables: Tables) -> None:
    """In the middle of a game of three, with a hand of eight."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, 60)
    prepare(tables, table, rows=3, cards=8)
    page = open_table(windows, seat_link(table, 0))
    for (width, height), least in {(1440, 900): 20, (1920, 950): 18}.items():
        page.set_viewport_size({"width": width, "height": height})
        assert page.evaluate(script("card_share")) >= least
