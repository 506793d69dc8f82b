"""The recap over HTTP: its viewer, start, language, and that it reveals no more than the log."""

from collections.abc import Iterator
from random import Random

import pytest

from domain.words import LANGUAGES
from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World, as_seen
from tests.domain.worlds import another_world
from tests.support.client import Api, Table, refused
from tests.support.play import play_until
from tests.support.samples import Sample, sampled, with_slow

DEPLOYMENT = Deployment.new(SHARDS)
# Players, seed, requests played, the seat that looks (None: a spectator).
POSITIONS = [(2, "r", 60, 0), (3, "s", 47, None), (5, "t", 71, 3)]


@pytest.fixture(scope="module")
def table(api: Api) -> Table:
    """Anna has drawn and taken a card, so Bert is on turn; he has done nothing yet."""
    table = api.create([{"name": "Anna"}, {"name": "Bert"}])
    assert api.act(table, 0, {"type": "draw"}, {"type": "take", "slot": 0}).json()["applied"] == 2
    return table


@pytest.fixture(scope="module", params=POSITIONS, ids=lambda position: position[1])
def pair(request: pytest.FixtureRequest) -> Iterator[tuple[World, World, int | None]]:
    """Two worlds that the seat can't distinguish."""
    seats, seed, commands, seat = request.param
    game, events = play_until(seats, seed, commands)
    others = another_world(events, seat, game, Random(seed))
    worlds = World(DEPLOYMENT), World(DEPLOYMENT)
    for world, story in zip(worlds, (events, others), strict=True):
        world.tell(story, {}, 0)
    yield (*worlds, seat)
    for world in worlds:
        world.hub.close()


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
        assert content["items"][-1]["text"] == "Turn 2: Bert to play."


def test_a_recap_shows_what_its_viewer_may_see(api: Api, table: Table) -> None:
    """Only Anna's recap names the card that she drew."""
    hand = api.view(table, 0)["you"]["hand"]
    draws = {}
    for seat in (None, 0, 1):
        token = None if seat is None else table.tokens[seat]
        items = api.get(f"{table.path}/recap?since=0&by=action", token).json()["items"]
        draws[seat] = next(item for item in items if item["type"] == "PileDrawn")
    assert draws[None] == draws[1]
    assert draws[1]["text"] == "Anna draws a card."
    assert draws[1]["events"][-1]["data"]["card"] is None
    assert draws[0]["text"] != draws[1]["text"]
    assert draws[0]["events"][-1]["data"]["card"] in hand


def test_without_since(api: Api, table: Table) -> None:
    """For a seat that has acted, since its last action and its refill; for others since the beginning."""
    events = api.events(table)
    refilled = next(event["version"] for event in events if event["type"] == "DisplayRefilled")
    answers = [api.get(f"{table.path}/recap", token).json() for token in (table.tokens[0], table.tokens[1], None)]
    assert [content["since"] for content in answers] == [refilled, 0, 0]
    assert [item["type"] for item in answers[0]["items"]] == ["TurnStarted"]


def test_by_turn_is_the_default(api: Api, table: Table) -> None:
    """A turn is one item, by action it has one for each action."""
    path = f"{table.path}/recap?since=0"
    turns, same, actions = (api.get(f"{path}{by}").json()["items"] for by in ("", "&by=turn", "&by=action"))
    assert turns == same
    assert [item["text"].split()[:2] for item in turns[-2:]] == [["Anna", "draws"], ["Turn", "2:"]]
    assert " and takes " in turns[-2]["text"]
    assert [item["type"] for item in actions[-3:]] == ["PileDrawn", "CardTaken", "TurnStarted"]


def test_pages(api: Api, table: Table) -> None:
    """`next` is where the next page begins, in every language and by both kinds of items."""
    for query in ("by=turn&language=fr", "by=action"):
        whole = api.get(f"{table.path}/recap?since=0&limit=1000&{query}").json()["items"]
        items, start = [], 0
        while start is not None:
            page = api.get(f"{table.path}/recap?since={start}&limit=2&{query}").json()
            assert page["since"] == start
            assert len(page["items"]) <= 2
            items += page["items"]
            start = page["next"]
        assert items == whole
        assert len(whole) > 4


@pytest.mark.parametrize(
    ("query", "header", "language"),
    [
        ("", None, "en"),
        ("", "", "en"),
        ("", "es", "en"),
        ("", "*", "en"),
        ("", "nl", "nl"),
        ("", "de-CH, fr;q=0.3", "de"),
        ("", "es, fr;q=0.2, en;q=0.1", "fr"),
        ("", "de;q=0, nl;q=0.001", "nl"),
        ("", "FR", "fr"),
        ("", ",, ,xx-de,nl-;q=0.2,", "nl"),
        ("?language=de", "fr", "de"),
        ("?language=en", "fr", "en"),
    ],
)
def test_language(api: Api, table: Table, query: str, header: str | None, language: str) -> None:
    """The query's language, else the best of Accept-Language among the four, else English."""
    headers = {} if header is None else {"Accept-Language": header}
    answer = api.get(f"{table.path}/recap{query}", headers=headers)
    assert answer.status_code == 200
    assert answer.json()["language"] == answer.headers["Content-Language"] == language
    assert {"Authorization", "Accept", "Accept-Language"} <= set(answer.headers["Vary"].split(", "))
    assert answer.headers["Cache-Control"] == "private, no-cache"


def test_since_the_head(api: Api, table: Table) -> None:
    """A recap since the head is empty; a later version is unknown."""
    head = api.version(table)
    assert api.get(f"{table.path}/recap?since={head}").json()["items"] == []
    refused(api.get(f"{table.path}/recap?since={head + 1}"), 404, "no-such-version", head)
    refused(api.get(f"{table.path}/recap?since={'9' * 30}"), 404, "no-such-version", head)


@pytest.mark.parametrize(
    "query",
    [
        "language=es",
        "language=",
        "language=DE",
        "since=-1",
        "since=x",
        "since=1&since=2",
        "language=de%00",
        "by=",
        "by=TURN",
        "limit=0",
        "limit=1001",
    ],
)
def test_bad_queries(api: Api, table: Table, query: str) -> None:
    """Each is 422, with the field that is wrong."""
    problem = refused(api.get(f"{table.path}/recap?{query}"), 422, "invalid-request")
    assert problem["errors"].keys() == {query.partition("=")[0]}


def test_authorisation(api: Api, table: Table) -> None:
    """An invalid token and an unknown game are refused, as by every resource that is read."""
    other = api.create(2)
    refused(api.get(f"{table.path}/recap", "nonsense"), 401, "invalid-token")
    refused(api.get(f"{table.path}/recap", other.tokens[0]), 403, "not-your-game")
    refused(api.get("/v1/games/nothing/recap"), 404, "no-such-game")
    refused(api.get(f"{table.path}/recap", headers={"Accept": "text/html"}), 406, "not-acceptable")


@sampled(13, last=1)
@pytest.mark.parametrize("language", with_slow(LANGUAGES))
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
