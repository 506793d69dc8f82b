"""What-if in services of the test's own: limits, pending scores, seeds, and that hidden cards stay hidden."""

from collections.abc import Iterator
from random import Random

import pytest

from domain.commands import CompleteScoring
from service.gamelog.log import GameLog
from service.signing.deployment import Deployment
from tests.api.test_forks import BOTS, KEY, PLACES, ask_fork, log_of, table_of
from tests.api.worlds import SHARDS, World, as_seen, twins
from tests.gamelog.ledger import finish, play_until
from tests.support.client import Api, refused
from tests.support.in_process import api_over
from tests.support.stores import open_store
from tests.support.world import new_log


@pytest.fixture(scope="module")
def local(valkey: str) -> Iterator[Api]:
    """A client of a service in this process, without workers, over a store."""
    with api_over(valkey, Deployment.new(SHARDS)) as api:
        yield api


@pytest.fixture(scope="module")
def local_log(valkey: str) -> GameLog:
    """A log of the test's own on that store, to play whole games without requests."""
    return new_log(open_store(valkey, SHARDS))


def test_a_copy_has_a_limit_of_messages(local: Api, local_log: GameLog) -> None:
    """A game with megabytes of messages can be forked at every version up to the limit, and at none after it."""
    api, table = local, local.create([{"name": "Anna"}, {"bot": "greedy"}], seed=None)
    text = "\U0001f3b2" * 2000
    for _ in range(9):
        assert api.post(f"{table.path}/messages", table.tokens[0], json={"text": text}).status_code == 201
    finish(local_log, table.id)
    assert ask_fork(api, table, 13).status_code == 201
    refused(ask_fork(api, table, 14), 409, "too-many-messages", api.version(table))


def test_a_message_of_the_parent_has_no_author_in_the_fork(local: Api, local_log: GameLog) -> None:
    """A recap doesn't attribute a parent's message to the fork's player, but does attribute a message of the fork."""
    api, table = local, local.create([{"name": "Anna"}, {"bot": "greedy"}], seed=None)
    assert api.post(f"{table.path}/messages", table.tokens[0], json={"text": "I, Anna"}).status_code == 201
    finish(local_log, table.id)
    fork = table_of(ask_fork(api, table, 20, seats=[{"name": "Carla"}, {"name": "Bert"}]))
    assert api.post(f"{fork.path}/messages", fork.tokens[0], json={"text": "I, Carla"}).status_code == 201
    items = api.get(f"{fork.path}/recap?since=0&language=en").json()["items"]
    said = [item["text"] for item in items if item["type"] == "MessagePosted"]
    assert said == [
        "In the original game, the player in this seat (now Carla) wrote: “I, Anna”",
        "Carla writes: “I, Carla”",
    ]


def test_a_fork_of_a_listed_game_may_be_listed(local: Api, local_log: GameLog) -> None:
    api, table = local, local.create(BOTS, seed=None, listed=True)
    finish(local_log, table.id)
    for listed in (True, False):
        fork = table_of(ask_fork(api, table, 9, listed=listed))
        assert fork.answer["game"]["listed"] is listed


def test_two_forks_are_dealt_from_different_seeds(local: Api, local_log: GameLog) -> None:
    api, running = local, local.create(2)
    assert api.act(running, 0, {"type": "draw"}).status_code == 201
    version, token = api.version(running), running.tokens[0]
    forks = [table_of(ask_fork(api, running, version, token)) for _ in range(2)]
    for fork in forks:
        finish(local_log, fork.id)
    one, other = (log_of(api, fork)[3]["data"] for fork in forks)
    assert one["hands"][0] == other["hands"][0]
    assert one["draw_pile"] != other["draw_pile"]


def test_a_game_that_waits_for_its_score(world: World) -> None:
    """409 until a worker has scored the round; the finished game can be forked there, and the fork is scored."""
    made = world.ask("POST", "/v1/games", json={"seats": [{"name": "Anna"}, {"name": "Bert"}]}).get_json()
    game, token = made["game"]["id"], made["seats"][0]["token"]
    chance = Random(3)
    version = play_until(world.log, game, chance, lambda now: now.scoring is not None).version
    body = {"fork": {"game": game, "version": version}, "seats": BOTS}
    answer = world.ask("POST", "/v1/games", json=body, headers={"Authorization": f"Bearer {token}"})
    assert (answer.status_code, answer.get_json()["type"]) == (409, "/problems/scoring-in-progress")
    play_until(world.log, game, chance, lambda _: False)
    made = world.ask("POST", "/v1/games", json=body)
    assert made.status_code == 201
    fork = made.get_json()["game"]
    assert (fork["status"], fork["version"]) == ("scoring", version)
    assert world.log.handle(fork["id"], CompleteScoring(round=1)).events[0]["type"] == "RoundScored"


@pytest.mark.parametrize(
    ("seats", "seed", "commands", "seat"),
    [(2, "b", 60, 1), (3, "c", 33, 0), pytest.param(4, "e", 91, 2, marks=pytest.mark.nightly)],
)
def test_forks_reveal_nothing_hidden(
    seats: int, seed: str, commands: int, seat: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two parents that the seat can't distinguish have forks with equal bytes: every resource, form and viewer."""
    monkeypatch.setattr("service.signing.salts.secrets.token_hex", lambda count: "5a" * count)  # the only chance in it
    *worlds, parent, _ = twins(seat, seats, seed, commands, starting_seat=1)
    body = {
        "fork": {"game": worlds[0].path.rpartition("/")[2], "version": parent.version},
        "seats": [{"name": f"guest {index}"} for index in range(seats)],
    }
    key = {"Idempotency-Key": KEY}
    made = [world.ask("POST", "/v1/games", seat, json=body, headers=key) for world in worlds]
    assert [answer.status_code for answer in made] == [201, 201]
    assert made[0].data == made[1].data
    content = made[0].get_json()
    path = f"/v1/games/{content['game']['id']}"
    for viewer in (None, *(one["token"] for one in content["seats"])):
        headers = {} if viewer is None else {"Authorization": f"Bearer {viewer}"}
        for place in (*PLACES, "?at=1", f"?at={seats + 2}", "/legal-actions"):
            answers = [world.ask("GET", path + place, headers=headers) for world in worlds]
            assert answers[0].data == answers[1].data, place
        for form in ("application/x-ndjson", "text/csv", "text/html"):
            place = "/events" if "nd" in form else "/scores"
            answers = [world.ask("GET", path + place, headers={**headers, "Accept": form}) for world in worlds]
            assert answers[0].data == answers[1].data, form
    # And the parents are what they were, to that seat.
    for place in PLACES:
        answers = [world.ask("GET", world.path + place, seat) for world in worlds]
        assert as_seen(answers[0]) == as_seen(answers[1])
