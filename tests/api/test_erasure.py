"""A person's words erased from a game: by the log, at every process, in copies, for every check and every route."""

import hmac
import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from domain.audit.checks import audit
from domain.fairness.chain import hashed_data
from service.app import all_routes
from service.connections.clients import connect
from service.gamelog.archive.compaction import compact
from service.gamelog.copies.transfer import import_entries
from service.gamelog.erasing import Origin, copies_of, delete_game, erase_words
from service.gamelog.reader import GameReader
from service.gamelog.store.form.places import Folder
from service.gamelog.store.listings import list_games
from service.gamelog.store.streams import Store
from service.post.inbox.seat_mails import SeatMails
from tests.api.desks import MAIL, PEOPLE, SHARDS, URL, House, house_on
from tests.api.test_devices import add
from tests.api.test_pace import PACE
from tests.api.test_void_tokens import Pair, ask, pair
from tests.oracle.fairness import chain
from tests.support.client import Table, refused
from tests.support.logs import random_log
from tests.support.waiting import patience
from tests.support.words import find_words
from tests.support.world import BEGIN

__all__ = ["pair"]
NAME, TEXT = PEOPLE[0]["name"], "Zwiebelkuchen"
OF_GAMES = [route for route in all_routes() if route.path.startswith("/v1/games/<game>")]


def now() -> int:
    return BEGIN


def forget(house: House, table: Table, seat: int = 0) -> int:
    return erase_words(house.log.store, table.id, seat, now)


def play_on(pair: Pair, *, over: bool) -> Table:
    """A listed game with words of the first seat, which both processes remember whole; `over`: cancelled by all."""
    house = pair.first
    table = house.api.create(PEOPLE, pace=PACE, listed=True)
    house.put(table, email=MAIL, webhook={"url": URL})
    house.confirm(table)
    orders = {"steps": [[{"type": "draw"}]]}
    house.api.request("PUT", f"{table.path}/orders", table.tokens[0], json=orders)
    for seat, text in ((0, TEXT), (1, "Mhm."), (0, f"{TEXT}!")):
        assert house.api.post(f"{table.path}/messages", table.tokens[seat], json={"text": text}).status_code == 201
    for seat in (0, 1) if over else ():
        assert house.api.post(f"{table.path}/cancel", table.tokens[seat]).status_code < 300
    for one in pair:
        for seat in (None, 0, 1):
            assert TEXT in json.dumps(one.api.events(table, seat))
            one.api.view(table, seat, at=2)
    return table


@pytest.mark.parametrize("over", [False, True])
def test_no_process_tells_the_words_any_more(pair: Pair, over: bool) -> None:
    """No route of the game does, none fails, and the next append at a process that knew them doesn't list them."""
    table = play_on(pair, over=over)
    words = [event["data"] for event in pair.first.api.events(table) if "salt" in event["data"]]
    salts = [data["salt"] for data in words if data["seat"] == 0]
    assert len(salts) == len({*salts}) == 3
    assert forget(pair.second, table) == 3
    assert forget(pair.second, table) == 0
    for house in pair:
        for route in OF_GAMES:
            answer = ask(house, route, table, table.tokens[1], {}) if route.method == "GET" else None
            if answer is not None:
                assert answer.status_code in {200, 404, 406, 409, 422}, (route.path, answer.text)
                assert [word for word in (TEXT, NAME, *salts) if word in answer.text] == [], route.path
        for form in ("application/x-ndjson", "text/csv", "text/plain", "text/html"):
            for path in ("", "/events", "/replay", "/scores"):
                answer = house.api.get(table.path + path, headers={"Accept": form})
                assert answer.status_code in {200, 406}
                assert (TEXT in answer.text, NAME in answer.text) == (False, False), path
        refused(house.api.get(f"{table.path}/orders", table.tokens[0]), 401, "invalid-token")
        seat = house.api.view(table)["seats"][0]
        assert (seat["name"], seat["erased"]) == (None, True)
        page = house.api.get(f"/g/{table.id}")
        assert (page.status_code, TEXT in page.text, NAME in page.text) == (200, False, False)
    after = pair.first.api.post(f"{table.path}/messages", table.tokens[1], json={"text": "Who?"})
    assert after.status_code == 201
    [listed] = list_games(pair.first.log.store, None, None, 5).games
    assert listed["seats"] == [None, PEOPLE[1]["name"]]
    left = b"".join(pair.first.log.store.client.dump(key) for key in pair.first.log.store.client.scan_iter())
    assert [word for word in (TEXT, MAIL, *salts) if word.encode() in left] == []


@pytest.mark.parametrize("over", [False, True])
def test_no_copy_of_a_client_with_the_words_stays_valid(pair: Pair, over: bool) -> None:
    """Browsers ask with the tag that they got before, also at an address that says nothing of it."""
    table = play_on(pair, over=over)
    paths = [route.path.replace("<game>", table.id) for route in OF_GAMES if route.method == "GET"]
    answers = {
        path: pair.first.api.get(path, table.tokens[1]) for path in paths if "<" not in path and "stream" not in path
    }
    told = {path: answer.headers["ETag"] for path, answer in answers.items() if NAME in answer.text}
    assert len(told) >= 4
    forget(pair.second, table)
    for path, tag in told.items():
        answer = pair.first.api.get(path, table.tokens[1], headers={"If-None-Match": tag})
        assert (answer.status_code, NAME in answer.text) == (200, False), path
    poll = {"headers": {"If-None-Match": told[table.path]}, "params": {"wait": 0.1}}
    assert pair.first.api.get(table.path, table.tokens[1], **poll).status_code == 304


def _digests(house: House, receiver: str) -> tuple[bytes, bytes]:
    """By the deployment's secret, as the outbox has it; and what everybody can guess who knows the address."""
    secret = hmac.digest(house.services.deployment.game_secret, b"reibach/mails\n", "sha256")
    return hmac.digest(secret, receiver.encode(), "sha256"), sha256(receiver.encode()).digest()


def leave_traces(house: House, who: str) -> Table:
    """A game whose first seat has left all that one can leave beside the log."""
    guests = [PEOPLE[0], {"name": "Bert", "invite": f"bert.{who}.{MAIL}"}]
    table = house.api.create(guests, pace=PACE, listed=True)
    house.put(table, email=f"{who}.{MAIL}")
    house.confirm(table)
    keyed, plain = (one.hex()[:16] for one in _digests(house, f"{who}.{MAIL}"))
    client = house.log.store.client
    assert (find_words(client, Path("none"), keyed) != [], find_words(client, Path("none"), plain)) == (True, [])
    assert house.api.post(f"{table.path}/lost-token", json={"email": f"{who}.{MAIL}"}).status_code == 202
    house.put(table, email=f"another.{who}.{MAIL}")
    mails = SeatMails(house.log.store)
    assert mails.admit(table.id, 0, BEGIN)
    mails.decide(table.id, 0, b"digest", BEGIN, TEXT)
    letter = json.dumps([f"{table.id}|r|0|email|answer|4|x", json.dumps({"detail": TEXT})], separators=(",", ":"))
    house.log.store.client.lpush(house.log.store.lanes(table.id)[2], letter)
    house.log.store.client.zadd(house.log.store.lanes(table.id)[1], {f"{table.id}|r|0|email|answer|4|x": 10**15})
    return table


def test_nothing_beside_the_log_is_left(server: Any, tmp_path: Any) -> None:
    """Of a forgotten person no word and no key of the seat; of a deleted game its mark alone. Others keep theirs."""
    house = house_on(server("valkey"), delivers=True)
    store, client = house.log.store, house.log.store.client
    table, other = leave_traces(house, "a"), leave_traces(house, "b")
    house.send()
    for one in (table, other):
        add(house, one, headers={"Idempotency-Key": "a key of at least 22 characters"})
    left = {*find_words(client, tmp_path, other.id)}
    kinds = {key.split(":")[1] for key in left}
    assert kinds > {"named", "confirmation", "waiting", "token", "invited", "asked", "push"}
    assert erase_words(store, table.id, 0, now) == 1
    assert find_words(client, tmp_path, f"{table.id}/0", f"{table.id}:0", f"{table.id}|r|0") == []
    assert not [key for key in find_words(client, tmp_path, table.id) if ":push:" in key]
    assert find_words(client, tmp_path, f"{table.id}/1")
    assert delete_game(store, table.id)
    kept = {store.keys(table.id).idempotency, f"{store.tag(table.id)}:feed"}
    # For a day no other mail may ask an address to confirm: what is kept of it is its id, and no word.
    assert {key for key in find_words(client, tmp_path, table.id) if ":asked:" not in key} <= kept
    assert {*find_words(client, tmp_path, other.id)} == left
    delete_game(store, other.id)
    assert find_words(client, tmp_path, TEXT, MAIL, "example.org") == []


@pytest.fixture
def kept(server: Any, tmp_path: Any) -> Iterator[tuple[Store, str]]:
    """A store with archives in files, and a finished game of three with words of all."""
    house_on(server("valkey"))
    store = Store(connect(server("valkey")), SHARDS, patience(3), files=Folder(tmp_path))
    log = House(store).log
    events = random_log(3, "erasure", talk=0.2)
    log.import_game(import_entries(events))
    return store, events[0]["data"]["game"]


def check_log(store: Store, game: str, erased: int) -> list[dict[str, Any]]:
    events = GameReader(store).load_history(game).events
    found = audit(events)
    assert found.ok, found.first_offence
    assert sum(found.passed_over.erased.values()) == erased
    told = next(check.detail for check in found.checks if check.name == "chain")
    assert (f"Erased events: {erased}," in told) == (erased > 0 and found.over)
    assert list(chain(events[0]["data"]["server_seed"], game, events)) == [event["hash"] for event in events]
    return events


@pytest.mark.parametrize("kind", ["stream", "store", "files"])
def test_an_erased_log_is_sound_wherever_it_was(kept: tuple[Store, str], kind: str, tmp_path: Any) -> None:
    """With the same hashes, in the stream, in archives made before and afterwards; it can be imported."""
    store, game = kept
    before = check_log(store, game, 0)
    if kind != "stream":
        assert compact(store, game, kind, BEGIN * 2)
    erased = erase_words(store, game, 1, now)
    assert erased > 2
    assert not list(tmp_path.glob(f"{game}-*"))
    after = check_log(store, game, erased)
    assert [event["hash"] for event in after] == [event["hash"] for event in before]
    own = [event["data"] for event in after if "erased" in event["data"]]
    assert all((one["seat"], one["erased"]) == (1, True) for one in own)
    digest = hashed_data("PlayerJoined", before[2]["data"])["digest"]
    assert own[0] == {"seat": 1, "name": None, "bot": None, "entropy": "share 1", "digest": digest, "erased": True}
    assert compact(store, game, "files", BEGIN * 2)
    assert check_log(store, game, erased) == after
    assert House(store).api.get(f"/v1/games/{game}/audit").json()["ok"] is True
    delete_game(store, game)
    assert not list(tmp_path.glob(f"{game}-*"))
    House(store).log.import_game(import_entries(after))
    assert check_log(store, game, erased) == after


def test_copies_lose_the_words_too(kept: tuple[Store, str]) -> None:
    """Those that a fork and a fork of it have taken over; a later fork of the erased game is sound."""
    store, game = kept
    api = House(store).api
    version = next(
        one["version"] for one in GameReader(store).load_history(game).events if one["type"] == "RoundScored"
    )

    def fork(parent: str, version: int) -> str:
        bots = [{"bot": "greedy"}] * 3
        answer = api.post("/v1/games", json={"seats": bots, "fork": {"game": parent, "version": version}})
        assert answer.status_code == 201, answer.text
        return str(answer.json()["game"]["id"])

    first = fork(game, version)
    origins = {first: Origin(game, version), "other": Origin("another", 9)}
    assert list(copies_of(game, origins)) == [(first, version)]
    origins["second"] = Origin(first, version - 10)
    assert list(copies_of(game, origins)) == [(first, version), ("second", version - 10)]
    here = erase_words(store, game, 2, now)
    there = erase_words(store, first, 2, now, version)
    assert 0 < there < here
    for name, erased in ((first, there), (fork(game, version), there), (game, here)):
        assert "erased" in json.dumps(check_log(store, name, erased))
        found = House(store).api.get(f"/v1/games/{name}/audit").json()
        assert found["ok"], found
