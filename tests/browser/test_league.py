"""A league from the fragment of an address, and how it is put together; the start page's invitations."""

import json
from dataclasses import replace

from domain.rules import NEWEST
from service.web.examples import EXAMPLE_ROW
from service.web.frame import Tongue, render_page
from service.web.pages import START
from service.web.words import page_words
from tests.browser.checks import check_accessibility, check_width
from tests.browser.tables import SEED, Tables
from tests.browser.windows import PHONE, Inspect, Windows

WORDS = page_words("en")
CELLS = "(rows) => rows.map((row) => [...row.cells].map((cell) => cell.textContent))"


def test_a_league_is_added_up_from_its_address(windows: Windows, tables: Tables) -> None:
    """By name, of finished games; what is running, cancelled or unknown is told. "My games" makes such an address."""
    first, second = (tables.open("Anna", "Bert", seed=SEED, name=f"Round <{number}>") for number in (1, 2))
    running, cancelled = tables.open("Anna", "Cleo"), tables.open("Anna", "Cleo")
    for table in (first, second):
        tables.play_to_end(table)
    for seat in (0, 1):
        assert tables.api.post(f"{cancelled.path}/cancel", cancelled.tokens[seat]).status_code == 201
    page = windows.open("/robots.txt", PHONE)
    seats = {table.id: {"seat": 0, "token": table.tokens[0]} for table in (first, second, running, cancelled)}
    page.evaluate("(seats) => { localStorage['reibach.seats'] = seats; }", json.dumps(seats))
    page.goto(f"{windows.home}/games")
    page.get_by_text(WORDS.games.league).click()
    assert page.get_by_role("checkbox", checked=True).count() == 3
    page.get_by_role("checkbox", checked=False).check()
    check_width(page)
    check_accessibility(page)
    page.get_by_role("button", name=WORDS.games.league_show).click()
    page.wait_for_selector(".league")
    views = [tables.api.view(table) for table in (first, second)]
    names = ("Anna", "Bert")
    expected = {name: [2, 0.0, 0] for name in names}
    for view in views:
        for seat, name in enumerate(names):
            expected[name][1] += (seat in view["winners"]) / len(view["winners"])
            expected[name][2] += view["seats"][seat]["total"]
    rows = page.locator(".league tbody tr").evaluate_all(CELLS)
    assert {name: [float(cell) for cell in cells] for name, *cells in rows} == expected
    assert float(rows[0][2]) >= float(rows[1][2])
    assert [page.get_by_text(text).count() for text in (WORDS.league.running, WORDS.league.cancelled)] == [1, 1]
    assert page.get_by_text("Round <1>").count() == 1
    page.evaluate("location.hash += ',nowhere'")
    page.get_by_text(WORDS.league.missing["one"].format(n=1, ids="nowhere").replace("1 ", "1\u00a0")).wait_for()
    page.get_by_role("button", name=WORDS.league.copy_link).click()
    assert page.get_by_label(WORDS.league.copy_link).last.input_value() == page.url


def test_a_shared_win_is_divided(windows: Windows, tables: Tables) -> None:
    """Half a win for each of two; equal names of one game are told apart."""
    game = {"id": "a", "name": None, "status": "over", "totals": [9, 9, -1], "winners": [0, 1], "version": 9}
    games = {
        "games": [game | {"seats": ["Anna", "Bert", "Bert"], "updated_at": "2026-01-31T18:05:09.123Z"}],
        "next": None,
    }
    page = windows.open("/robots.txt")
    page.route("**/v1/games?ids=*", lambda route: route.fulfill(json=games))
    page.goto(f"{windows.home}/league#a")
    page.wait_for_selector(".league")
    assert page.locator(".league tbody tr").evaluate_all(CELLS) == [
        ["Anna", "1", "0.5", "9"],
        ["Bert (1)", "1", "0.5", "9"],
        ["Bert (2)", "1", "0", "-1"],
    ]


def test_a_player_is_invited_from_the_start_page(windows: Windows, inspect_page: Inspect) -> None:
    """By an address beside the name, where mails are sent: this service has none, so page and answer are made here."""
    values = {"example_row": EXAMPLE_ROW, "scorings": NEWEST.scoring_at, "variants": NEWEST.variants}
    html = render_page(replace(START, offers_mail=True), Tongue("en", is_asked_for=False), **values)
    seats = [{"seat": seat, "name": name, "bot": None} for seat, name in enumerate(["Anna", "Bert"])]
    made = {"game": {"id": "g", "seats": seats}, "seats": [{"seat": 0, "name": "Anna", "token": "x"}]}
    page, form = windows.open("/robots.txt", PHONE), WORDS.new_game
    page.route("**/", lambda route: route.fulfill(body=html, content_type="text/html; charset=utf-8"))
    page.route("**/v1/games", lambda route: route.fulfill(status=201, json=made))
    page.goto(f"{windows.home}/")
    page.get_by_label(form.your_name).fill("Anna")
    page.get_by_label(form.name.format(number=2)).fill("Bert")
    page.get_by_label(form.kind.format(number=3)).select_option("open")
    assert not page.get_by_label(form.invite_of.format(number=3)).is_visible()
    page.get_by_label(form.invite_of.format(number=2)).fill("bert@example.org")
    inspect_page(page, "start-mail")
    with page.expect_request("**/v1/games") as sent:
        page.get_by_role("button", name=form.create).click()
    invited = {"name": "Bert", "invite": "bert@example.org", "language": "en"}
    assert sent.value.post_data_json["seats"][1:] == [invited, {}]
    page.get_by_text(form.invited.format(names="Bert")).wait_for()
