"""Names of 40 characters without a space, five of them, in German, on a phone: nothing is cut, nothing scrolls."""

import json
from dataclasses import replace
from types import SimpleNamespace
from typing import Final

import pytest

from domain.commands import LONGEST_NAME
from domain.words.catalogue import LANGUAGES, read
from domain.words.wording import label_seats
from service.web.words import fill_plural, page_words
from tests.browser.checks import WIDTHS, check_accessibility, check_width
from tests.browser.measures import layout_shift
from tests.browser.players import open_table
from tests.browser.tables import Tables
from tests.browser.windows import Look, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly
from tests.support.waiting import patience

LONGEST: Final = [f"{letter}olfeschlegelsteinhausenbergerdorffsche{letter.lower()}" for letter in "WVMKB"]
PHONE: Final = Look(width=360, height=740, language="de-DE")
WORDS = page_words("de")
CUT_WORDS: Final = script("find_cut_words")
"""The names of businesses and the letters of cards that the page doesn't show whole."""
assert {len(name) for name in LONGEST} == {LONGEST_NAME}
STATUS_LINES: Final = script("count_status_lines")


@pytest.fixture(scope="module")
def table(tables: Tables) -> Table:
    table = tables.open(*LONGEST, listed=True)
    tables.play_to_end(table)
    return table


@pytest.mark.nightly
@pytest.mark.parametrize("page_name", with_nightly(["sheet", "replay", "check"]))
def test_pages_of_a_game(page_name: str, windows: Windows, table: Table) -> None:
    """With the tables of the charts, too: five columns of names fit beside each other. Nothing moves while it loads."""
    page = windows.open(f"/g/{table.id}/{page_name}", PHONE)
    if page_name == "replay":
        page.locator("#play:enabled").wait_for()
        page.locator("#charts").wait_for()
        assert layout_shift(page) < 0.02
        page.locator("#charts details summary").click()
        page.locator("#charts table").nth(10).wait_for()
        cut = page.locator(".table-scroll, .legend li, .player-name").evaluate_all(
            "all => all.filter((one) => one.scrollWidth > one.clientWidth).map((one) => one.outerHTML.slice(0, 99))"
        )
        assert cut == []
        page.get_by_role("button", name=WORDS.scoring.learn).click()
        page.locator("#analysis .chart").wait_for(timeout=patience(60_000))
    elif page_name == "check":
        page.locator("#verdict[data-state=ok]").wait_for()
    assert page_name == "replay" or layout_shift(page) < 0.02
    check_width(page)
    check_accessibility(page)


@pytest.mark.parametrize("path", with_nightly(["", "/replay?at=150"]))
@pytest.mark.parametrize("language", with_nightly(["nl", "en", "de", "fr"]))
def test_words_of_rows_and_cards_are_whole(language: str, path: str, windows: Windows, table: Table) -> None:
    """At the widths whose columns are narrowest, also where a row is closed; the letters stay within their cards."""
    page = windows.open(f"/g/{table.id}{path}", Look(language=language))
    page.locator("#market .length").first.wait_for()
    for width in (360, 900, 1280):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(CUT_WORDS) == []
        assert path or page.evaluate(STATUS_LINES) <= 2


@pytest.mark.nightly
@pytest.mark.parametrize("language", LANGUAGES)
def test_the_status_takes_two_lines(language: str, windows: Windows, tables: Tables) -> None:
    """Of the widest letter: the name alone is cut, and stands whole in its title."""
    names = ["W" * 39 + letter for letter in "ABC"]
    table = tables.open(*names)
    page = open_table(windows, f"/g/{table.id}", Look(width=360, height=740, language=language))
    for status in ("playing", "over"):
        page.locator(f"#table[data-status={status}]").wait_for()
        assert page.evaluate(STATUS_LINES) == 2
        cut = page.locator("#status-text .cut-name").first
        assert cut.get_attribute("title") in names
        assert cut.evaluate("one => one.scrollWidth > one.clientWidth")
        assert page.locator("#status-text").inner_text().strip() != cut.inner_text()
        check_width(page)
        tables.play_to_end(table)


def test_lists_and_links(windows: Windows, tables: Tables, table: Table) -> None:
    """In the lobby, in the list of one's own games, and where a new game's links are."""
    waiting = tables.api.create([{"name": LONGEST[0]}, {"name": LONGEST[1]}, {}], None, listed=True)
    page = windows.open("/lobby", PHONE)
    page.locator(".game-card", has_text=LONGEST[1]).first.wait_for()
    check_width(page)
    seats = {one.id: {"seat": 0, "token": one.tokens[0], "name": LONGEST[0], "at": 1} for one in (table, waiting)}
    page.evaluate("(seats) => localStorage.setItem('reibach.seats', seats)", json.dumps(seats))
    page.goto(f"{windows.home}/games")
    page.locator(".game-card", has_text=fill_plural("de", WORDS.lobby.open_seats, 1)).wait_for()
    check_width(page)
    page.goto(f"{windows.home}/")
    page.get_by_label(WORDS.new_game.your_name).fill(LONGEST[0])
    for number in (2, 3):
        page.get_by_label(WORDS.new_game.name.format(number=number)).fill(LONGEST[number])
    page.get_by_text(WORDS.new_game.create).click()
    page.locator("#created .link").nth(1).wait_for()
    check_width(page)


@pytest.mark.nightly
@pytest.mark.parametrize("language", with_nightly(["fr", "de", "en", "nl"]))
def test_a_refused_name_is_told_at_its_field(language: str, windows: Windows) -> None:
    """By its label, in the reader's language; a field takes as many characters as the service, and no more."""
    words = page_words(language).new_game
    page = windows.open("/", Look(width=360, height=740, language=language))
    own, second = page.get_by_label(words.your_name), page.get_by_label(words.name.format(number=2))
    own.fill(f"{LONGEST[0]}x")
    assert own.input_value() == LONGEST[0]
    second.fill("  ")
    page.get_by_label(words.name.format(number=3)).fill("Carla")
    windows.expect("status of 422")
    page.get_by_text(words.create).click()
    refusal = second.locator("xpath=..").locator(".problem")
    refusal.wait_for()
    assert refusal.inner_text().startswith(words.name.format(number=2))
    assert "40" in refusal.inner_text()
    assert second.evaluate("one => one === document.activeElement && one.getAttribute('aria-describedby')")
    assert not page.locator("#new-game-problem").is_visible()
    check_width(page)
    check_accessibility(page)
    second.fill("Bert")
    page.get_by_text(words.create).click()
    page.locator("#created .link").first.wait_for()


def test_a_refused_name_at_an_open_seat(windows: Windows, tables: Tables) -> None:
    """Beside the field, with its label in front; what a script has written there stays."""
    opened = tables.api.post("/v1/games", json={"seats": [{"name": "Anna"}, {}]}).json()
    page = windows.open(f"/g/{opened['game']['id']}", PHONE)
    field, note = page.locator("#join input"), page.locator("#join .form-note", has_text=f"{WORDS.lobby.your_name}: ")
    windows.expect("status of 422")
    field.fill("   ")
    with page.expect_response("**/seats"):
        page.locator("#join button").click()
    note.wait_for()
    field.evaluate("(field, name) => { field.value = name }", f"{LONGEST[0]}x")
    with page.expect_response("**/seats"):
        page.locator("#join button").click()
    note.wait_for()
    assert page.locator("#join input").input_value() == f"{LONGEST[0]}x"


def test_names_that_look_equal_are_numbered(windows: Windows, tables: Tables) -> None:
    """As in mails and in the terminal."""
    names = ["Zoë", "Zoe\u0308", "Anna", "An\u00adna", "Anna\u2060"]
    table = tables.open(*names)
    page = windows.open(f"/g/{table.id}")
    for label in label_seats([SimpleNamespace(name=name, bot=None) for name in names]):
        page.locator("#table").get_by_text(label).first.wait_for()


def test_a_wide_sheet_says_so(windows: Windows, table: Table) -> None:
    """On a phone it scrolls within its frame, and the page says that it does; on a desktop all of it is shown."""
    hint = WORDS.replay.sheet_is_wide
    page = windows.open(f"/g/{table.id}/sheet", PHONE)
    page.get_by_text(hint).wait_for()
    check_width(page)
    assert layout_shift(page) < 0.02
    page.locator(".scroll").evaluate("(frame) => frame.scrollTo({ left: frame.scrollWidth })")
    box = page.locator(".total td").last.bounding_box()
    assert box is not None
    assert box["x"] + box["width"] <= PHONE.width
    assert not windows.open(f"/g/{table.id}/sheet", Look(language="de-DE")).get_by_text(hint).is_visible()


@pytest.mark.parametrize("language", with_nightly(LANGUAGES))
def test_a_sheet_stays_while_it_arrives(language: str, windows: Windows, table: Table) -> None:
    """Heads and rows are where they will be, whatever of the sheet is still to come; no row's name leaves its cell."""
    for path in (f"/g/{table.id}/sheet", f"{table.path}/scores"):
        page = windows.open(path, replace(PHONE, language=language))
        for width, height in WIDTHS.items():
            page.set_viewport_size({"width": width, "height": height})
            assert page.locator("tr").evaluate_all(script("move_while_arriving")) == [], (path, width)
        cut = page.locator("tbody th").evaluate_all("(all) => all.filter((one) => one.scrollWidth > one.clientWidth)")
        assert cut == []


@pytest.mark.parametrize("language", with_nightly(["de-DE", "fr-FR"]))
def test_an_unknown_game_leads_on(language: str, windows: Windows) -> None:
    """A sentence and links; a path that is no page does the same."""
    windows.expect("status of 404")
    words = page_words(language[:2]).common
    look = Look(width=360, height=740, language=language)
    page = windows.open("/g/no-such-game", look)
    page.get_by_role("heading", name=read(language[:2], "plain_table").unknown).wait_for()
    page.locator("main").get_by_role("link", name=words.games).wait_for()
    check_accessibility(page)
    check_width(page)
    page = windows.open("/nosuch", look)
    page.get_by_role("heading", name=words.no_page).wait_for()
    page.locator("main").get_by_role("link", name=words.games).click()
    page.wait_for_url("**/games")


@pytest.mark.parametrize("language", with_nightly(LANGUAGES))
def test_a_sheet_is_printed_on_one_page(language: str, windows: Windows, table: Table) -> None:
    """In every language; no name of a business or a player leaves its cell."""
    page = windows.open(f"/g/{table.id}/sheet", Look(width=1047, height=718, language=language))
    page.emulate_media(media="print")
    cut = page.locator("th, td").evaluate_all(
        "(all) => all.filter((one) => one.scrollWidth > one.clientWidth + 1).length"
    )
    assert cut == 0
    assert page.pdf(prefer_css_page_size=True).count(b"/Type /Page\n") == 1
