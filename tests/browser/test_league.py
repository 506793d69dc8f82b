"""A league from the fragment of an address, and how it is put together; the start page's invitations."""

from dataclasses import replace
from itertools import count
from urllib.parse import parse_qs

import pytest

from domain.rules import NEWEST
from service.web.frame import NOTICE_PARTS, Page, Tongue, render_page
from service.web.pages import EXAMPLE_ROW, START
from service.web.words import page_words
from tests.browser.windows import PHONE, Inspect, Windows, script

WORDS = page_words("en")
GAMES = [
    ("over", ["Anna", "Bert", "Bert"], [9, 9, -1], [0, 1]),
    ("over", ["Anna", "Bert"], [8, 30], [1]),
    ("over", ["Anna", None], [0, 0], []),
    ("playing", ["Anna", "Cleo"], [5, 5], None),
]
"""Status, players, totals and winners: a shared win, a cancelled game, one that runs."""
ROWS = ["Bert 1 1 30", "Anna 2 0.5 17", "Bert (1) 1 0.5 9", "Bert (2) 1 0 \u22121"]


@pytest.mark.nightly
def test_a_league_is_added_up_from_its_address(windows: Windows, inspect_page: Inspect) -> None:
    """By name, of finished games, a shared win in parts; what runs, was cancelled or isn't found is told."""
    names = ("status", "seats", "totals", "winners")
    games = [
        {"id": f"g{number}", "name": "Round <1>", **dict(zip(names, one, strict=True))}
        for number, one in zip(count(), GAMES, strict=False)
    ]
    page = windows.open("/robots.txt", PHONE)
    page.route("**/v1/games?ids=*", lambda route: route.fulfill(json={"games": games}))
    page.goto(f"{windows.home}/league#g0,g1,,g2,g3,g0")
    page.wait_for_selector(".league")
    cells = "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(' '))"
    assert page.locator(".league tbody tr").evaluate_all(cells) == ROWS
    texts = (WORDS.league.running, WORDS.league.cancelled, "Round <1>")
    assert [page.get_by_text(text).count() for text in texts] == [1, 1, 4]
    assert page.locator(".league thead th").evaluate_all(script("are_whole"))
    page.evaluate("location.hash += ',nowhere'")
    page.locator("[role=status]", has_text="nowhere").wait_for()
    inspect_page(page, "league-long")
    assert page.get_by_label(WORDS.league.title, exact=True).input_value() == page.url
    del games[:3]
    page.reload()
    page.get_by_text(WORDS.league.none_done).wait_for()


def test_a_player_is_invited_from_the_start_page(windows: Windows, inspect_page: Inspect) -> None:
    """By an address beside the name, where mails are sent: this service has none, so page and answer are made here."""
    values = {"example_row": EXAMPLE_ROW, "scorings": NEWEST.scoring_at, "variants": NEWEST.variants}
    html = render_page(replace(START, offers_mail=True), Tongue("en", is_asked_for=False), **values)
    seats = [{"seat": seat, "name": name, "bot": None} for seat, name in enumerate(["Anna", "Bert"])]
    made = {"game": {"id": "g", "seats": seats}, "seats": [{"seat": 0, "name": "Anna", "token": "x"}]}
    page, form = windows.show(html, PHONE, "/"), WORDS.new_game
    page.route("**/v1/games", lambda route: route.fulfill(status=201, json=made))
    page.get_by_label(form.your_name).fill("Anna")
    page.get_by_label(form.name.format(number=2)).fill("Bert")
    page.get_by_label(form.kind.format(number=3)).select_option("open")
    assert not page.get_by_label(form.invite_of.format(number=3)).is_visible()
    page.get_by_label(form.invite_of.format(number=2)).fill("bert@example.org")
    for width in (360, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.locator("#seat-rows input:visible").evaluate_all(script("find_cut_placeholders")) == []
    windows.expect("status of 422")
    refused = {"type": "x", "status": 422, "detail": "x", "errors": {"seats.1.invite": ["must be a mail address"]}}
    page.route("**/v1/games", lambda route: route.fulfill(status=422, json=refused), times=1)
    page.get_by_role("button", name=form.create).click()
    page.locator("[name=invite]:focus ~ .problem", has_text=form.invite_of.format(number=2)).wait_for()
    inspect_page(page, "start-mail")
    with page.expect_request("**/v1/games") as sent:
        page.get_by_role("button", name=form.create).click()
    zone = page.evaluate("Intl.DateTimeFormat().resolvedOptions().timeZone")
    invited = {"name": "Bert", "invite": "bert@example.org", "language": "en", "zone": zone}
    assert sent.value.post_data_json["seats"][1:] == [invited, {}]
    page.get_by_text(form.invited.format(names="Bert")).wait_for()
    asked = NOTICE_PARTS | {"title": "x", "lines": (), "button": "Go", "asks_zone": True}
    page = windows.show(render_page(Page("page.html"), Tongue("en", is_asked_for=False), **asked), PHONE, "/confirm/x")
    page.route("**/confirm/x", lambda route: route.fulfill(body="done"))
    page.wait_for_function("() => document.querySelector('[name=zone]').value")
    with page.expect_request("**/confirm/x") as sent:
        page.get_by_role("button", name="Go").click()
    assert parse_qs(sent.value.post_data) == {"zone": [zone]}
