"""Learning from a game: from its end by one button to the turns that cost most, thought through on the table."""

from typing import Final

import pytest

from service.web.words import fill_plural, page_words
from tests.browser.measures import layout_shift
from tests.browser.tables import Tables, seat_link
from tests.browser.verifying import offer_modules
from tests.browser.windows import Inspect, Look, Windows, script
from tests.support.client import Table
from tests.support.waiting import patience

GERMAN: Final = Look(width=360, height=740, touch=True, language="de-DE")
WORDS: Final = page_words("en")
LONGEST: Final = 60_000  # milliseconds that an analysis may take on a quiet machine
IN_SIGHT: Final = script("are_in_sight")
PLACES: Final = {"take": "[data-focus=take{slot}]", "lay_businessmaker": "#trial .target", "append": "#market .target"}


@pytest.mark.nightly
def test_a_player_learns_from_a_game(windows: Windows, tables: Tables, finished: Table, inspect_page: Inspect) -> None:
    """Who lost sees the costliest own turns as the service has them; what it knew then; the best turn is recognised."""
    words = page_words("de")
    page = windows.open(seat_link(finished, 1), GERMAN)
    page.locator("#ending a[href$='#analysis']").tap()
    page.wait_for_url("**/replay**#analysis")
    page.locator("#analysis :is(progress, .chart)").first.wait_for()  # it has begun
    page.reload()
    page.locator("#analysis .chart").wait_for(timeout=patience(LONGEST))
    assert layout_shift(page) < 0.02
    assert page.locator("#analysis-heading").evaluate_all(IN_SIGHT)
    found = tables.api.get(f"{finished.path}/analysis").json()
    losses = {turn["turn"]: f"{turn['loss']:g}".replace(".", ",") for turn in found["turns"]}
    costly = [turn for turn in found["turns"] if turn["seat"] == 1 and turn["loss"] >= 0.5]
    ordered = sorted(costly, key=lambda turn: -turn["loss"])
    named = [f"Zug {turn['turn']}: {losses[turn['turn']]}\u00a0Mio." for turn in ordered]
    assert page.locator("#analysis ol .button").all_inner_texts() == named
    assert page.locator("#analysis ol .button-main").count() == len(found["seats"][1]["worst"])
    inspect_page(page, "analysis")
    judged = next(turn for turn in costly if [one["type"] in PLACES for one in turn["best"]] == [True] * 3)
    page.get_by_role("button", name=f"Zug {judged['turn']}: ").tap()
    seen = tables.api.get(finished.path, finished.tokens[1], params={"at": judged["version"]}).json()
    cards = page.locator(".player:visible .card").evaluate_all("all => all.map((one) => one.dataset.card)")
    assert cards == seen["you"]["hand"]
    inspect_page(page, "trial")
    for action in judged["best"]:
        if "card" in action:
            page.locator(f"#players button[data-card={action['card']}]").first.tap()
        page.locator(PLACES[action["type"]].format(**action)).first.tap()
    taken = [action["slot"] for action in judged["best"] if action["type"] == "take"]
    assert page.locator("#display .card-empty").all_inner_texts() == [words.analysis.refill] * len(taken)
    page.get_by_role("button", name=words.analysis.compare).tap()
    gain = words.analysis.more.format(amount=losses[judged["turn"]] + "\u00a0Mio.")
    assert page.locator(".why").inner_text().startswith(f"{words.analysis.same_best} {gain} ")
    assert page.locator(".turn-column").count() == 2
    inspect_page(page, "compared")
    page.get_by_role("button", name=words.turn.back).tap()
    assert page.locator("#analysis-heading:focus").evaluate_all(IN_SIGHT)
    page.goto(f"{windows.home}/g/{finished.id}")
    asked = fill_plural("de", words.scoring.where_lost_turns, len(costly))
    page.locator("#ending").get_by_role("link", name=asked).wait_for()


@pytest.mark.nightly
def test_one_who_watches_goes_by_keyboard(windows: Windows, finished: Table) -> None:
    """They choose a seat, which the address names, and a turn at the chart, and go on from turn to turn."""
    page = windows.open(f"/g/{finished.id}/replay")
    page.get_by_role("button", name=WORDS.scoring.learn).press("Enter")
    page.get_by_role("button", name="Bert").press("Enter", timeout=patience(LONGEST))
    page.wait_for_url("**#analysis=1")
    page.locator("#analysis input").press("End")
    assert (page.locator("#analysis input").get_attribute("aria-valuetext") or "").count("%") == 2
    page.locator("#analysis ol .button-main").first.press("Enter")
    title = page.locator("#trial-heading").inner_text()
    for name in (WORDS.analysis.show, WORDS.analysis.next):
        page.get_by_role("button", name=name).press("Enter")
    assert page.locator("#trial-heading").inner_text() != title
    page.locator("#players button").first.press("Enter")
    page.keyboard.press("Enter")  # the focus is where the card can lie
    assert page.locator("#trial .moves li").count() == 1
    page.locator("#display button.card-back").press("Enter")
    page.get_by_role("button", name=WORDS.analysis.compare).press("Enter")
    assert page.locator(".turn-column").count() == 3
    page.locator("#trial .hint", has_text=WORDS.analysis.lead_of_two).wait_for()
    page.keyboard.press("Escape")
    assert page.locator("#analysis-heading:focus").count() == 1


@pytest.mark.nightly
def test_what_is_refused_is_said(windows: Windows, tables: Tables, finished: Table) -> None:
    """With the button to try again, or without it where that is in vain; where a game runs, nothing is offered."""
    running = tables.open("Anna", "Bert")
    tables.play(running, 12)
    body = {"fork": {"game": running.id, "version": tables.api.version(running)}, "seats": [{"name": "Anna"}] * 2}
    forked = Table(tables.api.post("/v1/games", running.tokens[0], json=body).json()["game"]["id"], {}, {})
    tables.play_to_end(forked)
    windows.expect("status of 409", "status of 429")
    page = windows.open(f"/g/{running.id}/replay#analysis")
    page.locator("#play:enabled").wait_for()
    assert page.locator("#analysis:visible").count() == 0
    learn = page.get_by_role("button", name=WORDS.scoring.learn)
    problem = {"type": "/problems/too-many-requests", "detail": "Wait until one is done."}
    page.route(f"**{finished.path}/analysis", lambda route: route.fulfill(status=429, json=problem))
    for game, said, buttons in ((forked, "still running", 0), (finished, problem["detail"], 1)):
        page.goto(f"{windows.home}/g/{game.id}/replay")
        learn.click()
        page.get_by_role("alert").get_by_text(said).wait_for()
        assert learn.count() == buttons
    page.reload()  # as from the game's end
    page.get_by_role("alert").get_by_text(problem["detail"]).wait_for()


@pytest.mark.nightly
def test_it_says_why_a_turn_is_better(windows: Windows, finished: Table) -> None:
    page = windows.open(f"/g/{finished.id}/replay")
    offer_modules(page)
    why = "async (turn) => (await import('/modules/analysis/plan.js')).whyText(turn, ['Anna', 'Bert'])"
    assert page.evaluate(why, {"reason": {"code": "away", "card": "oil", "seat": 1}}).endswith(" what Bert needs: Oil.")
    assert [page.evaluate(why, {"reason": {"code": "new"}}), page.evaluate(why, {})] == ["", ""]  # of other releases
    judged = "async (turns) => turns.map((await import('/modules/analysis/plan.js')).known)"
    lay, draw = {"type": "append"}, {"type": "draw"}
    take, other = ({"type": "take", "slot": slot} for slot in (0, 1))
    turns = [[lay, take, lay], [take, other, take], [take, draw], [draw, lay]]
    assert page.evaluate(judged, turns) == [turns[0], [take, other], [take, draw], [draw]]
