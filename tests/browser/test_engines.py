"""Firefox and WebKit: each plays a whole game, on a desk and as a phone, and shows the other pages.

The other tests of a browser are in Chromium. iPhones have WebKit at heart.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Final, cast

import pytest

from domain.projections.score_sheet import ROUNDS
from tests.browser.checks import check_width
from tests.browser.engines import NEEDED, EnginePage, start_engine
from tests.browser.players import SHORT_GAME, keyboard_player, touch_player
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Page
from tests.conftest import Service

SIZES: Final = {"desktop": (1280, 800), "phone": (390, 844)}
PAGES: Final = ("/", "/lobby", "/games", "/league", "/rules", "/post", "/check", "/g/{game}/sheet", "/g/{game}/replay")


@pytest.fixture
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[EnginePage]:
    """A window of the engine and the size that the test names; skipped where the engine isn't installed."""
    name, size = request.param
    if missing := [package for package, program in NEEDED[name].items() if program is None]:
        pytest.skip(f"{name} isn't installed: apt-get install {' '.join(missing)}")
    with start_engine(name, tmp_path / name, *SIZES[size]) as page:
        yield page


def look(page: EnginePage) -> None:
    """Nothing is wider than the window, and no script has failed since the page was opened."""
    check_width(cast("Page", page))
    assert page.evaluate("window.errors") == []


@pytest.mark.nightly
@pytest.mark.parametrize("engine", [(name, size) for name in NEEDED for size in SIZES], ids="-".join, indirect=True)
def test_an_engine_plays_a_whole_game(engine: EnginePage, service: Service, tables: Tables) -> None:
    """Against a bot, by keys on a desk and by taps on a phone; then it checks the game, and opens all other pages."""
    table = tables.open("Anna", bots=1, seed=SHORT_GAME)
    engine.goto(service.url + seat_link(table, 0))
    engine.evaluate("document.body.setAttribute('style', 'color: red')")
    assert engine.evaluate("window.errors.splice(0)") == ["style-src-attr"]  # what is wrong is noticed
    page = cast("Page", engine)
    player = (keyboard_player if engine.viewport_size["width"] > 1000 else touch_player)(page)
    player.play()
    look(engine)
    assert player.rounds == len(ROUNDS)
    view = tables.api.view(table)
    assert view["status"] == "over"
    assert engine.locator(".line-own .line-head").get_attribute("data-total") == str(view["seats"][0]["total"])
    engine.goto(f"{service.url}/g/{table.id}/check")
    engine.locator("#verdict[data-state=ok]").wait_for()
    look(engine)
    for path in PAGES:
        engine.goto(service.url + path.format(game=table.id))
        engine.locator("h1").wait_for()
        look(engine)
