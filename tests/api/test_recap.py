"""The recap over HTTP: its viewer, start, language, and that it reveals no more than the log."""

import pytest

from domain.words.catalogue import LANGUAGES
from tests.api.worlds import World, as_seen, twins
from tests.support.cases import cases
from tests.support.client import Api, Table, refused
from tests.support.samples import Sample, sampled, with_nightly

# Players, seed, requests played, the seat that looks (None: a spectator).
POSITIONS = [(2, "r", 60, 0), (3, "s", 47, None), (5, "t", 71, 3)]


@pytest.fixture(scope="module")
def table(api: Api) -> Table:
    """Anna has drawn and taken a card, so Bert is on turn; he has done nothing yet."""
    table = api.create([{"name": "Anna"}, {"name": "Bert"}])
    assert api.act(table, 0, {"type": "draw"}, {"type": "take", "slot": 0}).json()["applied"] == 2
    return table


@pytest.fixture(scope="module", params=POSITIONS, ids=lambda position: position[1])
def pair(request: pytest.FixtureRequest) -> tuple[World, World, int | None]:
    seats, seed, commands, seat = request.param
    return (*twins(seat, seats, seed, commands)[:2], seat)


@pytest.mark.parametrize("by", ["", "&by=turn", "&by=action"])
def test_items_are_sentences_and_events(api: Api, table: Table, by: str) -> None:
    """From the beginning to the head, each event once, as the log shows it to the viewer."""
    for seat in (None, 0, 1):
        token = None if seat is None else table.tokens[seat]
        content = api.get(f"{table.path}/recap?since=0{by}", token).json()
        events = {event["version"]: event for event in api.events(table, seat)}
        assert (content["since"], content["version"], content["language"]) == (0, len(events), "en")
        assert content["next"] is None
        for item in content["items"]:
            assert item.keys() == {"version", "type", "seat", "at", "text", "events"}
            assert item["at"] == events[item["version"]]["at"]
            assert item["text"]
            for event in item["events"]:
                assert event == {name: events[event["version"]][name] for name in ("version", "type", "data")}
        assert content["items"][-1]["text"] == f"Turn 2: {'it’s your turn' if seat == 1 else 'Bert to play'}."


def test_what_a_recap_begins_with_and_is_made_of(api: Api, table: Table) -> None:
    """For a seat that has acted, since its last action and its refill; for others since the beginning; by turns."""
    events, head = api.events(table), api.version(table)
    refilled = next(event["version"] for event in events if event["type"] == "DisplayRefilled")
    answers = [api.get(f"{table.path}/recap", token).json() for token in (table.tokens[0], table.tokens[1], None)]
    assert [content["since"] for content in answers] == [refilled, 0, 0]
    assert [item["type"] for item in answers[0]["items"]] == ["TurnStarted"]
    path = f"{table.path}/recap?since="
    turns, same, actions = (api.get(f"{path}0{by}").json()["items"] for by in ("", "&by=turn", "&by=action"))
    assert turns == same
    assert [item["text"].split()[:2] for item in turns[-2:]] == [["Anna", "draws"], ["Turn", "2:"]]
    assert " and takes " in turns[-2]["text"]
    assert [item["type"] for item in actions[-3:]] == ["PileDrawn", "CardTaken", "TurnStarted"]
    assert api.get(f"{path}{head}").json()["items"] == []
    for later in (head + 1, "9" * 30):
        refused(api.get(f"{path}{later}"), 404, "no-such-version", head)


@pytest.mark.parametrize(("query", "header", "language"), [*cases(__file__, "language"), ("", None, "en")])
def test_language(api: Api, table: Table, query: str, header: str | None, language: str) -> None:
    """The query's language, else the best of Accept-Language among the four, else English."""
    headers = {} if header is None else {"Accept-Language": header}
    answer = api.get(f"{table.path}/recap{query}", headers=headers)
    assert answer.status_code == 200
    assert answer.json()["language"] == answer.headers["Content-Language"] == language
    assert {"Authorization", "Accept", "Accept-Language"} <= set(answer.headers["Vary"].split(", "))
    assert answer.headers["Cache-Control"] == "private, no-cache"


@pytest.mark.parametrize("query", cases(__file__, "bad_queries"))
def test_bad_queries(api: Api, table: Table, query: str) -> None:
    problem = refused(api.get(f"{table.path}/recap?{query}"), 422, "invalid-request")
    assert problem["errors"].keys() == {query.partition("=")[0]}


@sampled(13, last=1)
@pytest.mark.parametrize("language", with_nightly(LANGUAGES))
def test_a_recap_reveals_nothing_hidden(pair: tuple[World, World, int | None], language: str, sample: Sample) -> None:
    """Two worlds that differ only in what the seat may not see have one recap, and one score sheet in every form.

    From the first event, from every thirteenth (nightly: from all), and from the last on.
    """
    one, other, seat = pair
    version = one.game.version
    paths = ["/recap?", "/recap?by=action&", "/recap?since=0&limit=9&"]
    paths += [f"/recap?since={since}&by={by}&" for by in ("turn", "action") for since in sample.of(range(version + 1))]
    paths.append(f"/recap?since={version + 1}&")
    asks = [(path, "application/json") for path in paths]
    asks += [("/scores?", form) for form in ("application/json", "text/csv", "text/html")]
    for path, form in asks:
        answers = [
            world.ask("GET", f"{world.path}{path}language={language}", seat, headers={"Accept": form})
            for world in (one, other)
        ]
        assert as_seen(answers[0]) == as_seen(answers[1])
        assert answers[0].status_code == (404 if f"since={version + 1}&" in path else 200), path
