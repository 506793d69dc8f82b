"""Whole games over HTTP, with real workers, checked by the oracle at every step."""

import json
from collections.abc import Sequence
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from tests.api.shadow import Judge, Shadow, agree, joined
from tests.oracle.oracle import OracleGame
from tests.oracle.play import choose
from tests.oracle.terms import HAND_CARDS, Action
from tests.support.client import Api

BOTH = {"expensive_specials": True, "staggered_start": True}
GAMES = [
    pytest.param(2, {}, 0.3, marks=pytest.mark.nightly),
    pytest.param(2, BOTH, 0.6, marks=pytest.mark.nightly),
    pytest.param(3, {"expensive_specials": True}, 0.2, marks=pytest.mark.nightly),
    pytest.param(3, {"staggered_start": True}, 0.8, marks=pytest.mark.nightly),
    pytest.param(4, {}, 0.5, marks=pytest.mark.nightly),
    (5, BOTH, 0.3),
]


class Match:
    """One game that random players play over HTTP; every answer is checked."""

    def __init__(self, api: Api, chance: Random, body: dict[str, Any]) -> None:
        self.api, self.chance = api, chance
        seed = sha256(repr(chance.random()).encode()).hexdigest()
        seats = body["seats"]
        self.place = api.create(seats, seed, **{name: value for name, value in body.items() if name != "seats"})
        self.shadow = Shadow(self.place.id, seed, body)
        self.judge = Judge(api, self.place, self.shadow)
        answer = self.place.answer
        self.shadow.follow(api.events(self.place)[: answer["game"]["version"]], None)
        agree(answer["game"], self.shadow.view(None))
        self.judge.check_receipt(answer["receipt"], self.shadow.version)
        named = [(seat, plan["name"]) for seat, plan in enumerate(seats) if "name" in plan]
        assert [(one["seat"], one["name"]) for one in answer["seats"]] == named

    def join(self, name: str, entropy: str) -> None:
        taken = set(self.shadow.table.joined)
        seat = min(seat for seat in range(len(self.shadow.table.seats)) if seat not in taken)
        answer = self.api.post(f"{self.place.path}/seats", json={"name": name, "entropy": entropy})
        assert (answer.status_code, answer.headers["Cache-Control"]) == (201, "no-store")
        content = answer.json()
        assert content.keys() >= {"seat", "token", "game", "receipt"}
        assert content["seat"] == seat
        self.place.tokens[seat] = content["token"]
        self.shadow.wishes.append(joined(seat, {"name": name, "entropy": entropy}))
        self.shadow.follow(self.api.events(self.place, after=self.shadow.version), None)
        agree(content["game"], self.shadow.view(seat))
        self.judge.check_receipt(content["receipt"], self.shadow.version)

    def act(self, actions: Sequence[Action], headers: dict[str, str] | None = None) -> None:
        seat = self.shadow.table.actor
        answer = self.api.act(self.place, seat, *actions, headers=headers)
        assert answer.status_code == 201, answer.text
        content = answer.json()
        assert content.keys() == {"applied", "version", "events", "game", "receipt", "problem"}
        applied = self.shadow.follow(content["events"], seat, actions)
        assert (content["applied"], content["version"]) == (applied, self.shadow.version)
        agree(content["game"], self.shadow.view(seat))
        self.judge.check_receipt(content["receipt"], self.shadow.version)
        if applied == len(actions):
            assert content["problem"] is None
        else:
            self._check_problem(content["problem"], self.shadow.table.refusal(seat, actions[applied]))

    def be_refused(self, seat: int, action: Any) -> None:
        """Send the action if the oracle refuses it; nothing changes."""
        codes = self.shadow.table.refusal(seat, action)
        if codes:
            answer = self.api.act(self.place, seat, action)
            assert answer.headers["Content-Type"] == "application/problem+json"
            problem = answer.json()
            assert problem["status"] == answer.status_code
            self._check_problem(problem, codes)

    def _check_problem(self, problem: dict[str, Any], codes: set[str]) -> None:
        code = problem["type"].removeprefix("/problems/")
        assert code in codes, f"refused with {code}, not one of {codes}"
        assert problem["status"] == (422 if code == "invalid-request" else 409)
        # A worker may have appended between the refusal and the answer.
        assert problem["version"] >= self.shadow.version
        assert problem["title"]
        assert problem["detail"]

    def await_others(self) -> None:
        """Follow workers and bots until a person can act, or the game is over."""
        table = self.shadow.table
        while table.status == "scoring" or (table.status == "playing" and table.seats[table.actor].bot):
            tag = {"If-None-Match": f'"{self.shadow.version}"'}
            answer = self.api.get(self.place.path, params={"wait": 20}, headers=tag)
            assert answer.status_code == 200, "no worker continues the game"
            self.shadow.follow(self.api.events(self.place, after=self.shadow.version, limit=1000), None)

    def look_around(self) -> None:
        """Check everything there is, at the head and at some earlier version."""
        judge, chance = self.judge, self.chance
        judge.check_head()
        then = chance.randint(1, self.shadow.version)
        viewer = chance.choice(judge.viewers)
        judge.check_then(then, viewer)
        judge.check_receipt(judge.get("/receipt", None, params={"at": then}).json(), then)
        judge.check_lines(chance.choice(judge.viewers), chance.choice([0, then]))
        judge.check_page(viewer, chance.choice([0, then]), chance.choice([1, 7, 200]))

    def play(self, eager: float) -> None:
        chance, table = self.chance, self.shadow.table
        self.await_others()
        while table.status != "over":
            if chance.random() < 0.06:
                self.look_around()
            if chance.random() < 0.3:
                self.be_refused(chance.choice(list(self.place.tokens)), any_action(chance))
            first = choose(chance, table.legal_actions(table.actor), eager)
            rest = [well_formed(chance) for _ in range(chance.choice([0, 0, 0, 1, 2]))]
            self.act([first, *rest])
            if table.status == "scoring":
                self._during_scoring(table.actor)
            self.await_others()
        self.check_the_end()

    def _during_scoring(self, seat: int) -> None:
        # A worker may be quick: it is still scoring, or its round is in the log already.
        answer = self.api.act(self.place, seat, {"type": "take", "slot": 7})
        assert answer.status_code == 422

    def check_the_end(self) -> None:
        """The export is complete, the same for every viewer, and agrees with all other resources."""
        judge, shadow = self.judge, self.shadow
        exports = {judge.check_lines(viewer, 0) for viewer in judge.viewers}
        assert len(exports) == 1
        events = [json.loads(line) for line in exports.pop().splitlines()]
        assert OracleGame(events).winners == shadow.table.winners
        assert events == shadow.events
        judge.check_head()
        for seat in self.place.tokens:
            self.be_refused(seat, well_formed(self.chance))
        for viewer in judge.viewers:
            judge.check_page(viewer, 0, 1000)


def well_formed(chance: Random) -> Action:
    card, number = chance.choice(HAND_CARDS), chance.randrange(3)
    return chance.choice(
        [
            {"type": "take", "slot": number},
            {"type": "draw"},
            {"type": "lay_businessmaker", "card": card},
            {"type": "append", "card": card, "row": number},
        ]
    )


def any_action(chance: Random) -> Any:
    action: dict[str, Any] = well_formed(chance)
    spoils: list[dict[str, Any]] = [{}, {"x": 1}, {"type": "pass"}, {"card": "money"}, {"card": "reibach"}]
    spoils += [{"row": -1}, {"row": 10**30}, *({"slot": slot} for slot in (3, 1.5, 1.0, True))]
    return action | (chance.choice(spoils) if chance.random() < 0.4 else {})


@pytest.mark.parametrize(("seats", "variants", "eager"), GAMES)
def test_a_game_of_people(api: Api, seats: int, variants: dict[str, bool], eager: float) -> None:
    """From the deal to the winners, every answer to every viewer is what rules and contract say."""
    chance = Random(f"people {seats} {variants}")
    plan = [{"name": f"Spieler {seat} \u00fc", "entropy": "tulip \u2028"[: seat * 3]} for seat in range(seats)]
    body = {"seats": plan, "variants": variants, "starting_seat": seats - 1, "listed": seats == 3}
    match = Match(api, chance, body)
    match.look_around()
    match.play(eager)
    for version in range(1, match.shadow.version + 1, 5 if seats == 2 else 17):
        match.judge.check_then(version, chance.choice(match.judge.viewers))


def test_a_game_with_bots(api: Api) -> None:
    """Bots play by appends of their own, and a player's answers are at the version of the player's own last event."""
    match = Match(api, Random("bots"), {"seats": [{"bot": "random"}, {"name": "Anna"}, {"bot": "greedy"}]})
    match.play(0.4)


def test_seats_joined_later(api: Api) -> None:
    """An open table shows no card and refuses actions; the lowest open seat is taken first, the last starts it."""
    chance = Random("open")
    match = Match(api, chance, {"seats": [{}, {"name": "Bert", "entropy": "x"}, {}], "starting_seat": 2})
    view = match.judge.get("", None).json()
    assert (view["status"], view["display"], view["draw_pile"], view["turn"]) == ("open", [None] * 3, None, None)
    assert [seat["name"] for seat in view["seats"]] == [None, "Bert", None]
    assert view["fairness"]["entropy"] == [None, "x", None]
    match.be_refused(1, {"type": "draw"})
    match.look_around()
    match.join("Carla", "\u00e4")
    match.look_around()
    match.be_refused(0, {"type": "draw"})
    match.join("Dora", "")
    match.look_around()
    answer = api.post(f"{match.place.path}/seats", json={"name": "Emil"})
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/no-open-seat")
    assert answer.json()["version"] == match.shadow.version
    for _ in range(6):
        match.act([choose(chance, match.shadow.table.possible(), 0.5)])
        match.look_around()
