"""Whole games at the table: by keyboard alone, and on a phone by touch."""

import pytest

from domain.projections.score_sheet import ROUNDS
from tests.browser.checks import check_width
from tests.browser.players import SHORT_GAME, keyboard_player, touch_player
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Look, Windows


@pytest.mark.nightly
@pytest.mark.parametrize("by", ["touch", "keyboard"])
def test_a_whole_game(by: str, windows: Windows, tables: Tables) -> None:
    """Against a bot, to its end; each scoring round is shown, and the log holds what the player did.

    Every run plays one in `test_four_browsers.py`: by keyboard in three windows, by touch on a phone.
    """
    table = tables.open("Anna", bots=1, seed=SHORT_GAME)
    page = windows.open(seat_link(table, 0), PHONE if by == "touch" else Look())
    player = touch_player(page) if by == "touch" else keyboard_player(page)
    player.play()
    assert player.rounds == len(ROUNDS)
    check_width(page)
    tables.api.await_end(table)
    totals = tables.api.view(table)["seats"]
    assert f"{totals[0]['total']}" in page.locator("#own-total").inner_text().replace("\u2212", "-")
    own = [event["type"] for event in tables.api.events(table) if event["data"].get("seat") == 0]
    assert {"CardTaken", "CardDrawn", "BusinessmakerLaid", "CardAppended"} <= set(own)
