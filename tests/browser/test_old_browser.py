"""The pages in a browser that lacks what Safari 16.4 or Firefox 115 lacks: a whole game, and the ways beside it."""

import re
from typing import Final

import pytest

from service.web.words import page_words
from tests.browser.checks import check_width
from tests.browser.players import SHORT_GAME, touch_player
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Inspect, Page, Route, Windows
from tests.web.test_features import BESIDE

PROPERTIES: Final = "|".join(name for name in BESIDE if re.fullmatch("[a-z-]+", name))
STYLE: Final = re.compile(rf":has(?=\()|\((?=scripting:)|(?<![-\w])(?:{PROPERTIES})(?=:)")
"""What such a browser doesn't know in a style: rules and declarations of that are left out."""
LACKING: Final = """for (const name of ["groupBy", "showPopover", "hidePopover", "togglePopover", "checkVisibility"])
  for (const owner of [Map, Object, HTMLElement.prototype, Element.prototype]) delete owner[name];"""


def open_old(windows: Windows, path: str) -> Page:
    page = windows.open("about:blank", PHONE)
    page.add_init_script(LACKING)
    page.route("**/static/*/*.css", make_style_old)
    page.route(lambda url: not re.search(r"/(static|v1)/", url), make_page_old)
    page.goto(windows.home + path)
    return page


def make_style_old(route: Route) -> None:
    answer = route.fetch()
    style = STYLE.sub(lambda match: f"{match[0]}-unknown-", answer.text())
    route.fulfill(response=answer, body=style.replace("selector(:popover-open)", "selector(:unknown)"))


def make_page_old(route: Route) -> None:
    answer = route.fetch()
    is_page = "html" in answer.headers.get("content-type", "")
    route.fulfill(response=answer, body=answer.text().replace("popover", "unknown") if is_page else answer.body())


@pytest.mark.nightly
def test_the_menu_is_there_without_popovers(windows: Windows, inspect_page: Inspect) -> None:
    page = open_old(windows, "/lobby")
    assert page.locator(".menu-button").is_hidden()
    inspect_page(page, "no-popover")
    page.get_by_role("navigation").get_by_role("link", name=page_words("en").common.rules).tap()
    page.get_by_role("heading", level=1, name=page_words("en").rules.title).wait_for()
    page.wait_for_load_state()  # no answer is changed any more when the window is closed


@pytest.mark.nightly
def test_an_old_browser_plays_a_whole_game(windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """And forgets it on My games."""
    table = tables.open("Anna", bots=1, seed=SHORT_GAME)
    page = open_old(windows, seat_link(table, 0))
    player = touch_player(page)
    for _ in range(5):
        player.play_turn()
    inspect_page(page, "old-table")
    player.play()
    check_width(page)
    page.goto(f"{windows.home}/games")
    page.locator(".card-menu-button").tap()
    page.get_by_role("button", name=page_words("en").games.remove_yes).tap()
    page.get_by_text(page_words("en").games.none).wait_for()
