"""A new game with the players and settings of one that is over."""

from typing import Final

from service.web.words import PAGE_WORDS
from tests.browser.measures import layout_shift
from tests.browser.players import SHORT_GAME
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Windows

WORDS = PAGE_WORDS["en"]
PACE: Final = {
    "turn_seconds": 43_200,
    "reminder_seconds": 7200,
    "on_timeout": "bot",
    "bank_seconds": 3600,
    "hours": {"from": "08:00", "to": "22:00", "zone": "Europe/Berlin"},
}

FILLED: Final = """(name) => document.querySelector("#seat-rows input").value === name"""


def test_the_same_players_play_again(windows: Windows, tables: Tables) -> None:
    """From the end of the game: the own seat first, then the others in their order; one click opens it."""
    table = tables.open("Anna", "Bert", bots=1, seed=SHORT_GAME, variants={"staggered_start": True}, listed=True)
    tables.play_to_end(table)
    page = windows.open(seat_link(table, 1), PHONE)
    page.locator("#ending").get_by_role("link", name=WORDS.table.again).click()
    rows = page.locator("#seat-rows > li")
    page.wait_for_function(FILLED, arg="Bert")
    assert [row.locator("input").input_value() for row in rows.all()][::2] == ["Bert", "Anna"]
    assert rows.nth(1).locator("select").input_value() == "greedy"
    assert page.locator("[value=staggered_start]").is_checked()
    assert layout_shift(page) < 0.02
    with page.expect_response("**/v1/games") as created:
        page.get_by_role("button", name=WORDS.new_game.create).click()
    game = created.value.json()["game"]
    assert [seat["bot"] or seat["name"] for seat in game["seats"]] == ["Bert", "greedy", "Anna"]
    assert (game["variants"]["staggered_start"], game["listed"], game.get("pace")) == (True, True, None)


def test_a_pace_that_the_form_cannot_show_is_kept(windows: Windows, tables: Tables) -> None:
    """Unless the player chooses another one."""
    table = tables.open("Anna", "Bert", pace=PACE, replaceable=True)
    page = windows.open(seat_link(table, 0))
    page.locator("#table[data-version]").wait_for()
    for another in (False, True):
        page.goto(f"{windows.home}/?again={table.id}")
        page.wait_for_function(FILLED, arg="Anna")
        assert page.locator("#turn-time").input_value() == "12"
        if another:
            page.get_by_text(WORDS.new_game.pace_day).click()
        with page.expect_response("**/v1/games") as created:
            page.get_by_role("button", name=WORDS.new_game.create).click()
        game = created.value.json()["game"]
        assert game["replaceable"]
        assert (game["pace"] == PACE) != another


def test_a_game_that_is_gone_is_told(windows: Windows) -> None:
    """The form stays as it is."""
    windows.expect("status of 404")
    page = windows.open("/?again=no-such-game")
    page.locator("#new-game-problem:visible").wait_for()
    assert page.locator("#seat-rows > li").count() == 3
