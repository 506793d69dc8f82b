"""The audit of what the rules take from a log as it stands: types, lengths, seats, and events of other types."""

import json
from typing import Any

import pytest

from domain.audit.chain import receipt_fault
from domain.audit.checks import Audit, audit
from domain.audit.evidence import evidence_of, fold
from domain.audit.findings import Served
from domain.audit.opening import read_opening
from domain.audit.referee import judge
from domain.audit.totals import add_up
from domain.clock.pace import Pace
from domain.commands import CreateGame, SeatPlan
from domain.decide import decide
from domain.events import OF_PEOPLE, EventRecord
from domain.fairness.canonical import canonical_json
from domain.fairness.chain import chain_key, first_hash, next_hash
from domain.forks.position import fork_of_running
from domain.state import Game
from domain.view import scores_of, view_of
from tests.domain.audit.forgery_kinds import INVENTED, copy_of_nobodys, with_invented
from tests.domain.audit.test_checks import outcomes, version_of
from tests.domain.audit.test_forks import FORKS, PARENTS, SET, parent_of
from tests.oracle.oracle import OracleGame
from tests.oracle.play import play, rechain
from tests.support.cases import cases
from tests.support.forks import copy_of
from tests.support.logs import log_of, random_log

PACE = Pace(turn_seconds=60)
LOG = random_log(3, "forms")
FIRST = next(event["version"] for event in LOG if event["type"] == "TurnStarted")
DEALT = LOG[:FIRST]
"""A game that was dealt a moment ago: short, and so quick to audit."""
PLAIN = {"expensive_specials": False, "staggered_start": False}
STANDS = [event["version"] - 1 for event in LOG if event["type"] in {"CardTaken", "PileDrawn"}]
LATE_AT = LOG[0]["at"][:-2] + "1Z"


def renumbered(events: list[EventRecord]) -> list[EventRecord]:
    return rechain(event | {"version": version} for version, event in enumerate(events, 1))


def changed(log: list[EventRecord], version: int, **members: Any) -> Audit:
    """The audit of a log in whose event at `version` these members have other values, all hashes in order."""
    forged: list[EventRecord] = json.loads(json.dumps(log))
    forged[version - 1]["data"] |= members
    return audit(rechain(forged), open_cards=True)


def hidden(log: list[EventRecord]) -> list[EventRecord]:
    """As a spectator of the running game would have it, with every hidden card null."""
    secret = {"server_seed": None, "draw_pile": None, "card": None}
    seen = []
    for event in log:
        null = {name: value for name, value in secret.items() if name in event["data"]}
        if event["type"] in {"CardTaken", "CardAppended", "DisplayRefilled"}:
            null = {}
        elif "hands" in event["data"]:
            rows = [[row | {"businessmaker": None} for row in laid] for laid in event["data"].get("rows", [])]
            null |= {"hands": [None for _ in event["data"]["hands"]]} | ({"rows": rows} if rows else {})
        seen.append(event | {"data": event["data"] | null})
    return seen


def late_log() -> list[EventRecord]:
    """A game just dealt, whose last seat was taken later than the others."""
    return rechain([event | {"at": LATE_AT} if event["version"] > 3 else event for event in DEALT])


BOT_PLAN = CreateGame(game="bots", server_seed=bytes(32), seats=(SeatPlan(name="Anna"), SeatPlan(bot="greedy")))
WITH_BOT = log_of([decide(BOT_PLAN, Game())])
FORK, COPY = FORKS[2][: SET[2]], copy_of(DEALT, 1)


# Seats of forks.


@pytest.mark.parametrize("number", range(len(FORKS)))
def test_a_fork_of_a_running_game_without_one_of_its_seats(number: int) -> None:
    """Whichever PlayerJoined is missing, or at another place, the position's version is named."""
    position = SET[number]
    log = FORKS[number][: position + 1]
    for version in range(2, position):
        struck = renumbered([event for event in log if event["version"] != version])
        moved = renumbered([*struck[: position - 1], log[version - 1], *struck[position - 1 :]])
        for forged in (struck, moved, hidden(struck), hidden(moved)):
            assert version_of(audit(forged, open_cards=True), "rules") == position - 1


def test_a_copy_without_one_of_its_seats() -> None:
    """A PlayerJoined that is missing is named before the deal, and where the log ends before its first turn."""
    for copy in (COPY, copy_of(late_log(), 1), copy_of(late_log(), 5)):
        assert audit(copy, open_cards=True).ok
        for version in (2, 3, 4):
            struck = renumbered([event for event in copy if event["version"] != version])
            assert version_of(audit(struck, open_cards=True), "rules") <= 4
        for end in (1, 2, 3):
            assert version_of(audit(copy[:end], open_cards=True), "rules") == end + 1
            assert version_of(audit(hidden(copy[:end])), "rules") == end + 1


def test_a_game_that_is_no_fork_may_wait_for_players() -> None:
    """Its open seats are no offence, whether some players have come, one, or none yet."""
    for end in (1, 2, 3):
        waiting = rechain([event | {"at": LATE_AT} if event["version"] > 1 else event for event in DEALT[:end]])
        for log in (late_log()[:end], waiting):
            assert audit(log, open_cards=True).ok, end
            assert audit(hidden(log)).ok, end


def test_a_seat_that_is_taken_twice() -> None:
    log = [*DEALT[:2], DEALT[1] | {"data": DEALT[1]["data"] | {"name": "Alma"}}, *DEALT[2:]]
    assert version_of(audit(renumbered(log), open_cards=True), "rules") == 3


# Types and lengths.

PLAYERS: list[tuple[str, list[Any]]] = [
    ("name", [5, "", "x" * 41, "a\nb", "\x85", [], {}, False, None]),
    ("entropy", [None, False, 0, {}, [], "x" * 201, "a\x00", "\x7f"]),
    ("bot", [5, False, {}, [], ""]),
]


@pytest.mark.parametrize("log", [DEALT, FORK, COPY], ids=["game", "fork", "copy"])
@pytest.mark.parametrize(("member", "values"), cases(__file__, "settings"))
def test_settings_of_another_type(log: list[EventRecord], member: str, values: str) -> None:
    """GameCreated is named, whatever else is wrong after it, and in a redacted log too."""
    for value in json.loads(values):
        if member != "game" or isinstance(value, str):  # the chain begins with the id
            assert version_of(changed(log, 1, **{member: value}), "rules") == 1, value
        seen = hidden(log)
        seen[0] = seen[0] | {"data": seen[0]["data"] | {member: value}}
        seen[1] = seen[1] | {"data": seen[1]["data"] | {"name": 5}}
        assert version_of(audit(seen), "rules") == 1, value


@pytest.mark.parametrize(
    ("log", "version"),
    [(DEALT, 2), (DEALT, 4), (FORK, 3), (COPY, 3), (late_log(), 4), (copy_of(late_log(), 1), 4)],
    ids=["first seat", "last seat", "fork", "copy", "late seat", "copy of a late seat"],
)
@pytest.mark.parametrize(("member", "values"), PLAYERS)
def test_players_of_another_type(log: list[EventRecord], version: int, member: str, values: list[Any]) -> None:
    """The PlayerJoined is named: what the API refuses as a name or an entropy is no honest log's."""
    for value in values:
        assert version_of(changed(log, version, **{member: value}), "rules") == version, value
    forged = json.loads(json.dumps(log))
    del forged[version - 1]["data"][member]
    assert version_of(audit(rechain(forged), open_cards=True), "rules") == version


@pytest.mark.parametrize("log", [DEALT, FORK, COPY], ids=["game", "fork", "copy"])
def test_a_seat_that_the_table_has_not(log: list[EventRecord]) -> None:
    seats = log[0]["data"]["seats"]
    assert version_of(changed(log, 1 + seats, seat=seats), "rules") == 1 + seats
    assert version_of(changed(log, 2, seat=-1), "rules") == 2


@pytest.mark.parametrize("member", ["name", "entropy"])
def test_half_a_surrogate_pair_in_a_redacted_log(member: str) -> None:
    """No request can hold it; an open log that does has no hash."""
    seen = hidden(DEALT)
    seen[2] = seen[2] | {"data": seen[2]["data"] | {member: "\ud800"}}
    assert version_of(audit(seen), "rules") == 3


def test_values_at_their_limits() -> None:
    """Names of 1 and 40 characters, an entropy of 200, a bot, and each form of a pace."""
    assert changed(DEALT, 2, name="\U0001f3b2" * 40).ok
    assert changed(DEALT, 2, name="a").ok
    assert changed(DEALT, 1, listed=True, name="x" * 60).ok
    for pace in (
        {"turn_seconds": 60, "on_timeout": "wait"},
        {"turn_seconds": 90 * 86400, "on_timeout": "bot", "reminder_seconds": 90 * 86400 - 1},
        {"turn_seconds": 61, "on_timeout": "bot", "reminder_seconds": 1},
    ):
        assert changed(DEALT, 1, pace=pace).ok, pace


def test_the_longest_entropy() -> None:
    """Of 200 characters: what is missing then is the deal, and not another PlayerJoined."""
    log = late_log()
    for length, version in ((200, 5), (201, 4)):
        assert version_of(changed(log[:4], 4, entropy="x" * length), "rules") == version


# Events of other types.


def with_events(kinds: list[str], at: int = STANDS[9]) -> list[EventRecord]:
    more = [LOG[at - 1] | {"type": kind, "data": {"seat": 0, "turn": 3}} for kind in kinds]
    return renumbered([*LOG[:at], *more, *LOG[at:]])


def rules_detail(log: list[EventRecord]) -> tuple[bool | None, str]:
    found = audit(log)
    assert found.ok
    check = next(check for check in found.checks if check.name == "rules")
    return check.ok, check.detail


def test_unknown_types_are_counted_and_named() -> None:
    """They pass, as readers skip what they don't know, and the check `rules` says how many and which there were."""
    assert rules_detail(LOG) == (True, "Every event is what the rules cause.")
    one = (True, "Every other event is what the rules cause. Passed over as unknown: 1 event (Foo 1).")
    assert rules_detail(with_events(["Foo"])) == one
    ok, detail = rules_detail(with_events(["Foo", "Bar", "Foo"]))
    assert (ok, detail.partition("unknown: ")[2]) == (True, "3 events (Foo 2, Bar 1).")
    fork = renumbered([*FORKS[1][: SET[1]], FORKS[1][SET[1] - 1] | {"type": "Foo"}, *FORKS[1][SET[1] :]])
    assert rules_detail(fork)[1].endswith("at hand. Passed over as unknown: 1 event (Foo 1).")


def test_a_log_of_many_types_has_a_short_detail() -> None:
    """Five types are named, each cut short and quoted where it is no plain word."""
    kinds = ["\x1b[2J", "x" * 5000, *(f"Type{number}" for number in range(400))]
    ok, detail = rules_detail(with_events(kinds))
    assert ok
    assert detail.endswith("Type0 1, Type1 1, Type2 1, and 397 more types).")
    assert "402 events" in detail
    assert "\x1b" not in detail
    assert len(detail) < 300


def test_a_pace_that_nobody_missed_is_judged() -> None:
    """Its log is whole, and a turn that timed out too early is found; no fork has one."""
    pace = {"turn_seconds": 60, "on_timeout": "wait"}
    assert changed(LOG, 1, pace=pace).checks[3].ok
    assert version_of(changed(FORK, 1, pace=pace), "rules") == 1
    assert version_of(changed(COPY, 1, pace=pace), "rules") == 1


def test_who_was_invited_is_said_with_the_creation() -> None:
    """At its end, once, of people alone, in order, where there is a pace: both engines name the event."""
    people = [SeatPlan(name=name, is_invited=True) for name in ("Anna", "Bert")]
    command = CreateGame(game="g", server_seed=bytes(32), seats=(SeatPlan(bot="greedy"), *people), pace=PACE)
    *log, said = log_of([decide(command, Game())])
    seats = [[], [2, 1], [1, 1, 2], [0, 1, 2], [1, 2, 9], [1, "2"], [True, 2], 5, None, "12", {"1": 2}]
    forged = [([*log, said | {"data": {"seats": wrong}}], len(log) + 1) for wrong in seats]
    forged += [([*log[:place], said, *log[place:]], place + 1) for place in range(1, len(log))]
    forged += [([*log, said, said], len(log) + 2)]
    without = log[0] | {"data": {name: value for name, value in log[0]["data"].items() if name != "pace"}}
    forged += [([without, *log[1:], said], len(log) + 1)]
    for events, version in forged:
        assert version_of(audit(renumbered(events), open_cards=True), "rules") == version
        with pytest.raises(AssertionError, match=f"version {version}"):
            OracleGame(renumbered(events), complete=False)


@pytest.mark.parametrize("number", range(12))
def test_what_happened_to_people_of_the_parent_is_history(number: int) -> None:
    """In an honest copy it is passed over, and the check says how much of it."""
    log = copy_of_nobodys(play(number, 2 + number % 4, PLAIN, asides=True, stops=True))
    ok, detail = rules_detail(renumbered(log))
    trusted = [event["type"] for event in log[: log[0]["data"]["from"]] if event["type"] in OF_PEOPLE]
    assert ok
    assert f"parent's players: {len(trusted)} event" in detail or not trusted
    assert OracleGame(renumbered(log)).winners is not None


def test_who_resigned_in_the_parent_may_have_resigned_in_its_parent_too() -> None:
    """Other people played there: a copy of a copy has the events about all of them."""
    resigned = {"type": "PlayerResigned", "data": {"seat": 0}}
    twice = [*LOG[: STANDS[9]], *(LOG[STANDS[9] - 1] | resigned for _ in range(2)), *LOG[STANDS[9] :]]
    log = renumbered(copy_of_nobodys(twice))
    assert rules_detail(log)[1].endswith("Taken on trust, of the parent's players: 2 events (PlayerResigned 2).")
    assert OracleGame(log).winners is not None


@pytest.mark.parametrize("kind", sorted(OF_PEOPLE))
def test_what_happens_to_people_behind_the_copy_is_judged(kind: str) -> None:
    """As in any game: a fork has no deadlines and no banks, and nobody plays there who could have agreed."""
    turn = next(event for event in COPY if event["type"] == "TurnStarted")
    data = {"turn": 1, "seat": 0} if kind == "TurnTimedOut" else {"seat": 0}
    log = renumbered([*COPY[: turn["version"]], *2 * [turn | {"type": kind, "data": data}]])
    found = audit(rechain([log[0] | {"data": log[0]["data"] | {"from": 1}}, *log[1:]]))
    assert outcomes(found)["rules"] is False


@pytest.mark.parametrize(("kind", "data"), INVENTED, ids=str)
def test_what_cannot_have_happened_to_people_of_the_parent_is_found(kind: str, data: dict[str, Any]) -> None:
    """Members, types, ranges, and that what it needs has happened before; the second engine refuses it, too."""
    log = renumbered(with_invented(LOG, STANDS[9], kind, data))
    assert version_of(audit(log), "rules") == STANDS[9] + 1
    running = renumbered(with_invented(LOG[: STANDS[20]], STANDS[9], kind, data))
    assert version_of(audit(hidden(running)), "rules") == STANDS[9] + 1
    with pytest.raises(AssertionError, match=f"^version {STANDS[9] + 1}: "):
        OracleGame(log)


# What else a log must say by itself.


@pytest.mark.parametrize("forged", [None, "other", ""])
def test_the_entropies_of_a_fork_shuffle_its_position(forged: str | None) -> None:
    """Of every seat: another one, or none, in the place of one that was given needs other hidden cards."""
    parent = parent_of(*PARENTS[3][:3])
    seats = tuple(SeatPlan(name=f"guest {seat}", entropy=f"share {seat}") for seat in range(4))
    plan = CreateGame(game="fork", server_seed=bytes(32), seats=seats)
    log = log_of([decide(fork_of_running(parent, 3, plan), Game())])
    assert OracleGame(log, complete=False).table.status == "playing"
    assert audit(log, open_cards=True).ok
    if forged is not None:
        for version in range(2, 6):
            assert version_of(changed(log, version, entropy=forged), "shuffle") == 6


@pytest.mark.parametrize(
    "receipt", [{}, {"version": 3}, {"version": True, "hash": "0" * 64}, {"version": 0, "hash": "0" * 64}]
)
def test_a_receipt_that_is_none_names_no_version(receipt: dict[str, Any]) -> None:
    """The fault is the receipt's own, before the first event of the log."""
    assert receipt_fault(DEALT, receipt) == (0, "a receipt with version and hash")
    assert receipt_fault(DEALT, {"version": FIRST, "hash": DEALT[-1]["hash"]}) is None


@pytest.mark.parametrize("later", ["2026-01-01T00:00:00.000Z", "2026-13-01T00:00:00.000Z", "2027-01-01T00:00:00Z", 7])
def test_times_that_are_none_or_go_back(later: Any) -> None:
    """From any request on: the chain names its first event."""
    version = STANDS[3] + 1
    log = LOG[: STANDS[5]]
    forged: list[EventRecord] = [event | {"at": later} if event["version"] >= version else event for event in log]
    for one in (rechain(forged), hidden(forged)):
        assert version_of(audit(one, open_cards=True), "chain") == version


def test_an_event_that_begins_no_request_is_named_as_such() -> None:
    doubled = renumbered([*DEALT, DEALT[-1], DEALT[-1] | {"type": "GameEnded", "data": {"totals": [], "winners": []}}])
    offence = judge(evidence_of(doubled), read_opening(doubled)).offence
    assert offence == (FIRST + 1, "an action of seat 0; TurnStarted never begins an append")


def test_a_log_without_events() -> None:
    """Its first event is what is missing, for the chain and for the rules."""
    assert audit([]).version == 0
    for log in ([], [{}], [DEALT[1]]):
        found = audit(log)
        assert not found.over
        assert {check.name: check.version for check in found.checks if check.ok is False} == {"chain": 1, "rules": 1}
        assert found.checks[3].detail == "rules: version 1"


def test_of_a_million_seats_none_is_made() -> None:
    """Not for the totals either, which are computed whether or not the play follows the rules."""
    for log in (DEALT, hidden(DEALT)):
        forged = [log[0] | {"data": log[0]["data"] | {"seats": 10**6}}, *log[1:]]
        assert version_of(audit(forged), "rules") == 1
        assert add_up(evidence_of(forged)).game.seats == []


def with_unknown_types(log: list[EventRecord], count: int) -> list[EventRecord]:
    """The log with so many events of an unknown type after each of its events."""
    return renumbered([event | {"type": kind} for event in log for kind in (event["type"], *["Foo"] * count)])


@pytest.mark.parametrize("count", [1, 2])
@pytest.mark.parametrize(
    "log",
    [LOG[: STANDS[9]], FORK, FORKS[1][: SET[1]], COPY, copy_of(late_log(), 5), WITH_BOT],
    ids=["game", "fork", "another fork", "copy", "copy of a late seat", "bots"],
)
def test_unknown_types_anywhere(log: list[EventRecord], count: int) -> None:
    """Also between the events of one append, the creation among them: readers skip them wherever they are."""
    mixed = with_unknown_types(log, count)
    assert OracleGame(mixed, complete=False).table.version == len(mixed)
    for one in (mixed, hidden(mixed)):
        found = audit(one, open_cards=one is mixed)
        assert found.ok, found.first_offence
        assert found.passed_over.unknown == {"Foo": count * len(log)}


def test_an_offence_among_unknown_types_has_its_own_version() -> None:
    """A player or a position of a fork is named by its place in the log."""
    mixed = with_unknown_types(FORK, 1)
    kinds = [event["type"] for event in mixed]
    assert version_of(changed(mixed, 3, name=""), "rules") == 3
    at = 1 + kinds.index("PositionSet")
    assert version_of(changed(mixed, at, totals=[]), "rules") == at


def test_what_is_served_of_a_game_against_the_rules() -> None:
    """A free card breaks the rules, but the game can be folded: the view must still be the one that the log gives."""
    log = LOG[: STANDS[3]]
    taken = next(event["version"] for event in log if event["type"] == "CardTaken")
    forged: list[EventRecord] = json.loads(json.dumps(log))
    forged[taken - 1]["data"]["cost"] = 0
    forged = rechain(forged)
    game = fold(evidence_of(forged), len(forged))
    for head, ok in ((forged[-1]["hash"], True), (forged[-2]["hash"], False)):
        found = audit(forged, open_cards=True, served=Served({None: view_of(game, None, head)}, scores_of(game)))
        assert version_of(found, "rules") == taken
        assert outcomes(found)["projection"] is ok
    nought = view_of(game, None, forged[-1]["hash"]) | {"listed": 0}
    found = audit(forged, open_cards=True, served=Served({None: nought}, scores_of(game)))
    assert version_of(found, "projection") == len(forged)
    found = audit(forged, open_cards=True, served=Served({}, {}))
    assert version_of(found, "projection") == len(forged)


# Values that have a canonical form, and those that don't.


def rehashed(log: list[EventRecord]) -> list[EventRecord]:
    """With hashes over the JSON that this project writes, whether or not it is JCS."""
    created = log[0]["data"]
    key = chain_key(bytes.fromhex(created["server_seed"]))
    previous, result = first_hash(key, created["game"]), []
    for event in log:
        content = {name: event[name] for name in ("version", "type", "at", "data")}
        previous = next_hash(key, previous, json.loads(canonical_json(content)))
        result.append(event | {"hash": previous.hex()})
    return result


@pytest.mark.parametrize(
    "value", [1.5, 1.0, -0.0, 1e400, 2**53, -(2**53), {"\U0001f3b2": 1, "\ufb01": 2}, [[{"a": [0.1]}]]], ids=repr
)
def test_values_without_a_jcs_are_refused(value: Any) -> None:
    """In an event of an unknown type, where nothing else looks at them: the chain's hashes would not be JCS's."""
    log = rehashed([*DEALT, DEALT[-1] | {"version": FIRST + 1, "type": "Foo", "data": {"value": value}}])
    assert version_of(audit(log), "chain") == FIRST + 1
    assert version_of(audit(hidden(log)), "chain") == FIRST + 1


def test_values_with_a_jcs_pass() -> None:
    """Other names and whole numbers, sorted and written as by an independent JCS."""
    data = {"\ufb01": 2, "ö": [1, -1, 2**53 - 1, 1 - 2**53], "a": {"\u20ac": True, "B": None}, "": "\U0001f3b2"}
    log = rechain([*DEALT, DEALT[-1] | {"version": FIRST + 1, "type": "Foo", "data": data}])
    assert audit(log, open_cards=True).ok
    assert OracleGame(log, complete=False).table.version == FIRST + 1
