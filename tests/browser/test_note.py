"""A note to oneself, below the table and the replay."""

from pathlib import Path

import pytest

from service.web.words import page_words
from tests.browser.checks import check_accessibility
from tests.browser.players import open_table, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Windows

WORDS = page_words("en").note


@pytest.mark.nightly
def test_a_note_is_kept_for_table_and_replay(windows: Windows, tables: Tables, tmp_path: Path) -> None:
    """No other seat finds it, and who only watches is offered none."""
    table = tables.open("Anna", "Bert")
    page = open_turn(windows, table, PHONE)
    page.get_by_text(WORDS.title).click()
    page.get_by_label(WORDS.label).fill("Bert: oil?\n<b>")
    page.get_by_role("button", name=WORDS.save).click()
    page.get_by_text("Saved.").wait_for()
    check_accessibility(page)
    page.goto(f"{windows.home}/g/{table.id}/replay")
    page.get_by_text(WORDS.title).click()
    assert page.get_by_label(WORDS.label).input_value() == "Bert: oil?\n<b>"
    page.screenshot(path=tmp_path / "note.png", full_page=True)
    rival = open_table(windows, seat_link(table, 1))
    rival.get_by_text(WORDS.title).click()
    assert rival.get_by_label(WORDS.label).input_value() == ""
    watching = open_table(windows, f"/g/{table.id}")
    assert not watching.locator("#note").is_visible()
