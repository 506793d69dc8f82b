"""The market: its numbers are the domain's, it fits the first screen, and a turn takes few taps."""

from typing import Any, Final

import pytest

from domain.cards import BUSINESSES, MULTITALENT, RISK, Card
from domain.events import BusinessmakerLaid, CardAppended
from domain.evolve import evolve
from domain.scoring import score
from domain.state import Game
from domain.words.catalogue import LANGUAGES
from service.web.words import page_words
from tests.browser.checks import check_accessibility, check_width
from tests.browser.players import await_turn, open_table, open_turn, version_of
from tests.browser.tables import Tables, seat_link
from tests.browser.test_long_names import LONGEST
from tests.browser.windows import PHONE, Look, Page, Windows, script
from tests.support.samples import with_nightly

MOST_TAPS: Final = 5
CELLS: Final = "#market [data-cell]"
READ: Final = script("read_market")
"""Of each cell its seat, business, length and income, of each head its seat, money and gain, and the worths."""


def incomes(game: Game) -> list[int]:
    scored = score(game.rules, game.seats, 1)
    return [sum(business["income"] for business in seat["businesses"].values()) for seat in scored]


def worth(game: Game, seat: int, card: Card) -> str:
    """What the card changes of the seat's income on the best of its rows; "" where none takes it."""
    rows, is_special = game.seats[seat].rows, card in (MULTITALENT, RISK)
    found = []
    for number, row in enumerate(rows):
        begins = row.business is None and not is_special and all(other.business != card for other in rows)
        if not row.closed and (row.business == card or begins or (is_special and row.business)):
            after = game.copy()
            after.seats[seat].hand.append(card)
            found.append(incomes(evolve(after, [CardAppended(seat, number, card)]))[seat] - incomes(game)[seat])
    return str(max(found)) if found else ""


def check_numbers(page: Page, game: Game, seat: int) -> None:
    """The page shows what the domain's scoring says of the position. Raises AssertionError."""
    scored = score(game.rules, game.seats, len(game.rounds) + 1)
    lengths = [{row.business: row.length for row in place.rows} for place in game.seats]
    cells, heads, worths = page.evaluate(READ)
    expected = {
        (f"{one['seat']}", business): (
            f"{lengths[one['seat']].get(business, '')}",
            f"{one['businesses'].get(business, {}).get('income', '')}",
        )
        for one in scored
        for business in BUSINESSES
    }
    assert {(of, business): (length, income) for of, business, length, income in cells} == expected
    assert heads == {f"{one['seat']}": [f"{game.seats[one['seat']].total}", f"{one['income']}"] for one in scored}
    assert worths == [worth(game, seat, card) if card else "" for card in game.display]


@pytest.mark.parametrize("actions", with_nightly([60, 30, 90, 120, 150]))
def test_the_numbers_are_those_of_the_domain(actions: int, windows: Windows, tables: Tables) -> None:
    """Also after a turn that is composed and not sent; who watches reads no worth, and a setting hides it."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, actions)
    while len(tables.log.load(table.id).game.seats[(tables.api.view(table)["turn"] or {"seat": 0})["seat"]].hand) < 2:
        tables.play(table, 1)
    game = tables.log.load(table.id).game
    seat = game.turn_seat
    page = open_turn(windows, table, seat=seat)
    check_numbers(page, game, seat)
    now = tables.api.get(f"{table.path}/scores/now").json()
    assert page.evaluate(READ)[1] == {
        f"{one['seat']}": [f"{one['total'] - one['income']}", f"{one['income']}"] for one in now["seats"]
    }
    card = page.locator("#hand button.card").first
    code: Any = card.get_attribute("data-card")
    row = len(game.seats[seat].rows)
    card.click()
    page.locator(".row-new").click()
    check_numbers(page, evolve(game.copy(), [BusinessmakerLaid(seat, row, code)]), seat)
    page.locator(".not-sent").wait_for()
    page.locator("#game-menu").click()
    page.get_by_label(page_words("en").menu.worth).click()
    page.locator("#sheet-close").click()
    assert (page.evaluate(READ)[2], page.locator("#display .worth").count()) == ([""] * 3, 0)
    watcher = open_table(windows, f"/g/{table.id}")
    assert watcher.evaluate(READ)[2] == [""] * 3
    assert [line.get_attribute("data-line") for line in watcher.locator("#market .line").all()] == ["0", "1", "2"]


def test_the_first_screen_has_the_market(windows: Windows, tables: Tables) -> None:
    """On a phone every line lies above the hand, of five players four; on a desktop all lie beside hand and display."""
    for names in (["Anna", "Bert"], ["Anna", "Bert", "Carla", "Dora"], ["Anna", "Bert", "Carla", "Dora", "Emil"]):
        table = tables.open(*names)
        tables.play(table, 22 * len(names))
        for language in LANGUAGES:
            page = open_table(windows, seat_link(table, 0), Look(width=360, height=740, language=language, touch=True))
            page.locator("#market .line").nth(len(names) - 1).wait_for()
            lines = page.locator("#market .line").evaluate_all(
                "(all) => all.map((one) => one.getBoundingClientRect().bottom)"
            )
            top = page.locator("#dock").evaluate("(one) => one.getBoundingClientRect().top")
            assert lines[min(len(names), 4) - 1] <= top, (language, lines, top)
            page.context.close()
    page = open_table(windows, seat_link(table, 0))
    for part in ("#market", "#hand", "#display"):
        assert page.locator(part).evaluate("(one) => one.getBoundingClientRect().bottom") <= 900
    places = page.locator(CELLS).evaluate_all(
        "(all) => all.map((one) => [one.dataset.business, one.getBoundingClientRect().x])"
    )
    assert len({tuple(place) for place in places}) == len(BUSINESSES)
    assert all(
        width >= 92
        for width in page.locator("#display .card").evaluate_all("(all) => all.map((one) => one.offsetWidth)")
    )


@pytest.mark.parametrize("language", with_nightly(["fr", "de", "en", "nl"]))
def test_nothing_is_wider_than_the_window(language: str, windows: Windows, tables: Tables) -> None:
    """With everything unfolded, long names, and with letters of 24 px; after the second round."""
    for players in (2, 5):
        table = tables.open(*LONGEST[:players])
        while tables.api.view(table)["reibach"]["rounds_scored"] < 2:
            tables.play(table, 5)
        page = open_table(windows, seat_link(table, 0), Look(language=language))
        page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
        for size, widths in {"16px": (320, 360, 412, 700, 1100, 1280, 1440), "24px": (320, 360)}.items():
            page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", size)
            for width in widths:
                page.set_viewport_size({"width": width, "height": 740})
                check_width(page)
        check_accessibility(page)


def test_a_turn_takes_few_taps(windows: Windows, tables: Tables) -> None:
    """A take asks once; a card of a business is laid by touching its cell. The last card gives the hand's room back."""
    table = tables.open("Anna", "Bert")
    page = open_turn(windows, table, PHONE)
    page.locator("#display button.card").first.tap()
    before = version_of(page)
    page.locator("[data-focus=now]").tap()
    await_turn(page, before)
    page.evaluate("() => { window.taps = 0; addEventListener('click', () => { window.taps += 1; }); }")
    dock = page.locator("#dock").bounding_box()
    page.locator("#hand button.card").first.tap()
    page.locator(".row-new").tap()
    page.locator("#market button.cell").first.tap()
    assert page.locator("#turn [data-step]").count() == 2
    assert page.locator("#dock").bounding_box() == dock
    page.locator("#send").tap()
    page.locator("#turn [data-step]").first.wait_for(state="detached")
    assert page.evaluate("window.taps") <= MOST_TAPS
    tables.play(table, 3)
    await_turn(page)
    before = version_of(page)
    page.locator("#display button.card").first.tap()  # asks no more
    await_turn(page, before)


def test_the_track_counts_and_is_seen_in_forced_colours(windows: Windows, tables: Tables) -> None:
    table = tables.open("Anna", "Bert")
    tables.play(table, 40)
    page = open_table(windows, f"/g/{table.id}")
    revealed = tables.api.view(table)["reibach"]["revealed"]
    assert page.locator("#track").get_attribute("data-revealed") == f"{revealed}"
    assert page.locator("#track .track-shown").count() == revealed > 0
    page.emulate_media(forced_colors="active")
    colours = page.locator("#track .track > *").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert colours[0] != colours[-1]
