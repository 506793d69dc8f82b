"""A rule set that is added changes nothing of the games of before, and games are played by it."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from domain.audit.checks import audit
from domain.audit.totals import Served
from domain.events import EventRecord
from domain.fairness.canonical import canonical_json
from domain.rules import NEWEST, RULES, Rules, rules_of
from domain.view import Viewer, redact_event, scores_of, view_of
from service.gamelog.history import History, decode_events
from service.gamelog.store.form.entry import Entry
from tests.games.kept import Kept, all_kept
from tests.games.recorded import read, replay
from tests.games.test_recorded import files
from tests.support.logs import log_of
from tests.support.rule_sets import known, play_by
from tests.support.samples import with_nightly


@pytest.fixture
def added() -> Iterator[Rules]:
    """A rule set more than there are, with one variant more."""
    variants = {**NEWEST.variants, "ten_cards": {"hand_size": 10}}
    with known(replace(NEWEST, name="another@1", variants=variants)) as rules:
        yield rules


def answers_of(entries: list[Entry]) -> bytes:
    """What is served of a finished game: audit, views, score sheet and export."""
    events = json.loads(canonical_json(decode_events(entries)))
    head = History.of_entries(entries).head
    viewers: list[Viewer] = [None, *range(len(head.game.seats))]
    served = Served({viewer: view_of(head.game, viewer, head.hash.hex()) for viewer in viewers}, scores_of(head.game))
    found = audit(events, served=served)
    assert found.ok or "can't be proved any more" in found.first_offence.detail, found.first_offence
    exported = [redact_event(event, None, head.game) for event in events]
    return canonical_json([found.to_json(), *served.views.values(), served.scores, exported])


@pytest.mark.parametrize(
    "part", [slice(-1, None), pytest.param(slice(-1), marks=pytest.mark.nightly)], ids=["last", "others"]
)
@files
def test_recorded_games_stay(path: Path, part: slice, request: pytest.FixtureRequest) -> None:
    """Audit, views, score sheet and export of the last game of each file (nightly: of all) are the same to the byte."""
    games = [replay(recorded) for recorded in read(path)[part]]
    before = [answers_of([*game.entries]) for game in games]
    request.getfixturevalue("added")
    for recorded, answers in zip(games, before, strict=True):
        assert answers_of([*recorded.entries]) == answers, recorded.recorded.game
    # Decided again, they get no variant of the other rule set either.
    assert [replay(one.recorded).last_hash for one in games] == [one.last_hash for one in games]


@pytest.mark.parametrize("kept", all_kept(), ids=[kept.name for kept in all_kept()])
def test_kept_games_stay(kept: Kept, request: pytest.FixtureRequest) -> None:
    before = answers_of(kept.entries)
    request.getfixturevalue("added")
    assert answers_of(kept.entries) == before


@pytest.mark.parametrize(
    "variants", with_nightly([(("expensive_specials", "staggered_start", "ten_cards"),), (("ten_cards",),), ((),)])
)
def test_games_are_played_by_it(added: Rules, variants: tuple[str, ...]) -> None:
    """A whole game, by its new variant or without: its log passes, and says of every variant whether it is on."""
    decisions = play_by(added, variants)
    log: list[EventRecord] = log_of(decisions)
    game = decisions[-1].game
    served = Served({None: view_of(game, None, log[-1]["hash"])}, scores_of(game))
    found = audit(log, served=served)
    assert all(check.ok for check in found.checks), found.first_offence
    assert log[0]["data"]["rules"] == "another@1"
    assert served.views[None]["variants"] == {name: name in variants for name in added.variants}
    deal = next(event for event in log if event["type"] == "GameStarted")
    assert {len(hand) for hand in deal["data"]["hands"]} == {10 if "ten_cards" in variants else 4}


def test_no_game_has_a_variant_of_another_rule_set(added: Rules) -> None:
    """A log that names a variant of another rule set is refused, and so is one that lacks one of its own."""
    log = log_of(play_by(added, ()))
    for rules, variants in (("standard@1", added.variants), (added.name, NEWEST.variants)):
        data = log[0]["data"] | {"rules": rules, "variants": dict.fromkeys(variants, False)}
        found = audit([log[0] | {"data": data}, *log[1:]]).checks[3]
        assert (found.name, found.ok, found.version) == ("rules", False, 1)


def test_texts_know_every_price() -> None:
    """Mails say “two action points for …, one for anything else”: a rule set with other prices needs other words."""
    for rules in RULES.values():
        for variants in (frozenset[str](), frozenset(rules.variants)):
            played = rules_of(rules.name, variants)
            prices = {getattr(played, name) for name in Rules.__dataclass_fields__ if name.startswith("cost_")}
            assert prices <= {1, 2}, rules.name
