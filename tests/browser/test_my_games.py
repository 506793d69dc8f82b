"""My games: the wall of cards, its way to another device, and the quiet signals of a turn."""

import json
from typing import Final
from urllib.parse import unquote

import pytest

from service.web.words import page_words
from tests.browser.checks import read_code
from tests.browser.measures import layout_shift
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import PHONE, Inspect, Page, Windows, script
from tests.support.client import Table

WORDS: Final = page_words("en").games
CARDS: Final = "(cards) => cards.map((card) => card.dataset.game + card.innerText)"


def open_wall(windows: Windows, *played: Table) -> Page:
    """The page of a browser that plays seat 0 of these."""
    page = windows.open("/robots.txt", PHONE)
    seats = {table.id: {"seat": 0, "token": table.tokens[0]} for table in played}
    page.evaluate("(seats) => { localStorage['reibach.seats'] = seats; }", json.dumps(seats))
    page.on("request", lambda request: running.add(request.url) if "/v1/games/" in request.url else None)
    page.on("request", lambda _: most.append(len(running)))
    page.on("requestfinished", lambda request: running.discard(request.url))
    running, most = set[str](), list[int]()
    page.goto(f"{windows.home}/games")
    page.locator(".game-card").nth(len(played) - 1).wait_for()
    assert max(most) <= 4
    return page


@pytest.mark.nightly
def test_a_wall_is_sorted_by_the_clock(windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """Own turns first, the shortest time before others; a game that is over is loaded in sight. Some make a league."""
    late, soon = (
        tables.open("Anna", "Bert", name=f"<{days}>", pace={"turn_seconds": 86_400 * days}) for days in (3, 1)
    )
    others, over = tables.open("Anna", "Konstantin-Maximilian", "\u202eCarla"), tables.open("Anna", "Bert", "Carla")
    tables.end_turn(others)
    tables.play_to_end(over)
    own, *totals = (seat["total"] for seat in tables.api.view(over)["seats"])
    page = open_wall(windows, over, others, late, soon, *(tables.open("Anna", "Bert") for _ in range(5)))
    cards = page.locator(".game-card")
    ids = cards.evaluate_all("(cards) => cards.map((card) => card.dataset.game)")
    assert (ids[:2], ids[-2:]) == ([soon.id, late.id], [others.id, over.id])
    place = 1 + sum(total > own for total in totals)
    standing = WORDS.standing.format(money=f"{own}\u00a0million", place=place, players=3).replace("-", "\u2212")
    cards.last.get_by_text(standing).wait_for()
    assert cards.first.get_by_role("link", name=WORDS.replay).get_attribute("href") == f"/g/{soon.id}/replay"
    assert cards.last.get_by_role("img", name=WORDS.position_none).count() == 1
    cards.last.scroll_into_view_if_needed()
    cards.last.get_by_role("img", name=WORDS.position_none).wait_for(state="detached")
    assert "\u202e" not in page.locator("main").inner_text()
    assert layout_shift(page) < 0.02
    inspect_page(page, "games-wall")
    page.get_by_text(WORDS.league).click()
    page.get_by_role("checkbox", checked=False).first.check()
    page.get_by_role("button", name=WORDS.league_show).click()
    page.wait_for_selector(".league")
    assert over.id in page.url
    assert len(page.url.partition("#")[2].split(",")) == cards.count() == 2


@pytest.mark.nightly
def test_games_go_along_to_another_device(windows: Windows, tables: Tables) -> None:
    """By a link, and by a code that reads as it: one question there, and the same list. The server learns nothing."""
    page = open_wall(windows, *(both := [tables.open("Anna", "Bert"), tables.open("Anna", "Bert", "Carla")]))
    page.get_by_text(WORDS.take, exact=True).click()
    link = page.get_by_label(WORDS.take_link, exact=True).input_value()
    assert read_code(page.locator(".code-picture")) == link
    phone, sent, asked = windows.open("about:blank", PHONE), list[str](), list[str]()
    phone.on("request", lambda request: sent.append(unquote(f"{request.url} {request.post_data}")))
    phone.on("dialog", lambda one: [asked.append(one.message), one.accept() if asked[1:] else one.dismiss()])
    question = WORDS.take_question.other.replace("{n} ", "2\u00a0")
    for times in (1, 2):
        phone.goto("about:blank")
        phone.goto(link)
        assert (asked, "#" in phone.url) == ([question] * times, False)
        assert phone.evaluate("'reibach.seats' in localStorage") == (times > 1)
    phone.locator(".game-card").nth(1).wait_for()
    assert {*phone.locator(".game-card").evaluate_all(CARDS)} == {*page.locator(".game-card").evaluate_all(CARDS)}
    phone.goto("about:blank")
    phone.goto(f"{windows.home}/games#take=x~y")
    assert asked[2:] == [page_words("en").common.damaged_link]
    assert any("/v1/games?ids=" in line for line in sent)
    assert not any(table.tokens[0] in line for line in sent for table in both)


@pytest.mark.nightly
def test_a_turn_is_signalled_quietly(windows: Windows, tables: Tables) -> None:
    """By the tab's icon and the number on the installed site's; by a sound only where it was asked for."""
    table, other = tables.open("Anna", "Bert"), tables.open("Anna", "Bert")
    page = windows.open("/robots.txt")
    page.context.add_init_script(script("record_signals"))
    for one, number in ((other, 1), (table, 2)):
        page.goto(windows.home + seat_link(one, 0))
        page.wait_for_function("(number) => showsDot() && signals.badges.at(-1) === number", arg=number)
    for notes in (0, 2):
        tables.end_turn(table)
        page.wait_for_function("() => !showsDot() && signals.badges.at(-1) === 1")
        while tables.api.view(table)["turn"]["seat"] == 1:
            tables.play(table, 1)
        page.wait_for_function("() => showsDot() && signals.badges.at(-1) === 2")
        assert page.evaluate("signals.notes") == notes
        page.locator("#game-menu").click()
        page.get_by_label(page_words("en").menu.sound).check()
        page.evaluate("signals.notes = 0")  # it was heard at once
        page.locator("#sheet-close").click()
    page.goto(f"{windows.home}/games")
    page.wait_for_function("() => showsDot() && signals.badges.at(-1) === 2")
