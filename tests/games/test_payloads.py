"""Today's code reads the entries of every release: every version of every payload."""

import json

import pytest

from domain.fairness.canonical import canonical_json
from service.gamelog.history import decode_events
from service.gamelog.store.form.entry import CHECKED
from tests.games.kept import PAYLOADS, Kept, all_kept, expected_of, exported_of, missing_forms
from tests.oracle.answers import assert_covers
from tests.oracle.oracle import OracleGame

KEPT = all_kept()
each = pytest.mark.parametrize("kept", KEPT, ids=[kept.name for kept in KEPT])


@each
def test_kept_game_reads_as_it_was_written(kept: Kept) -> None:
    """Events byte for byte, hash, score sheet and views are those recorded; views and sheets may have gained fields."""
    expected = kept.expected
    found = json.loads(canonical_json(expected_of(kept.entries, [int(version) for version in expected["views"]])))
    assert found["hash"] == expected["hash"]
    assert_covers(found, expected)
    assert exported_of(kept.entries) == kept.events


@each
def test_kept_game_is_whole(kept: Kept) -> None:
    """Each entry's check is the beginning of its last event's hash, and the second engine accepts the game."""
    events = decode_events(kept.entries)
    for entry in kept.entries:
        assert bytes.fromhex(events[entry.version - 1]["hash"])[:CHECKED] == entry.check[:CHECKED], entry.version
    log = [json.loads(line) for line in kept.events.splitlines()]
    if any("erased" in event["data"] and "digest" not in event["data"] for event in log):
        with pytest.raises(AssertionError, match="version 2: the proof ends here"):
            OracleGame(log)
    else:
        assert OracleGame(log).winners is not None


def test_every_payload_version_is_kept() -> None:
    """Each tag of the codec's table and each stored reason is in a kept game, and each game's three files are there."""
    missing = sorted(missing_forms())
    assert not missing, f"no kept game has {missing}; python -m tests.bench.tools.keep_game RELEASE keeps one"
    assert len(list(PAYLOADS.iterdir())) == 3 * len(KEPT)


def test_no_two_games_have_one_id() -> None:
    """One store takes all of them."""
    games = [json.loads(kept.events.splitlines()[0])["data"]["game"] for kept in KEPT]
    assert len({*games}) == len(games)
