"""What the other browser tests rely on: nothing wrong goes unnoticed, and measures measure."""

import re

import httpx
import pytest

from tests.browser.checks import check_accessibility, check_width, each_look
from tests.browser.measures import layout_shift, long_tasks, measured
from tests.browser.tables import Tables
from tests.browser.windows import Browser, Look, Page, Windows, script
from tests.support.cases import cases

HEAD = "<!doctype html><html lang=en><title>own</title><link rel=icon href=data:,>"
WRONG = cases(__file__, "wrong")
"""What is wrong in a page, and the complaint of it."""


def show(windows: Windows, body: str) -> Page:
    policy = {"Content-Security-Policy": "style-src 'self'; script-src 'unsafe-inline'"}
    return windows.show(f"{HEAD}<main><h1>own</h1>{body}</main>", headers=policy)


def test_what_is_wrong_fails_the_test(browser: Browser, windows: Windows) -> None:
    own = Windows(browser, windows.home, windows.patience)
    with measured(page := show(own, "".join(WRONG))):
        page.reload()
    with pytest.raises(AssertionError) as failed:
        own.close()
    assert [complaint for complaint in WRONG.values() if complaint not in str(failed.value)] == []
    own.expect(*map(re.escape, WRONG.values()))
    with pytest.raises(AssertionError, match=r"(?s)^wrong in the browser:.*net::ERR_NAME"):
        own.close()
    own.expect("net::ERR_NAME", "Applying inline style", "what never happened")
    with pytest.raises(AssertionError, match=r"did not happen: \['what never happened'\]"):
        own.close()


def test_a_window_has_its_look(windows: Windows) -> None:
    """Language, scheme, motion and width, as a page's scripts and styles see them; a new tab shares its storage."""
    page = windows.open("/robots.txt", Look(width=412, language="fr-FR", dark=True, calm=False))
    found = page.evaluate(script("read_look"))
    assert found == [412, "fr-FR", True, False]
    asked = "localStorage.getItem('left')"
    assert windows.open("/robots.txt", beside=page).evaluate(asked) == "here"
    assert windows.open("/robots.txt").evaluate(asked) is None


def test_traffic_is_what_was_transferred(windows: Windows, tables: Tables) -> None:
    """Compressed bodies and heads; a stream of events is none of it, and quiet doesn't wait for it."""
    table, page = tables.open("Anna", "Bert"), show(windows, "")
    with measured(page) as traffic:
        page.evaluate("(url) => { fetch(url, { headers: { Accept: 'text/event-stream' } }); }", f"{table.path}/events")
        page.evaluate("async () => { await fetch('/rules'); }")
    assert traffic.requests == [f"{windows.home}/rules"]
    assert len(traffic.transfers) == 2
    with httpx.stream("GET", f"{windows.home}/rules", headers={"Accept-Encoding": "gzip"}) as answer:
        body = sum(map(len, answer.iter_raw()))
    assert body < traffic.size < body + 1000


def test_shifts_and_long_tasks_are_measured(windows: Windows) -> None:
    """A paragraph that is pushed down, and a script that keeps the page waiting."""
    page = show(windows, "<p>one</p>" * 5)
    assert layout_shift(page) == 0
    before = len(long_tasks(page))
    page.evaluate(script("shift_and_block"))
    assert layout_shift(page) > 0.02
    assert [duration for duration in long_tasks(page)[before:] if duration >= 80]


def test_faults_of_pages_are_found(windows: Windows) -> None:
    """A field without a name, a table wider than a phone."""
    page = show(windows, "<input><hr width=500>")
    check_width(page)
    with pytest.raises(AssertionError, match="label"):
        check_accessibility(page)
    with pytest.raises(AssertionError, match="hr"):
        [check_width(page) for _ in each_look(page)]
