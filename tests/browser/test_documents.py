"""The pages that are documents, in a browser."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import pytest

from tests.browser.checks import check_accessibility, check_width
from tests.browser.measures import layout_shift, measured
from tests.browser.windows import PHONE, Windows
from tests.support.samples import with_nightly

if TYPE_CHECKING:
    from playwright.sync_api import Page

FAULTS_OF_SWAGGER_UI: Final = ("color-contrast", "nested-interactive", "page-has-heading-one", "select-name")
"""Rules of axe-core that its elements break, as its makers deliver them."""


@pytest.mark.parametrize("path", with_nightly(["/api", "/by-post"]))
def test_a_document_suits_all_windows(path: str, windows: Windows, inspect_page: "Callable[[Page, str], None]") -> None:
    """The page and its icon are all that it loads, and nothing moves; it is fit for all widths and screen readers."""
    page = windows.open("about:blank")
    with measured(page) as traffic:
        page.goto(windows.home + path)
    assert len(traffic.requests) <= 2, traffic.requests
    assert traffic.size < 10_000
    assert layout_shift(page) < 0.02
    inspect_page(page, path.strip("/"))


def test_the_api_is_shown(windows: Windows) -> None:
    """Swagger UI loads nothing from other hosts, breaks no policy, and has no fault but those that are known."""
    page = windows.open("/docs", PHONE)
    page.locator("[id$=-createGame]").wait_for()
    check_width(page)
    check_accessibility(page, without=FAULTS_OF_SWAGGER_UI)
