"""An exported log becomes entries again, which are written in one step or not at all."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from domain.audit.checks import audit
from domain.audit.findings import Offence
from domain.events import EventRecord
from domain.fairness.chain import chain_key
from service.gamelog.copies.transfer import import_entries, is_game_id, lines_of
from service.gamelog.history import decode_events
from service.gamelog.integrity import check_integrity
from service.gamelog.store.errors import CorruptLog, NotStorable
from service.gamelog.store.streams import Store
from tests.domain.audit.forgeries import sources
from tests.gamelog.ledger import import_game
from tests.oracle.play import rechain
from tests.support.logs import BEGAN, ndjson, random_log
from tests.support.samples import with_nightly
from tests.support.stores import EVERY_STORE

STORES = EVERY_STORE

LOG = random_log(4, "carried", ["staggered_start"])
GAME = LOG[0]["data"]["game"]


def test_each_request_becomes_one_entry() -> None:
    """One entry for each request, by the log's times; they export to the same bytes, and every version has a state."""
    new = import_entries(LOG)
    assert [event["at"] for event in LOG if event["version"] in {entry.version for entry in new.entries}] == sorted(
        {event["at"] for event in LOG}
    )
    assert lines_of(decode_events(new.entries)) == ndjson(LOG)
    for event in LOG[::17]:
        assert new.state_at(event["version"]).hash.hex() == event["hash"]
    assert new.head.chain_key == chain_key(bytes.fromhex(LOG[0]["data"]["server_seed"]))


@pytest.mark.parametrize("number", with_nightly(range(48), 12))
def test_the_game_that_an_audit_tells_is_that_of_the_entries(number: int) -> None:
    """Whatever its log holds, up to each place where it waits; of a copy whose parent had people no game is told."""
    source = sources(48)[number]
    for end in (len(source.log), source.waits[0], source.waits[len(source.waits) // 2]):
        log = source.log[:end]
        audited = audit(log, open_cards=True)
        assert (audited.game is None) == bool(audited.passed_over.words)
        if not audited.passed_over.unknown:
            assert import_entries(log, audited.game).head == import_entries(log).head


def test_requests_at_the_same_time_become_separate_entries() -> None:
    """Each message is one, whatever its length and letters."""
    log = rechain([event | {"at": LOG[0]["at"]} for event in random_log(4, "carried", talk=0.1)])
    new = import_entries(log)
    assert max(entry.count for entry in new.entries) < 20
    counts = {entry.version: entry.count for entry in new.entries}
    assert {counts[event["version"]] for event in log if event["type"] == "MessagePosted"} == {1}
    assert lines_of(decode_events(new.entries)) == ndjson(log)


@pytest.mark.parametrize(
    ("version", "change"),
    [
        (1, lambda event: event.update(at="1970-01-01T00:00:00.000Z")),
        (1, lambda event: event["data"].update(pace=None)),
        (2, lambda event: event["data"].pop("bot")),
        (2, lambda event: event.update(type="SomethingNew")),
        (6, lambda event: event["data"]["hands"][0].__setitem__(0, "two words")),
        (6, lambda event: event["data"].update(display=3)),
    ],
)
def test_an_event_that_cannot_be_imported_is_named(version: int, change: Callable[[EventRecord], object]) -> None:
    log: list[dict[str, Any]] = json.loads(json.dumps(LOG))
    change(log[version - 1])
    with pytest.raises(NotStorable) as refused:
        import_entries(rechain(log))
    assert isinstance(refused.value.offence, Offence)
    assert refused.value.offence.version in (version, len(log))


@pytest.mark.parametrize(
    ("text", "is_one"),
    [("a", True), ("A_-9" * 16, True), ("", False), ("a" * 65, False), ("a\n", False), ("ä", False), ("../a", False)],
)
def test_game_ids(text: str, is_one: bool) -> None:
    """What fits into an address, a file's name and a job's."""
    assert is_game_id(text) is is_one
    assert not is_game_id([text])


def test_a_game_is_imported_once(log_store: Store) -> None:
    """As if appended here: sound to the inspection, listed, due; a second time it is taken, and nothing changes."""
    new = import_entries(LOG)
    assert log_store.ids() == []
    assert import_game(log_store, new, due_at=BEGAN)
    assert log_store.ids() == [GAME]
    found = check_integrity(log_store, GAME)
    assert found.offence is None
    assert lines_of(found.events) == ndjson(LOG)
    before = log_store.client.xlen(log_store.stream(GAME))
    assert import_game(log_store, new)  # the very same call, sent again after its answer was lost
    assert not import_game(log_store, import_entries(LOG))
    assert log_store.client.xlen(log_store.stream(GAME)) == before
    due = [game for key in log_store.shard_keys("due") for game in log_store.client.zrange(key, 0, -1)]
    assert due == [GAME.encode()]


def test_an_import_never_overwrites_a_key(log_store: Store) -> None:
    log_store.client.xadd(log_store.stream(GAME), {"t": 1}, id="1-1")
    with pytest.raises(CorruptLog):
        import_game(log_store, import_entries(LOG))
    assert log_store.client.xlen(log_store.stream(GAME)) == 1
    assert log_store.ids() == [GAME]  # for the doctor to find


def test_a_game_of_thousands_of_entries_is_imported_whole(log_store: Store) -> None:
    """More than a command of a script can name."""
    said = {"type": "MessagePosted", "at": LOG[-1]["at"], "data": {"seat": 0, "text": "Good!", "salt": "0" * 32}}
    log = rechain([*LOG, *({**said, "version": len(LOG) + number} for number in range(1, 3001))])
    assert import_game(log_store, import_entries(log))
    assert lines_of(check_integrity(log_store, GAME).events) == ndjson(log)
