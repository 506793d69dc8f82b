"""What is worth seeing: others' actions one by one, scoring rounds, the end of a game, and what a first game says."""

import json
from itertools import pairwise, product
from struct import unpack
from typing import Any, Final

import pytest

from domain.words.wording import words_of
from service.web.words import fill_plural, page_words
from tests.browser.checks import check_accessibility, check_width
from tests.browser.measures import layout_shift, traced
from tests.browser.players import SHORT_GAME, await_turn, open_table, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.verifying import offer_modules
from tests.browser.windows import DESKTOP, PHONE, Inspect, Look, Page, Route, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly
from tests.support.waiting import patience

LIVELY: Final = Look(calm=False)
WORDS: Final = page_words("en")
PAUSE: Final = 500
"""Milliseconds at least between two actions that are shown."""
LAG: Final = 5000
"""Milliseconds at most until the last of them is shown."""
LONGEST_MOTION: Final = 250
IN_SIGHT: Final = script("are_in_sight")
TAKES: Final = [{"type": "take", "slot": slot} for slot in (0, 1, 2)]
ROUND_OF_ANNA: Final = f"{84:064x}"
"""A seed for two or three seats: Anna begins a turn in which the first card that she takes starts a scoring round."""

ORDER: Final = ["Carla2+1113", "\u25b21Anna0+1010", "\u25bc1Bert1+89"]
"""After that round, the best first: how places have changed, money before, incomes and totals."""
RESULTS: Final = (
    "3\nSo close\n23\u00a0million, 3 behind Carla",
    "2\nSo close\n24\u00a0million, 2 behind Carla",
    "1\nYou won\n26\u00a0million, 2 ahead of Bert",
)


def steps_of(page: Page) -> list[tuple[float, int, str]]:
    """When the page has shown which version, with which status; times of all pages have the same beginning."""
    begin = page.evaluate("performance.timeOrigin")
    return [(begin + at, version, status) for at, version, status in page.evaluate("window.steps")]


@pytest.mark.nightly
@pytest.mark.parametrize("rivals", with_nightly([1, 3]))
def test_actions_of_others_are_shown_one_by_one(rivals: int, windows: Windows, tables: Tables) -> None:
    """Never more than two cards fly; it is the player's turn when the last lies. A click shows all, as calm does."""
    names = ["Bert", "Carla", "Dora"][:rivals]
    table = tables.open(*names, "Anna")
    lively, calm = (open_table(windows, seat_link(table, rivals), look) for look in (LIVELY, DESKTOP))
    with traced(lively) as loading:
        lively.reload()
        lively.locator("#table[data-version]").wait_for()
    for page, record in product((lively, calm), ("record_steps", "record_motion")):
        page.evaluate(script(record))
    with traced(lively) as tasks:
        for seat in range(rivals):
            lay = {"type": "lay_businessmaker", "card": tables.api.view(table, seat)["you"]["hand"][0]}
            assert tables.api.act(table, seat, lay, *TAKES[:2]).status_code == 201
        for page in (lively, calm):
            tables.await_version(table, page)
    print("largest task", max(tasks), "ms, when the page was loaded", max(loading), "ms")
    assert max(tasks) < 3 * max(loading)
    for move in lively.evaluate("window.moves"):
        assert (move["input"], move["duration"] <= LONGEST_MOTION) == ("none", True)
        assert set(move["properties"]) <= {"transform", "opacity", "offset", "computedOffset", "easing", "composite"}
    assert calm.evaluate("window.moves") == []
    assert layout_shift(lively) < 0.02
    steps = steps_of(lively)
    acted = {one["version"] for one in tables.api.events(table) if one["data"].get("card") and "slot" in one["data"]}
    shown = [one[0] for before, one in pairwise([(0, 0, ""), *steps]) if acted & {*range(before[1] + 1, one[1] + 1)}]
    assert len(shown) >= 2
    assert min(later - earlier for earlier, later in pairwise(shown)) >= PAUSE
    assert [status for _, _, status in steps[-2:]] == [f"{names[-1]} to play", WORDS.table.your_turn]
    assert steps[-1][0] - steps_of(calm)[-1][0] <= LAG
    assert 0 < lively.evaluate("window.mostMoving") <= 2
    assert len(steps_of(calm)) <= rivals
    for seat in (rivals, 0):
        assert tables.api.act(table, seat, *TAKES).status_code == 201
    lively.wait_for_function("(before) => window.steps.at(-1)[1] > before", arg=steps[-1][1])
    lively.locator("#track").click()
    tables.await_version(table, lively)
    assert lively.evaluate("window.steps.at(-1)[0] - window.touched") < patience(0.1) * 1000
    assert lively.locator(".moving").count() == 0


@pytest.mark.nightly
def test_what_is_shown_meanwhile_is_what_the_service_would_show(windows: Windows, tables: Tables) -> None:
    """The page makes it from the events; of what they don't tell the service's view follows."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, 90)
    lines = tables.api.get(f"{table.path}/replay").text.splitlines()
    frames = [frame for frame in map(json.loads, lines) if frame["view"]["turn"]]
    page = open_table(windows, f"/g/{table.id}")
    offer_modules(page)

    def told(view: dict[str, Any]) -> dict[str, Any]:
        seats = [{key: seat[key] for key in ("total", "hand_size", "rows")} for seat in view["seats"]]
        for row in (row for seat in seats for row in seat["rows"]):
            row["businessmaker"] = None  # in a replay it is what may be seen today
        same = {key: view[key] for key in ("version", "status", "turn", "display", "draw_pile", "reibach")}
        return same | {"seats": seats}

    made = page.evaluate(script("views_after"), frames)
    assert {"RoundScored", "CardDrawn"} <= {frame["event"]["type"] for frame in frames}
    for frame, view in zip(frames[1:], made, strict=True):
        assert told(view) == told(frame["view"]), frame["event"]


def play_before_a_round(tables: Tables, table: Table, *marks: int) -> int:
    """Play until the next card of the pile starts a round, and seat 0 begins a turn; the seat.

    With `marks`, of the coins before such a round: in the middle of a turn, and whose it is.
    """
    while True:
        game = tables.log.load(table.id).game
        assert not game.over
        place = (game.revealed in (marks or (3, 6)), game.draw_pile[game.drawn])
        if place == (True, "reibach") and (marks or (game.turn_seat, game.action_points) == (0, 3)):
            return game.turn_seat
        tables.play(table, 1)


@pytest.mark.nightly
@pytest.mark.parametrize("look", with_nightly([PHONE, DESKTOP]), ids=["phone", "desktop"])
def test_a_round_is_told_over_no_turn(look: Look, windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """Who turned the coin up, who has what now, and why, in the middle of the table, until the next tap or key.

    What was composed stays, nothing moves, and the totals are the table's.
    """
    table = tables.open("Anna", "Bert", "Carla", seed=ROUND_OF_ANNA, variants={"staggered_start": True})
    play_before_a_round(tables, table)
    page = open_turn(windows, table, look)
    page.locator("#hand button.card").first.click()
    page.locator("[data-focus='row:new']").click()
    page.wait_for_function("() => document.querySelectorAll('#turn [data-step]').length === 1")
    shift = layout_shift(page)
    assert tables.api.act(table, 0, TAKES[0]).status_code == 201  # on another device
    page.locator("#round").wait_for()
    lines = page.locator("#round-bars li")
    assert lines.evaluate_all(IN_SIGHT)
    assert [line.text_content() for line in lines.all()] == ORDER
    assert page.locator("#round-turned").inner_text() == WORDS.scoring.turned_own.format(number=4)
    assert page.locator("#round-why").inner_text()
    totals = page.locator("#market [data-total]").evaluate_all("(all) => all.map((at) => at.dataset.total).sort()")
    assert totals == sorted(page.locator("#round-bars b").all_inner_texts())
    cells = page.locator(".paid[data-cell]")
    assert cells.count() == page.locator("#market [data-income]:not([data-income=''], [data-income='0'])").count() > 0
    assert page.locator("#market [data-cell]").evaluate_all(IN_SIGHT)
    await_turn(page)
    assert page.locator("#turn [data-step]").count() == 1
    assert page.locator("#sheet[open]").count() == 0
    assert page.locator("#hand button.card").first.evaluate_all(IN_SIGHT)
    assert layout_shift(page) - shift < 0.02
    inspect_page(page, f"round-{look.width}")
    page.reload()
    page.locator("#round").wait_for()  # until it is closed
    page.keyboard.press("Escape")
    assert not page.locator("#round").is_visible()
    assert not page.locator(".paid").count()
    page.reload()
    await_turn(page)
    assert not page.locator("#round").is_visible()


def test_a_payday_is_a_show(windows: Windows, tables: Tables) -> None:
    """While others' actions are played back it comes when its round does; the coin flies there.

    It goes by itself, but in the first game of a browser.
    """
    first, table = (tables.open("Anna", "Bert", "Carla", seed=ROUND_OF_ANNA) for _ in range(2))
    for game in (first, table):
        play_before_a_round(tables, game)
    page = open_table(windows, seat_link(first, 1), LIVELY)
    page.clock.install()
    page.reload()
    page.locator("#table[data-version]").wait_for()
    assert tables.api.act(first, 0, TAKES[0], {"type": "draw"}).status_code == 201
    page.locator("#round:visible").wait_for()
    page.clock.fast_forward(60_000)
    assert page.locator("#round").is_visible()
    page.goto(windows.home + seat_link(table, 1))
    page.locator("#table[data-version]").wait_for()
    page.evaluate(script("record_payday"))
    assert tables.api.act(table, 0, TAKES[0], {"type": "draw"}).status_code == 201
    page.wait_for_function("() => window.payday?.gone")
    shown = page.evaluate("window.payday")
    assert 2300 <= shown["gone"] - shown["shown"] < patience(4) * 1000
    assert shown["turned"] == WORDS.scoring.turned.format(name="Anna", number=4)
    assert shown["totals"] == shown["bars"]
    assert "reibach" in shown["flown"]


def check_bars(page: Page, sheet: dict[str, Any]) -> None:
    """Each has the rounds before losses, these, and the total, and is as wide as the total."""
    for bar in page.locator("#ending [data-bar]").all():
        seat = int(bar.get_attribute("data-seat") or "")
        values = [int(part.get_attribute("data-value") or "") for part in bar.locator("[data-value]").all()]
        scored = [done["seats"][seat] for done in sheet["rounds"]]
        losses = [sum(one["penalties"].values()) for one in scored]
        incomes = [one["income"] - lost for one, lost in zip(scored, losses, strict=True)]
        assert [*filter(None, values)] == [*filter(None, [sheet["bonus"][seat], *incomes, sum(losses)])]
        assert sum(values) == sheet["totals"][seat]
        assert bar.locator("b").inner_text() == str(sheet["totals"][seat])
    widths = page.locator("#ending .shares").evaluate_all(script("widths_of_bars"))
    totals = sorted(sheet["totals"], reverse=True)
    assert widths == pytest.approx([widths[0] * total / totals[0] for total in totals], abs=0.1)


def check_paper(page: Page) -> None:
    """What is printed has the colours of bars, and the hand isn't cut in two."""
    page.emulate_media(media="print")
    kept = "[...document.querySelectorAll('.shares, .bar, #dock')].map((one) => getComputedStyle(one))"
    assert page.evaluate(f"{kept}.every((style) => style.printColorAdjust === 'exact')")
    assert page.evaluate(f"{kept}.at(-1).breakInside === 'avoid'")
    page.emulate_media(media="screen")


def check_decision(told: str, sheet: dict[str, Any]) -> None:
    """Each figure is a player's sum of the sheet: of a business over all rounds, or of the losses that there are."""
    totals = sheet["totals"]
    scored = [[done["seats"][seat] for done in sheet["rounds"]] for seat in range(len(totals))]
    for business, name in words_of("en").cards.items():
        if f" {name}: " in told:
            sums = [
                sum(each["businesses"].get(business, {"income": 0})["income"] for each in rounds) for rounds in scored
            ]
            amounts = told.partition(f" {name}: ")[2].partition(".")[0]
            assert {int(word) for word in amounts.replace("\u00a0", " ").split() if word.isdecimal()} <= {*sums}
    lost = [seats["penalties"] for *_, seats in scored]
    for name, text in WORDS.scoring.costs.items():
        assert text not in told or any(each[name] for each in lost)


@pytest.mark.nightly
def test_the_end_is_about_me(windows: Windows, tables: Tables, inspect_page: Inspect) -> None:
    """My result first, what decided it, everybody's money by rounds and losses, and "again"; the winner is said once.

    It lies over the table, which it moves only when it is closed. A picture of it is saved.
    """
    table = tables.open("A" + 39 * "😀", "Bert", "Carla", seed=SHORT_GAME, variants={"staggered_start": True})
    tables.play(table, 20)
    looks = (PHONE, DESKTOP, DESKTOP)
    pages = [open_table(windows, seat_link(table, seat), look) for seat, look in enumerate(looks)]
    pages[1].keyboard.press("?")
    pages[1].locator("#sheet .keys").wait_for()
    tables.play_to_end(table)
    for page in pages:
        tables.await_version(table, page)
    pages[0].locator("#round").wait_for()  # the end waits for the last payday
    assert not pages[0].locator("#ending").is_visible()
    assert not pages[1].locator("#round, #ending").first.is_visible()  # over what is read
    pages[1].keyboard.press("Escape")
    for page in pages[::2]:
        page.locator("#round").wait_for()
        page.keyboard.press("Escape")
    sheet = tables.api.get(f"{table.path}/scores").json()
    for page, title in zip(pages, RESULTS, strict=True):
        page.locator("#ending-close").wait_for()
        assert page.locator("#ending-heading").inner_text() == title
        assert page.locator("#ending .decided .card").count() == (2 if "won" in title else 1)
        check_decision(page.locator("#ending .decided").inner_text(), sheet)
        assert page.locator("#ending li").evaluate_all(IN_SIGHT)
        assert page.locator("#ending").evaluate(script("empty_part")) < 40
        check_bars(page, sheet)
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != "rgba(0, 0, 0, 0)"
        assert page.locator("#game").inner_text().count(fill_plural("en", WORDS.table.won, 1, names="Carla")) == 1
        assert layout_shift(page) < 0.02  # what a key moves on a slow machine, later than half a second, counts, too
        page.evaluate("scrollTo(0, 300)")
        page.keyboard.press("Escape")
        page.wait_for_function("() => scrollY === 0")
        paths = [link.get_attribute("href") for link in page.locator("#ending a").all()]
        game, again = f"/g/{table.id}", f"/?again={table.id}#seat={RESULTS.index(title)}"
        assert paths == [again, *(f"{game}/{way}" for way in ("replay#analysis", "replay", "sheet", "check"))]
        assert page.locator("#ending .button-main").inner_text() == WORDS.table.again
        check_width(page)
    page = pages[0]
    with page.expect_download() as download:
        page.get_by_role("button", name=WORDS.scoring.picture).click()
    assert download.value.suggested_filename == "reibach.png"
    picture = download.value.path().read_bytes()
    assert (picture[:8], *unpack(">II", picture[16:24])) == (b"\x89PNG\r\n\x1a\n", 1200, 530)
    assert 10_000 < len(picture) < 200_000
    check_paper(page)
    page.reload()
    page.locator("#ending").wait_for()
    assert page.evaluate(script("asks_sheet_at_once"))
    assert not page.locator("#round, #ending-close").first.is_visible()
    assert layout_shift(page) < 0.02
    inspect_page(page, "table-ending")


@pytest.mark.nightly
def test_the_own_last_action_shows_all_of_the_end(windows: Windows, tables: Tables) -> None:
    """However late the score sheet is: meanwhile the page is shown several times, and the end waits for it.

    Where the late script is missing, the end and the menu say that the page must be reloaded.
    """
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    page = open_turn(windows, table, seat=play_before_a_round(tables, table, 9))
    held: list[Route] = []
    page.route("**/scores", lambda route: [held.append(route)])
    if not windows.start_workers:
        page.route("**/late-*.js", lambda route: route.abort())
        windows.expect("ERR_FAILED")
    page.keyboard.press("1")
    with page.expect_request("**/scores"):
        page.locator("[data-focus=now]").click()
    page.locator("#table[data-status=over]").wait_for()
    page.locator("#announcements", has_text="Payday 3").wait_for(state="attached")
    assert not page.locator("#ending").is_visible()
    page.locator("#round-close").click()
    held[0].continue_()
    if not windows.start_workers:  # which keep the script
        page.locator("#notice", has_text=WORDS.common.incomplete).wait_for()
        page.locator("#game-menu").click()
        page.locator("#sheet", has_text=WORDS.common.incomplete).wait_for()
        page.keyboard.press("Escape")
        page.unroute("**/late-*.js")
        page.unroute("**/scores")
        page.reload()
    page.locator("#ending").wait_for()
    assert (page.locator("#ending [data-bar]").count(), page.locator("#ending [data-value]").count()) == (2, 8)


def test_losses_are_eaten_off_the_end_of_a_bar(windows: Windows, table: Table) -> None:
    """By incomes before losses, and these: how wide the shares are, and where the losses begin."""
    page = windows.open(f"/g/{table.id}")
    offer_modules(page)
    shares = page.evaluate(script("eat_losses"), [[[9, 13, 13], -3], [[9, 13, 2], -6], [[1, 0, 2], -6], [[5, 0, 9], 0]])
    assert shares == [[9, 13, 10, 3, 32], [9, 9, 0, 6, 18], [0, 0, 0, 6, 0], [5, 0, 9, 0, 14]]


@pytest.mark.nightly
def test_a_first_game_explains_itself(windows: Windows, tables: Tables) -> None:
    """Four hints, each once and in the live region; none in the second game, and none over what is played with."""
    first, second = (tables.open("Anna", "Bert", seed=ROUND_OF_ANNA) for _ in range(2))
    page = open_turn(windows, first, PHONE)
    hint, said = page.locator("#hint"), page.locator("#announcements")
    assert hint.locator("p").inner_text() == WORDS.turn.hints.aim == said.inner_text()
    page.evaluate("document.documentElement.style.fontSize = '24px'")
    assert page.locator("#hand button.card, #display button.card").evaluate_all(IN_SIGHT)
    page.evaluate("document.documentElement.style.fontSize = ''")
    check_accessibility(page)
    page.locator("#hand button.card").first.tap()
    assert hint.locator("p").inner_text() == WORDS.turn.hints.maker == said.inner_text()
    assert page.locator("[data-focus='row:new']").evaluate_all(IN_SIGHT)
    size = page.viewport_size
    assert size is not None
    page.set_viewport_size({"width": 844, "height": 390})
    boxes = [each.bounding_box() for each in (page.locator("#status"), hint)]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"], "a phone on its side shows all of it"
    page.set_viewport_size(size)
    page.locator("#hint-close").tap()
    assert not hint.is_visible()
    page.locator(".line-own [data-length='']").first.tap()
    page.locator("#hand-problem", has_text=WORDS.market.open_row).wait_for()
    page.locator("[data-focus='row:new']").tap()
    page.locator("#hand button.card").first.tap()
    assert not hint.is_visible()
    for number, text in enumerate((WORDS.turn.hints.scored, WORDS.turn.hints.losses), 1):
        while tables.api.view(first)["reibach"]["rounds_scored"] < number:
            tables.play(first, 1)
        said.and_(page.get_by_text(f"Payday {number}")).wait_for(state="attached")  # words follow the picture
        page.locator("#round-close").tap()
        assert page.locator("#turn :is(.hint, .turn-result)").inner_text() == text
        assert not hint.is_visible()
        assert said.inner_text() == text
    page.goto(windows.home + seat_link(second, 0))
    await_turn(page)
    page.locator("#hand button.card").first.tap()
    assert not hint.is_visible()
