"""The market: its numbers are the domain's, it fits the first screen, and a turn takes few taps."""

from typing import Any, Final

import pytest

from domain.cards import BUSINESSES, MULTITALENT, RISK, Card
from domain.events import BusinessmakerLaid, CardAppended
from domain.evolve import evolve
from domain.scoring import score
from domain.state import Game
from service.web.words import page_words
from tests.browser.checks import check_accessibility, check_width
from tests.browser.players import open_table, open_turn
from tests.browser.tables import Tables, seat_link
from tests.browser.test_long_names import LONGEST
from tests.browser.windows import DESKTOP, PHONE, Locator, Look, Page, Windows, script
from tests.support.client import Table
from tests.support.samples import with_nightly

READ: Final = script("read_market")
"""Cells (seat, business, length, income), heads (seat, money, gain) and worths, as texts."""
LOWER_EDGES: Final = script("lower_edges")


def incomes(game: Game) -> list[int]:
    scored = score(game.rules, game.seats, 1)
    return [sum(business["income"] for business in seat["businesses"].values()) for seat in scored]


def worth(game: Game, seat: int, card: Card | None) -> str:
    """What the card changes of the seat's income on the best of its rows; "" where none takes it."""
    rows, is_special, found = game.seats[seat].rows, card in (MULTITALENT, RISK), []
    for number, row in enumerate(rows):
        begins = row.business is None and not is_special and all(other.business != card for other in rows)
        if card and not row.closed and (row.business == card or begins or (is_special and row.business)):
            after = game.copy()
            after.seats[seat].hand.append(card)
            found.append(incomes(evolve(after, [CardAppended(seat, number, card)]))[seat] - incomes(game)[seat])
    return str(max(found)) if found else ""


def check_numbers(page: Page, game: Game, seat: int) -> None:
    """The page shows what the domain's scoring says of the position. Raises AssertionError."""
    scored = score(game.rules, game.seats, len(game.rounds) + 1)
    cells = [
        f"{one['seat']} {name}" + (f" {row['length']} {row['income']}" if (row := one["businesses"].get(name)) else "")
        for one in scored
        for name in BUSINESSES
    ]
    heads = [f"{one['seat']} {game.seats[one['seat']].total} {one['income']}" for one in scored]
    shown = page.evaluate(READ)
    assert [sorted(shown[0]), sorted(shown[1]), shown[2]] == [
        sorted(cells),
        heads,
        [worth(game, seat, card) for card in game.display],
    ]


@pytest.mark.nightly
@pytest.mark.parametrize("actions", with_nightly([60, 30, 90]))
def test_the_numbers_are_those_of_the_domain(actions: int, windows: Windows, tables: Tables) -> None:
    """Also after a turn that is composed and not sent; who watches reads no worth, and a setting hides it."""
    table = tables.open("Anna", "Bert", "Carla")
    tables.play(table, actions)
    while len((game := tables.log.load(table.id).game).seats[seat := game.turn_seat].hand) < 2:
        tables.play(table, 1)
    page = open_turn(windows, table, seat=seat)
    check_numbers(page, game, seat)
    titles = page.locator("#display .worth").evaluate_all("all => all.map((each) => each.title)")
    assert all("if you lay it" in title for title in titles)
    now = tables.api.get(f"{table.path}/scores/now").json()["seats"]
    shown = [f"{one['seat']} {one['total'] - one['income']} {one['income']}" for one in now]
    assert sorted(page.evaluate(READ)[1]) == shown
    card = page.locator("#hand button.card").first
    code: Any = card.get_attribute("data-card")
    card.click()
    page.locator(".row-new").click()
    check_numbers(page, evolve(game, [BusinessmakerLaid(seat, len(game.seats[seat].rows), code)]), seat)
    page.locator(".not-sent").wait_for()
    page.locator("#game-menu").click()
    page.get_by_label(page_words("en").menu.worth).click()
    page.locator("#sheet-close").click()
    assert (page.evaluate(READ)[2], page.locator("#display .worth").count()) == ([""] * 3, 0)
    _, heads, worths = open_table(windows, f"/g/{table.id}").evaluate(READ)
    assert ([head[0] for head in heads], worths) == (["0", "1", "2"], [""] * 3)


@pytest.mark.parametrize(("players", "language"), with_nightly([(5, "fr"), (4, "de"), (4, "nl"), (2, "en")]))
def test_the_first_screen_has_the_market(players: int, language: str, windows: Windows, tables: Tables) -> None:
    """On a phone and a tablet every line lies above the hand; on a desktop all lie beside hand and display."""
    table = tables.open(*("Anna", "Bert", "Carla", "Dora", "Emil")[:players])
    tables.play(table, 22 * players)
    page = open_table(windows, seat_link(table, 0), Look(width=360, height=740, language=language, touch=True))
    for width, height in ((360, 740), (768, 1024)):
        page.set_viewport_size({"width": width, "height": height})
        lines = page.locator("#market .line").evaluate_all(LOWER_EDGES)
        assert len(lines) == players
        assert lines[-1] <= page.locator("#dock").evaluate("(one) => one.getBoundingClientRect().top + 1")
        assert page.locator("#market .line-head").evaluate_all(script("are_in_sight"))
    page = open_table(windows, seat_link(table, 0))
    assert max(page.locator("#market .line, #hand, #display").evaluate_all(LOWER_EDGES)) <= page.viewport_size["height"]
    places = page.locator("[data-cell]").evaluate_all("(all) => all.map((at) => at.dataset.business + at.offsetLeft)")
    assert len(set(places)) == len(BUSINESSES)
    assert page.locator("#display .card").first.evaluate("(one) => one.offsetWidth") >= 92
    revealed = tables.api.view(table)["reibach"]["revealed"]
    assert page.locator(f"#track[data-revealed='{revealed}'] .track-shown").count() == revealed > 0
    page.emulate_media(forced_colors="active")
    marks = page.locator("#track .track > *").evaluate_all(
        "(all) => all.map((one) => getComputedStyle(one).backgroundColor)"
    )
    assert marks[0] != marks[-1]


@pytest.mark.parametrize("language", with_nightly(["de", "fr", "nl", "en"]))
def test_all_who_moved_are_named(language: str, windows: Windows, tables: Tables) -> None:
    """On a phone, too, each in a whole line; who has only written gives way. No word below a card is cut."""
    table = tables.open("Anna", "Berta (bot)", "Carla (bot)", "Dora (bot)")
    tables.end_turn(table)
    for seat in (1, 2, 3):
        tables.write(table, "Hello", seat)
        lays = [{"type": "lay_businessmaker", "card": card} for card in tables.api.view(table, seat)["you"]["hand"]]
        assert tables.api.act(table, seat, lays[0], {"type": "take", "slot": 0}, lays[1]).status_code == 201
    view, card = tables.api.view(table, 0), tables.api.view(table)["display"][0]
    row = {"row": 0, "business": card, "businessmaker": None, "cards": [card], "length": 1, "closed": False}
    view["seats"] = [seat | {"rows": [row]} for seat in view["seats"]]
    page = windows.open("about:blank", Look(width=360, height=740, language=language, touch=True))
    page.route(f"**{table.path}", lambda route: route.fulfill(json=view))
    page.goto(windows.home + seat_link(table, 0))
    page.locator("#display .slot-note", has_text="3 ").wait_for()
    assert page.locator("#recap .recap-turn").count() == 3
    assert page.locator("#recap, .slot-note").evaluate_all(script("are_whole"))


@pytest.mark.nightly
@pytest.mark.parametrize("language", with_nightly(["fr", "de", "en", "nl"]))
@pytest.mark.parametrize("players", with_nightly([5, 2]))
def test_nothing_is_wider_than_the_window(players: int, language: str, windows: Windows, tables: Tables) -> None:
    """With everything unfolded, long names, and with letters of 24 px; after the second round."""
    table = tables.open(*LONGEST[:players])
    while tables.api.view(table)["reibach"]["rounds_scored"] < 2:
        tables.play(table, 5)
    page = open_table(windows, seat_link(table, 0), Look(language=language))
    page.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    for width in (320, 360, 412, 700, 1100, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 740})
        for size in ("24px", "16px")[width > 360 :]:
            page.evaluate("(size) => { document.documentElement.style.fontSize = size; }", size)
            check_width(page)
    check_accessibility(page)


@pytest.mark.parametrize("look", with_nightly([PHONE, DESKTOP]), ids=["phone", "desktop"])
def test_a_card_is_dragged(look: Look, windows: Windows, table: Table) -> None:
    """To a new row, and to a row that takes it; elsewhere it's chosen."""
    page = open_turn(windows, table, look)
    chrome = page.context.new_cdp_session(page)
    hand = page.locator("#hand button.card")

    def middle(place: Locator) -> tuple[float, float]:
        box = place.bounding_box()
        assert box is not None
        return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2

    def point(kind: str, x: float, y: float) -> None:
        if look.touch:
            points = [] if kind == "End" else [{"x": x, "y": y}]
            chrome.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        else:
            page.mouse.move(x, y)
            {"Start": page.mouse.down, "Move": lambda: None, "End": page.mouse.up}[kind]()

    def drag(target: str) -> None:
        (x, y), count = middle(hand.first), hand.count()
        point("Start", x, y)
        for step in (4, 30, 60):
            point("Move", x, y - step)
        assert (page.locator(".dragged").count(), hand.count()) == (1, count)
        for kind in ("Move", "End"):
            point(kind, *middle(page.locator(target).first))
        assert not page.locator(".dragged").count()

    cards = hand.count()
    drag("#track")
    assert (page.locator("#turn .step").count(), page.locator("#hand [aria-pressed=true]").count()) == (0, 1)
    drag(".row-new")
    assert (page.locator("#turn [data-step]").count(), hand.count()) == (1, cards - 1)
    drag(f".line-own [data-business={hand.first.get_attribute('data-card')}] button")
    assert (page.locator("#turn [data-step]").count(), hand.count()) == (2, cards - 2)
