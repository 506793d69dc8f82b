"""The page of a game: a table that works without scripts, and never an action by GET."""

import html
import json
import re
from datetime import datetime, timedelta
from html.parser import HTMLParser
from typing import Any

import httpx
import pytest
from babel.dates import format_date

from domain.clock.pace import Pace
from domain.words.catalogue import LANGUAGES, read
from domain.words.wording import words_of
from service.web.game_page import note_clock, note_seats
from tests.support.client import Api, Table
from tests.support.play import play_until


class Forms(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.forms: list[dict[str, Any]] = []
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag == "form":
            assert attributes["method"] == "post"
            self.forms.append({"fields": {}, "buttons": []})
        elif attributes.get("popovertarget"):
            pass  # the button of the header's menu
        elif tag == "input":
            self.forms[-1]["fields"][attributes["name"]] = attributes.get("value", "")
        elif tag == "button":
            self.forms[-1]["buttons"].append(attributes.get("value"))


def page_of(api: Api, table: Table, seat: int | None = None, **form: str) -> httpx.Response:
    """The page as it is shown to all, or sent by the form of a seat."""
    token = {"token": ""} if seat is None else {"token": table.tokens[seat]}
    return api.post(f"/g/{table.id}", data={**token, **form})


@pytest.fixture
def table(api: Api) -> Table:
    return api.create([{"name": "Anna <b>"}, {"name": "Bert"}])


def test_all_see_what_is_open(api: Api, table: Table) -> None:
    """Players, display and pile, without scripts, too; a hand is shown to its seat alone, as are buttons that act.

    The page of the game is the same for every game; the form in its note on scripts shows this table.
    """
    game = api.get(f"/g/{table.id}")
    assert game.content == api.get(f"/g/{api.create(2).id}").content
    (form,) = Forms(game.text.partition('id="late"')[2].partition("</form>")[0]).forms
    answer = api.post(f"/g/{table.id}", data=form["fields"])
    assert answer.status_code == 200
    assert answer.headers["Cache-Control"] == "no-store"
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'self';")
    assert "unsafe" not in policy
    assert "Anna &lt;b&gt;" in answer.text
    assert "Anna <b>" not in answer.text
    again, seat = Forms(answer.text).forms
    assert again == {"fields": {"token": ""}, "buttons": [None]}
    assert seat == {"fields": {"token": "", "prepared": ""}, "buttons": [None]}
    assert not re.search(r"<style|\sstyle=|(?:src|href)=\"(?:https?:)?//", answer.text)
    assert "Your hand" not in answer.text
    shown = page_of(api, table, 0).text.partition("Your hand")[2].partition("</p>")[0]
    assert set(re.findall(r'data-card="(\w+)"', shown)) == set(api.view(table, 0)["you"]["hand"])


def test_a_seat_sees_its_hand_and_acts_by_its_buttons(api: Api, table: Table) -> None:
    """Each legal action has a button; pressing one takes the action, and the same form once more takes nothing."""
    answer = page_of(api, table, 0)
    *_, reload = Forms(answer.text).forms
    play = Forms(answer.text).forms[0]
    assert [json.loads(value) for value in play["buttons"]] == api.legal_actions(table, 0)
    assert reload["fields"] == {"token": table.tokens[0]}
    before = api.version(table)
    form = {**play["fields"], "action": play["buttons"][0]}
    done = api.post(f"/g/{table.id}", data=form)
    assert done.status_code == 200
    assert read("en", "plain_table").done in done.text
    after = api.version(table)
    assert after > before
    again = api.post(f"/g/{table.id}", data=form)
    assert (again.status_code, api.version(table)) == (409, after)
    assert read("en", "plain_table").stale in again.text


def test_a_prepared_action_is_offered_and_not_taken(api: Api, table: Table) -> None:
    """The action of a mail's link stands in a form of its own; one that isn't legal isn't offered."""
    before = api.version(table)
    action = api.legal_actions(table, 0)[0]
    offered = Forms(page_of(api, table, 0, prepared=json.dumps(action)).text).forms
    assert [json.loads(value) for value in offered[0]["buttons"]] == [action]
    other = Forms(page_of(api, table, 0, prepared='{"type": "append", "card": "gold", "row": 4}').text).forms
    assert len(other) == len(offered) - 1
    assert api.version(table) == before


def test_the_other_seat_is_told_whose_turn_it_is(api: Api, table: Table) -> None:
    """It has no button that acts, and a forged one is refused in words."""
    answer = page_of(api, table, 1)
    assert [form["buttons"] for form in Forms(answer.text).forms] == [[None]]
    version = str(api.version(table))
    forged = page_of(api, table, 1, version=version, action='{"type": "draw"}')
    assert forged.status_code == 409
    assert 'class="note"' in forged.text
    assert str(api.version(table)) == version


@pytest.mark.parametrize(
    "form",
    [
        {"version": "1", "action": "{"},
        {"version": "x", "action": '{"type": "draw"}'},
        {"action": '{"type": "draw"}'},
        {"version": "1", "action": "[" * 5000},
        {"version": "1", "action": '{"type": "fly"}'},
        {"version": "9" * 5000, "action": '{"type": "draw"}'},
    ],
    ids=lambda form: str(form)[:40],
)
def test_a_broken_form_is_refused(api: Api, table: Table, form: dict[str, str]) -> None:
    before = api.version(table)
    answer = page_of(api, table, 0, **form)
    assert answer.status_code == 400
    assert read("en", "plain_table").bad_form in answer.text
    assert api.version(table) == before


def test_a_body_that_is_no_form(api: Api, table: Table) -> None:
    """JSON, bytes and nothing are 400; a wrong token is 403 and shows what all may see; an unknown game is 404."""
    for more in ({"json": {"token": table.tokens[0]}}, {"content": b"\xff\xfe"}, {}):
        assert api.post(f"/g/{table.id}", **more).status_code == 400  # type: ignore[arg-type]
    other = api.create(2)
    for token in ("x", other.tokens[0], table.tokens[0][:-1]):
        answer = api.post(f"/g/{table.id}", data={"token": token})
        assert answer.status_code == 403
        assert read("en", "plain_table").refused_seat in answer.text
        assert "Your hand" not in answer.text
    unknown = api.post("/g/nowhere", data={"token": ""})
    assert (unknown.status_code, unknown.headers["Content-Type"]) == (404, "text/html; charset=utf-8")


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_clock_is_shown(api: Api, language: str) -> None:
    """When the turn ends, in UTC; who is on vacation until when, and has left; a pause in place of the end.

    In the language of the browser.
    """
    table = api.create([{"name": "Anna"}, {"name": "Bert"}], pace={"turn_seconds": 3600})
    words, headers = read(language, "plain_table"), {"Accept-Language": language}

    def time_of(moment: str) -> str:
        return format_date(datetime.fromisoformat(moment), "long", read(language, "game")["locale"])

    def shown() -> str:
        return html.unescape(api.post(f"/g/{table.id}", data={"token": ""}, headers=headers).text)

    assert words.deadline.removesuffix(".").format(time=time_of(api.view(table)["turn"]["deadline"])) in shown()
    assert f'<html lang="{language}">' in shown()
    assert words.show in shown()
    until = (datetime.fromisoformat(api.events(table)[0]["at"]) + timedelta(days=20)).isoformat()
    assert api.post(f"{table.path}/vacation", table.tokens[1], json={"until": until}).status_code == 201
    (vacation,) = api.view(table)["seats"][1]["vacations"]
    anna, bert = shown().split('<div class="player')[1:]
    assert f"({words.vacation.removesuffix(')').format(time=time_of(vacation['until']))}" in bert
    assert " UTC" not in anna
    mine = page_of(api, table, 1).text.split('<div class="player')
    assert [" UTC" in player for player in mine[1:]] == [True, False]  # the reader first; a key may have "UTC"
    for seat in (0, 1):
        assert api.post(f"{table.path}/pause", table.tokens[seat]).status_code == 201
    assert words.paused in shown()
    assert words.deadline.partition("{")[0] not in shown()
    assert api.post(f"{table.path}/resign", table.tokens[1]).status_code == 201
    assert [words.resigned in player for player in shown().split('<div class="player')[1:]] == [False, True]


def test_what_time_does_is_noted() -> None:
    """A turn that has timed out, one that a bot plays, an abandoned seat, a vacation that has passed, a game's end."""
    words = words_of("en")
    assert len({read(each, "plain_table").unknown for each in LANGUAGES}) == len(LANGUAGES)
    game = play_until(2, "notes", 1)[0]
    assert note_clock(game, words) == ""  # a game without a pace has no end of turn
    game.pace, game.turn_since = Pace(turn_seconds=60), 0
    assert note_clock(game, words) == "The turn ends on 1 January 1970, 00:01 UTC."
    assert note_clock(game, words_of("nl")) == "De beurt eindigt op 1 januari 1970, 00:01 UTC."
    assert note_seats(game, words, 0) == ["", ""]
    game.timed_out = True
    assert note_clock(game, words) == read("en", "plain_table").late
    game.timed_out = False
    game.seats[game.turn_seat].away = "abandoned"
    game.seats[1 - game.turn_seat].vacations = ((1000, 2000),)
    assert note_clock(game, words) == ""
    for now, note in ((999, ""), (1000, "on vacation until 1 January 1970, 00:00 UTC"), (2000, "")):
        notes = note_seats(game, words, now)
        assert (notes[game.turn_seat], notes[1 - game.turn_seat]) == (read("en", "plain_table").abandoned, note)


def test_refusals_count_rows_as_the_page_does(api: Api, table: Table) -> None:
    card = next(one for one in api.view(table, 0)["you"]["hand"] if one not in ("multitalent", "risk"))
    assert api.act(table, 0, {"type": "lay_businessmaker", "card": card}).status_code == 201
    action = {"type": "append", "card": api.view(table, 0)["you"]["hand"][0], "row": 3}
    answer = page_of(api, table, 0, version=str(api.version(table)), action=json.dumps(action))
    assert answer.status_code == 409
    assert "You have no row 4, only row 1." in answer.text
