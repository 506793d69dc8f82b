"""Tests of the oracle: worked examples, scoring tables, the corners of the rulings, whole games and forged ones."""

from __future__ import annotations

import copy
import json
import random
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import rfc8785

from tests.oracle import oracle
from tests.oracle.oracle import BUSINESSES, Action, Event, OracleGame, Row, Seat, Table
from tests.oracle.play import play, rechain
from tests.support.samples import Sample, sampled

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VECTORS: dict[str, Any] = json.loads((Path(__file__).parent / "vectors.json").read_text(encoding="utf-8"))
VARIANTS = [{"expensive_specials": dear, "staggered_start": late} for dear in (False, True) for late in (False, True)]
DEAR = {"expensive_specials": True, "staggered_start": True}


# Worked examples.


@pytest.mark.parametrize("example", VECTORS["shuffle"], ids=lambda example: f"{len(example['entropies'])}-seats")
def test_shuffle_agrees_with_the_worked_examples(example: dict[str, Any]) -> None:
    """Commitment, key, random stream and deal are those published."""
    seed, entropies = example["server_seed"], example["entropies"]
    key = oracle.shuffle_key(seed, entropies)
    stream = oracle.integers(key)
    assert oracle.commitment(seed) == example["commitment"]
    assert key.hex() == example["shuffle_key"]
    assert [next(stream) for _ in example["first_integers"]] == example["first_integers"]
    assert oracle.deal(seed, entropies) == {name: example[name] for name in ("hands", "display", "draw_pile")}


@pytest.mark.parametrize("example", VECTORS["chain"], ids=lambda example: str(example["game"]))
def test_chain_agrees_with_the_worked_examples(example: dict[str, Any]) -> None:
    """Every hash is the published one; the oracle stops only where the example ends inside an append."""
    events = example["events"]
    assert list(oracle.chain(example["server_seed"], example["game"], events)) == [event["hash"] for event in events]
    third = {name: item for name, item in events[2].items() if name != "hash"}
    assert rfc8785.dumps(third).decode() == example["jcs_of_version_3"]
    assert OracleGame(events, complete=False).table.version == len(events)


# Scoring.


def sheet(table: str, number: int = 2) -> list[dict[str, Any]]:
    """Score lines such as `oil 4 3x -`: the row lengths by seat, `x` for a risk card, `-` for no row."""
    lines = [line.split() for line in table.strip().splitlines()]
    seats = range(len(lines[0]) - 1)
    rows = [
        {line[0]: (int(line[seat + 1].strip("x")), "x" in line[seat + 1]) for line in lines if line[seat + 1] != "-"}
        for seat in seats
    ]
    return oracle.score_round(number, rows, [0 for _ in seats], [0 for _ in seats])


def test_published_example_scores_11_12_13() -> None:
    """The example of the German rules, with lengths that give its cases."""
    scored = sheet("""
        oil       4  2  2
        property  3  1  3
        gambling  1  -  -
        antiques  2x -  3
        luxury    -  2x -
        art       -  5  -
        jewellery -  -  1
        gold      -  -  2
    """)
    assert [line["income"] for line in scored] == [11, 12, 13]
    assert scored[0]["businesses"]["antiques"] == {"income": 2, "reason": "second", "length": 2, "doubled": True}
    assert scored[1]["businesses"]["property"]["reason"] == "none"


@pytest.mark.parametrize(
    ("lengths", "incomes", "reasons"),
    [
        ("1", "4", "monopoly"),
        ("9x -", "8", "monopoly"),
        ("2 1", "3 1", "longest second"),
        ("2x 1x", "6 2", "longest second"),
        ("2 2", "2 2", "shared_longest shared_longest"),
        ("2x 2 1x", "4 2 0", "shared_longest shared_longest none"),
        ("3 3 3 1", "1 1 1 0", "shared_longest shared_longest shared_longest none"),
        ("3 3 3x 3", "1 1 2 1", "shared_longest shared_longest shared_longest shared_longest"),
        ("3 3 3x 3 3", "0 0 0 0 0", "shared_longest " * 5),
        ("3 2x 2 1", "3 0 0 0", "longest shared_second shared_second none"),
        ("4 3 2x 1", "3 1 0 0", "longest second none none"),
    ],
)
def test_ties(lengths: str, incomes: str, reasons: str) -> None:
    """Income and reason of each row of one business, with any tie."""
    lines = [own["businesses"]["oil"] for own in sheet(f"oil {lengths}") if own["businesses"]]
    assert [line["income"] for line in lines] == [int(income) for income in incomes.split()]
    assert [line["reason"] for line in lines] == reasons.split()


@pytest.mark.parametrize(("number", "incomes"), [(1, [0, 0]), (2, [0, 0]), (3, [-7, 0])])
def test_losses_only_in_round_3(number: int, incomes: list[int]) -> None:
    """Two for an empty businessmaker, one for a card in hand, and no floor at zero."""
    scored = oracle.score_round(number, [{}, {}], [2, 0], [3, 0])
    assert [line["income"] for line in scored] == incomes


# Corners of the rulings, on tables laid by hand.


def lay(pile: str, *, revealed: int = 0, rounds: int = 0, points: int = 3, variants: dict[str, bool]) -> Table:
    """Return a table of two in seat 0's first turn, no cards in hand, with the given draw pile."""
    created = {"variants": variants, "seats": 2, "starting_seat": 0}
    scored = [{"round": number + 1} for number in range(rounds)]
    return Table(
        created=created, seats=[Seat(0, "A"), Seat(0, "B")], status="playing", display=["gold", "oil", "art"],
        pile=pile.split(), revealed=revealed, rounds=scored, turn=1, points=points,
    )  # fmt: skip


def run(table: Table, kind: str, **data: object) -> str:
    """Apply one action of seat 0 and all that is due after it; return the types of the latter."""
    due: oracle.Due | None = (kind, {"seat": 0, **data})
    kinds = []
    while due is not None:
        table.apply({"version": table.version + 1, "type": due[0], "at": "", "data": due[1], "hash": ""})
        kinds.append(due[0])
        due = table.due()
    return " ".join(kinds[1:])


TAKEN: dict[str, Any] = {"slot": 1, "card": "oil", "cost": 1}
PLAIN = VARIANTS[0]
REVEALED, SCORED = "ReibachRevealed ", "ReibachRevealed ScoringStarted RoundScored "


def test_refill_continues_after_its_scoring_round() -> None:
    """Ruling 1: the slot waits for the round, then is fill_hidden, and the turn continues."""
    table = lay("reibach gold", revealed=3, variants=PLAIN)
    assert run(table, "CardTaken", **TAKEN) == SCORED + "DisplayRefilled"
    assert (table.display, table.points) == (["gold", "gold", "art"], 2)


def test_one_refill_may_cause_two_rounds() -> None:
    """Ruling 1: the 4th and the 7th in one refill."""
    table = lay("reibach " * 4 + "risk", revealed=3, variants=PLAIN)
    assert run(table, "CardTaken", **TAKEN) == SCORED + REVEALED * 2 + SCORED + "DisplayRefilled"


def test_one_refill_may_cause_a_round_and_the_end() -> None:
    """Ruling 2: the slot of the 10th stays empty, and the card taken costs its one."""
    table = lay("reibach " * 4 + "gold", revealed=6, rounds=1, variants=PLAIN)
    assert run(table, "CardTaken", **TAKEN) == SCORED + REVEALED * 2 + SCORED + "GameEnded"
    assert (table.display, table.seats[0].total, table.winners) == (["gold", None, "art"], -1, [1])


def test_tenth_in_a_draw_gives_no_card() -> None:
    """Ruling 2: nothing is drawn, nothing is lost, and a tie is won by both."""
    table = lay("reibach gold", revealed=9, rounds=2, variants=PLAIN)
    assert run(table, "PileDrawn") == SCORED + "GameEnded"
    assert (table.seats[0].hand, table.winners, table.points) == ([], [0, 1], 1)


def test_draw_with_the_last_points_is_completed() -> None:
    """Ruling 1: the card comes after the round, and then the turn ends."""
    table = lay("reibach gold", revealed=3, points=2, variants=PLAIN)
    assert run(table, "PileDrawn") == SCORED + "CardDrawn TurnStarted"
    assert (table.seats[0].hand, table.actor, table.turn) == (["gold"], 1, 2)


@pytest.mark.parametrize(
    ("hand", "rows", "variants", "points", "stuck"),
    [
        ("", 0, DEAR, 1, True),
        ("", 0, PLAIN, 1, False),
        ("", 0, DEAR, 2, False),
        ("risk", 9, DEAR, 1, False),
        ("risk multitalent", 10, DEAR, 1, True),
        ("risk gold", 10, DEAR, 1, False),
    ],
)
def test_stuck(hand: str, rows: int, variants: dict[str, bool], points: int, *, stuck: bool) -> None:
    """Ruling 5 and no further: one point, three specials, and nothing that can be laid or appended."""
    table = lay("gold", points=points, variants=variants)
    table.display = ["risk", "multitalent", "risk"]
    table.seats[0].hand = hand.split()
    table.seats[0].rows = [Row("gold") for _ in range(rows)]
    due = table.due()
    assert (due == ("ActionPointsForfeited", {"seat": 0, "points": 1})) is stuck
    assert stuck or table.possible()


def test_stuck_after_an_interrupted_refill() -> None:
    """The round comes first, the refill next; only then is the rest of the turn stuck."""
    table = lay("reibach risk", revealed=3, points=2, variants=DEAR)
    table.display = ["risk", "oil", "risk"]
    table.seats[0].rows = [Row("gold") for _ in range(10)]
    for row, business in zip(table.seats[0].rows, BUSINESSES, strict=True):
        row.cards = [business, "risk"]
    assert run(table, "CardTaken", **TAKEN) == SCORED + "DisplayRefilled ActionPointsForfeited TurnStarted"


REFUSALS = """
take 0               | not-enough-action-points
draw                 | not-enough-action-points
lay risk             | too-many-businessmakers
lay art              | too-many-businessmakers card-not-in-hand
lay reibach          | invalid-request
append gold 10       | invalid-request
append gold 0        |
append oil 0         | wrong-business
append multitalent 0 |
append oil 1         | row-closed
append gold 1        | row-closed wrong-business
append gold 2        | business-already-has-row
append risk 2        | row-needs-business-first
append art 2         | card-not-in-hand
append risk 0        |
append gold -1       | invalid-request
take 3               | invalid-request
lay swords           | invalid-request
"""


@pytest.mark.parametrize("line", REFUSALS.strip().splitlines())
def test_refusals(line: str) -> None:
    """Ten rows laid, one on gold, one closed on oil; one point left; a risk card is dear."""
    words, _, codes = line.partition("|")
    kind, *rest = words.split()
    action: Action = {"type": "lay_businessmaker" if kind == "lay" else kind}
    action |= {"slot": int(rest[0])} if kind == "take" else dict(zip(("card", "row"), rest, strict=False))
    action |= {"row": int(action["row"])} if "row" in action else {}
    table = lay("gold", points=1, variants=DEAR)
    table.display = ["risk", "gold", "risk"]
    table.seats[0].hand = ["gold", "oil", "multitalent", "risk"]
    table.seats[0].rows = [Row("gold") for _ in range(10)]
    table.seats[0].rows[0].cards = ["gold"]
    table.seats[0].rows[1].cards = ["oil", "risk"]
    assert table.refusal(0, action) == set(codes.split())
    invalid = codes.split() == ["invalid-request"]
    assert invalid or "not-your-turn" in table.refusal(1, action)
    assert (action in table.legal_actions(0)) is (not codes.strip())
    for status, code in oracle.STATE_REFUSALS.items():
        table.status = status
        assert invalid or code in table.refusal(1, action)


# Whole games.


@pytest.mark.parametrize("nightly", [False, pytest.param(True, marks=pytest.mark.nightly)], ids=["part", "rest"])
@pytest.mark.parametrize("variants", VARIANTS, ids=lambda flags: "-".join(name for name in flags if flags[name]))
@pytest.mark.parametrize("seats", [2, 3, 4, 5])
def test_random_games_pass(seats: int, variants: dict[str, bool], nightly: bool) -> None:
    """Thirteen games for each table size and variant, from timid to eager: 208 in all, five of each in every run."""
    for seed in range(13):
        if (seed % 3 == 0) is nightly:
            continue
        events = play(seed, seats, variants, eager=seed / 12)
        game = OracleGame(json.loads(json.dumps(events)))
        assert game.winners == events[-2]["data"]["winners"]


def leaves(item: object) -> Iterator[tuple[Any, Any]]:
    """Yield (container, key) of every value inside a JSON value that is neither list nor object."""
    pairs = item.items() if isinstance(item, dict) else enumerate(item) if isinstance(item, list) else ()
    for key, inner in pairs:
        if isinstance(inner, dict | list):
            yield from leaves(inner)
        else:
            yield item, key


def other(value: object) -> object:
    """Return a value of the same type that isn't this one; a card becomes another card."""
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if isinstance(value, str) and value in (*oracle.HAND_CARDS, "reibach"):
        return "gold" if value != "gold" else "oil"
    return "0" * 64 if value is None else f"{value}x"


# Names and settings bind nothing later; a card may as well open one empty row as another.
FREE = {
    "GameCreated": {"game", "listed", "on_timeout", "turn_seconds"},
    "PlayerJoined": {"name"},
    "CardAppended": {"row"},
}


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.nightly) for part in (1, 2))])
def test_forged_values_are_refused(part: int) -> None:
    """Any single value changed, the chain recomputed: refused, but for what nothing else depends on.

    Every run does so to each third event, a nightly one to all.
    """
    events = play(5, 3, DEAR)
    tried = 0
    for index, event in enumerate(events):
        if index % 3 != part:
            continue
        if event["type"] not in oracle.KEYS or event["type"] == "MessagePosted":
            continue
        for number, (_, key) in enumerate(leaves(event["data"])):
            if key in FREE.get(event["type"], ()) or (event["type"] in oracle.ASIDES and key == "seat"):
                continue
            forged = copy.deepcopy(event)
            container, name = list(leaves(forged["data"]))[number]
            container[name] = other(container[name])
            with pytest.raises(AssertionError):
                oracle.replay([*events[:index], forged, *events[index + 1 :]])
            tried += 1
    assert tried > len(events) // 3


def renumbered(events: list[Event]) -> list[Event]:
    """Forge versions and hashes, so that only the rules reveal the change."""
    return rechain({**event, "version": number} for number, event in enumerate(events, start=1))


@pytest.mark.parametrize("places", [slice(10), pytest.param(slice(10, 40), marks=pytest.mark.nightly)], ids=str)
@pytest.mark.parametrize("seed", range(4))
def test_swapped_dropped_and_doubled_events_are_refused(seed: int, places: slice) -> None:
    """Forty places a game, ten of them in every run: neighbours swapped, one event left out, one given twice."""
    events = play(seed, 2 + seed, VARIANTS[seed], asides=False)[:-1]
    for index in random.Random(seed).sample(range(1, len(events) - 1), 40)[places]:
        first, second = events[index : index + 2]
        forgeries = [[*events[: index + 1], *events[index:]], [*events[:index], *events[index + 1 :]]]
        if not interchangeable(first, second):
            forgeries.append([*events[:index], second, first, *events[index + 2 :]])
        for forged in forgeries:
            with pytest.raises(AssertionError, match=r"^version \d+: "):
                OracleGame(renumbered(forged))


def interchangeable(first: Event, second: Event) -> bool:
    """Whether neighbours may change places by the rules: joins, and actions that cause nothing."""
    kinds = {first["type"], second["type"]}
    return kinds == {"PlayerJoined"} or kinds <= {"BusinessmakerLaid", "CardAppended"}


@pytest.mark.parametrize(
    ("kind", "change", "complaint"),
    [
        ("RoundScored", lambda data: data["seats"][0].update(income=99), "RoundScored must be"),
        ("RoundScored", lambda data: data.update(totals=[0, 0, 0]), "RoundScored must be"),
        ("GameEnded", lambda data: data.update(winners=[0, 1, 2]), "GameEnded must be"),
        ("GameStarted", lambda data: data["draw_pile"].reverse(), "GameStarted must be"),
        ("CardTaken", lambda data: data.update(card="reibach"), "another card or cost"),
        ("CardTaken", lambda data: data.update(slot=True), "is no action"),
        ("CardAppended", lambda data: data.update(note="hi"), "other fields"),
        ("CardDrawn", lambda data: data.update(card=None), "CardDrawn must be"),
        ("GameCreated", lambda data: data.update(server_seed="0" * 64), "commitment"),
        ("TurnStarted", lambda data: data.update(turn=1.0), "TurnStarted must be"),
    ],
)
def test_offences_name_the_version(kind: str, change: Callable[[dict[str, Any]], None], complaint: str) -> None:
    """The error's text begins with the first offending version and names the offence."""
    events = copy.deepcopy(play(7, 3, DEAR))
    victim = next(event for event in events if event["type"] == kind)
    change(victim["data"])
    with pytest.raises(AssertionError, match=rf"^version {victim['version']}: .*{complaint}"):
        OracleGame(rechain(events))


def test_envelope_is_checked() -> None:
    """Hashes, times and the end of the log are looked at as well as the play."""
    events = play(9, 2, PLAIN, asides=False)
    broken = copy.deepcopy(events)
    broken[1]["data"]["name"] = "somebody else"
    with pytest.raises(AssertionError, match=r"^version 2: the hash chain is broken"):
        OracleGame(broken)
    late = next(index for index, event in enumerate(events) if event["type"] == "DisplayRefilled")
    split = [
        event | {"at": "2027-01-01T00:00:00.000Z"} if index >= late else event for index, event in enumerate(events)
    ]
    with pytest.raises(AssertionError, match=f"^version {late + 1}: DisplayRefilled belongs to the append before it"):
        OracleGame(rechain(split))
    early = [*events[:20], events[20] | {"at": "2026-01-01T00:00:00.000Z"}, *events[21:]]
    with pytest.raises(AssertionError, match=r"^version 21: time runs backwards"):
        OracleGame(rechain(early))
    with pytest.raises(AssertionError, match="the log ends before the game"):
        OracleGame(events[:-2])
    with pytest.raises(AssertionError, match="has no place here"):
        OracleGame(renumbered([*events, events[-3] | {"at": events[-1]["at"]}]))


# Answers of the service.


def universe(rows: int) -> list[Action]:
    """Every well-formed action, and one row too many."""
    actions: list[Action] = [{"type": "take", "slot": slot} for slot in range(3)]
    actions.append({"type": "draw"})
    actions += [{"type": "lay_businessmaker", "card": card} for card in oracle.HAND_CARDS]
    actions += [{"type": "append", "card": card, "row": row} for card in oracle.HAND_CARDS for row in range(rows + 1)]
    return actions


@sampled(3)
def test_legal_actions_are_those_not_refused(sample: Sample) -> None:
    """Listing and refusing are two readings of one rule, at every third version (nightly: at all), for every seat."""
    events = play(3, 3, DEAR)
    for version in sample.of(range(1, len(events))):
        table = oracle.replay(events, version)
        if table.status == "playing" and table.due() is not None:
            continue
        for seat in range(3):
            accepted = [action for action in universe(10) if not table.refusal(seat, action)]
            assert oracle.as_set(table.legal_actions(seat)) == oracle.as_set(accepted)


@sampled(12, last=1)
def test_hidden_things_follow_the_head(sample: Sample) -> None:
    """At each version each viewer sees its own hand and drawn cards, fresh businessmakers, and all once it is over.

    In every run at each twelfth and the last, nightly at all.
    """
    events = play(11, 3, PLAIN)
    last = len(events)
    for head in sample.of(range(1, last + 1)):
        over = oracle.replay(events, head).status == "over"
        for viewer in (None, 0, 2):
            for event in oracle.events_as_seen(events, viewer, head):
                data = event["data"]
                mine = over or (viewer is not None and data.get("seat") == viewer)
                assert event["type"] != "CardDrawn" or (data["card"] is not None) is mine
                assert event["type"] != "GameCreated" or (data["server_seed"] is not None) is over
                assert event["type"] != "GameStarted" or (data["draw_pile"] is not None) is over
    assert oracle.events_as_seen(events, None, last) == events


def test_businessmaker_is_seen_until_its_owners_next_turn() -> None:
    """Ruling 7, in feed and view, for its owner too; `at` an old version the present head decides."""
    events = play(12, 3, PLAIN)
    laid = next(event for event in events if event["type"] == "BusinessmakerLaid")
    seat, row, version = laid["data"]["seat"], laid["data"]["row"], laid["version"]
    hidden = next(
        event["version"]
        for event in events[version:]
        if event["type"] == "TurnStarted" and event["data"]["seat"] == seat
    )
    shown = {version: True, hidden - 1: True, hidden: False, len(events) - 3: False, len(events): True}
    for viewer in (None, 0, 1, 2):
        for head, visible in shown.items():
            card = laid["data"]["card"] if visible else None
            view = oracle.view_at(events, version, viewer, head)
            assert view["seats"][seat]["rows"][row]["businessmaker"] == card
            assert oracle.events_as_seen(events, viewer, head)[version - 1]["data"]["card"] == card


def test_views_give_the_state_of_play() -> None:
    """Status, points, counts and totals at the versions around a round of scoring and at the end."""
    events = play(13, 4, DEAR)
    bonus = [seat["total"] for seat in oracle.view_at(events, 1, None, len(events))["seats"]]
    assert sorted(bonus) == [0, 1, 2, 3]
    first = oracle.view_at(events, 1, None, 1)
    assert (first["status"], first["display"], first["draw_pile"], first["turn"]) == ("open", [None] * 3, None, None)
    scored = next(event for event in events if event["type"] == "RoundScored")
    before = oracle.view_at(events, scored["version"] - 1, 0, scored["version"] - 1)
    after = oracle.view_at(events, scored["version"], 0, scored["version"])
    assert (before["status"], after["status"]) == ("scoring", "playing")
    assert before["reibach"] == {"revealed": 4, "next_scoring_at": 4, "rounds_scored": 0}
    assert after["reibach"] == {"revealed": 4, "next_scoring_at": 7, "rounds_scored": 1}
    assert [seat["total"] for seat in before["seats"]] == bonus
    assert [seat["total"] for seat in after["seats"]] == scored["data"]["totals"]
    table = oracle.Table()
    for version, event in enumerate(events, 1):
        table.apply(event)
        view = oracle.view_of_table(table, table, version % 4)
        assert view["version"] == version
        assert len(view["you"]["hand"]) == view["seats"][version % 4]["hand_size"]
        assert (view["turn"] is None) is (view["status"] in {"open", "over"} or table.turn == 0)
        assert view["draw_pile"] is None or view["draw_pile"] <= 107 - 4 * 4
    end = oracle.view_at(events, len(events), 0, len(events))
    assert (end["status"], end["turn"], end["reibach"]["next_scoring_at"]) == ("over", None, None)
    assert end["winners"] == oracle.scores_at(events)["winners"]
    assert oracle.scores_at(events)["bonus"] == bonus
    assert end["fairness"]["server_seed"] is not None


def test_assert_covers_needs_every_field_and_no_further_items() -> None:
    """Answers may add fields, and nothing else."""
    oracle.assert_covers({"a": [{"b": 1, "more": 2}], "c": None}, {"a": [{"b": 1}], "c": None})
    answers: tuple[dict[str, Any], ...] = ({"a": []}, {"a": [{"b": 1}, 2]}, {"a": [{"b": True}]}, {})
    for answer in answers:
        with pytest.raises(AssertionError):
            oracle.assert_covers(answer, {"a": [{"b": 1}]})
