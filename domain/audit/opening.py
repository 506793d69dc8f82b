"""How a log begins: its creation, the seats that came with it, and what a fork's own log shows of its parent.

`decide` takes settings and players from a command that the API has checked (contract 1, 2, 6); a log can hold anything
in their place. So a function whose name ends in `_fault` says what should have been there; "" where nothing is wrong.
That a fork's parent stood as its position says is compared with the parent's log, not guessed (`parent.py`).
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Final

from domain.audit.findings import Offence, same, whole_number
from domain.cards import BUSINESS_SET, HAND_CARDS, MULTITALENT, RISK
from domain.clock.pace import Pace, is_pace, is_within
from domain.commands import LONGEST_ENTROPY, LONGEST_NAME, LONGEST_TABLE_NAME, CreateGame, SeatPlan
from domain.erasure import ERASED
from domain.events import ENDS, FIELDS, EventRecord
from domain.fairness.canonical import LARGEST, JsonObject
from domain.rules import Rules
from domain.scoring import score
from domain.state import Game, Row, Seat

_NO_TEXT: Final = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters and halves of surrogate pairs: the Unicode categories Cc and Cs, which Unicode never changes."""


@dataclass(frozen=True, slots=True)
class Opening:
    """What the first append of a log holds; read once, whatever is wrong with it."""

    created: JsonObject
    """The data of GameCreated; empty in an empty log."""
    joined: Mapping[int, JsonObject]
    """The data of each PlayerJoined that came with the creation, by version: at its time, in seat order."""
    position: JsonObject | None
    """The data of the PositionSet that follows them; None where another event does."""
    position_at: int
    """Its version; 0 where there is none."""
    invited: Sequence[Any]
    """The seats of the SeatsInvited that ends the creation's append; empty where none does."""
    end: int
    """The version of GameEnded or GameCancelled; 0 where the game isn't over."""

    @property
    def forked(self) -> bool:
        """Whether GameCreated says anything of a parent."""
        return "parent" in self.created or "from" in self.created

    @property
    def copied(self) -> bool:
        """Whether a fork's cards are those of a finished game, which all may see."""
        if self.position is None:
            return True
        seen_in = self.position.get("parent")
        # One that can't be is the position's own offence, and says nothing of `from`.
        return isinstance(seen_in, str) and seen_in not in (self.created.get("parent"), self.created.get("game"))


def read_opening(events: Sequence[EventRecord]) -> Opening:
    """The opening of a log, whose first event, if there is one, is GameCreated; unknown types are passed over.

    A seat taken later in the very same millisecond may pass for one of the creation, never the other way round.
    """
    created = events[0] if events else {"data": {}}
    joined: dict[int, JsonObject] = {}
    last, position, position_at = 0, None, 0
    for version, event in enumerate(events[1:], 2):
        kind, data = event["type"], event["data"]
        if kind not in FIELDS:
            continue
        if kind == "PositionSet":
            position, position_at = data, version
        seat = data.get("seat")
        follows = type(seat) is int and (not joined or seat > last)
        if kind != "PlayerJoined" or event.get("at") != created.get("at") or not follows:
            break
        joined[version], last = data, seat
    others = FIELDS.keys() - {"GameStarted", "TurnStarted", "SeatsInvited"}
    rest = takewhile(lambda event: event["type"] not in others, events[max(joined, default=1) :])
    seats = next((event["data"].get("seats") for event in rest if event["type"] == "SeatsInvited"), ())
    invited = seats if isinstance(seats, list) else ()
    return Opening(created["data"], joined, position, position_at, invited, first_version(ENDS, events))


def first_version(kinds: Collection[str], events: Sequence[EventRecord]) -> int:
    return next((index + 1 for index, event in enumerate(events) if event["type"] in kinds), 0)


def creation_of(opening: Opening, seed: str | None) -> tuple[CreateGame, Offence | None]:
    """The command that opened the table, without a fork's position, and the first player whom no command can name.

    The opening's GameCreated is sound; the seats from that player's on are open. `seed`: 64 hex digits, None where it
    is hidden. Raises LookupError, TypeError or AttributeError for variants that are none.
    """
    data = opening.created
    plans, offence = [SeatPlan()] * data["seats"], None
    is_salted = any("salt" in player for player in [*opening.joined.values()][:1])
    for version, player in opening.joined.items():
        expected = player_fault(player)
        if not expected and not is_within(player["seat"], 0, len(plans) - 1):
            expected = f"PlayerJoined with a seat from 0 to {len(plans) - 1}"
        if not expected and ("salt" in player) != is_salted:
            expected = f"PlayerJoined with{'' if is_salted else 'out'} a salt, as the first"
        if expected:
            offence = Offence(version, expected)
            break
        entropy = player["entropy"] if opening.forked or player["bot"] is None else ""
        plans[player["seat"]] = SeatPlan(
            name=player["name"],
            bot=player["bot"],
            entropy=entropy,
            salt=player.get("salt"),
            is_invited=player["bot"] is None and player["seat"] in opening.invited,
        )
    command = CreateGame(
        game=data["game"],
        server_seed=bytes.fromhex(seed or ""),
        seats=tuple(plans),
        variants=frozenset(name for name, on in data["variants"].items() if on),
        starting_seat=data["starting_seat"],
        listed=data["listed"],
        rules=data["rules"],
        parent=data.get("parent"),
        from_version=data.get("from"),
        pace=Pace.from_json(data["pace"]) if "pace" in data else None,
        replaceable=data.get("replaceable", False),
        name=data.get("name"),
    )
    return command, offence


def created_fault(data: JsonObject) -> str:
    """What the data of GameCreated should have been, where a setting is of another type or range than there is.

    Raises LookupError where one is missing.
    """
    if not (isinstance(data["game"], str) and data["game"]):
        return "GameCreated with a game's id"
    if not is_within(data["seats"], 2, 5):
        return "GameCreated with 2 to 5 seats"
    if not is_within(data["starting_seat"], 0, data["seats"] - 1):
        return "GameCreated with a starting seat of its own"
    if not isinstance(data["listed"], bool):
        return "GameCreated with listed true or false"
    if "name" in data and not _is_text(data["name"], 1, LONGEST_TABLE_NAME):
        return f"GameCreated with a name of 1 to {LONGEST_TABLE_NAME} characters, or without one"
    return _pace_fault(data)


def _pace_fault(data: JsonObject) -> str:
    """What GameCreated should have been, where its pace, or that abandoned seats are replaceable, is no lawful one."""
    if "pace" in data and not is_pace(data["pace"]):
        return "GameCreated with a pace of the form and the range that there are"
    if "replaceable" not in data:
        return ""
    if data["replaceable"] is True and "pace" in data and Pace.from_json(data["pace"]).has_stand_in:
        return ""
    return "GameCreated with replaceable true beside a pace by which seats are abandoned, or without it"


def player_fault(data: JsonObject) -> str:
    """What the data of PlayerJoined should have been, where name, entropy, bot or salt has no lawful form."""
    if fault := name_fault("PlayerJoined", data):
        return fault
    if not _is_text(data.get("entropy"), 0, LONGEST_ENTROPY):
        return f"PlayerJoined with an entropy of up to {LONGEST_ENTROPY} characters"
    if not isinstance(data.get("bot", 0), str | None):
        return "PlayerJoined with a bot's name, or null"
    return "" if isinstance(data.get("salt", ""), str) else "PlayerJoined with a text as its salt, or without one"


def name_fault(kind: str, data: JsonObject) -> str:
    """What the data of an event of this type should have been, where its name has no lawful form."""
    if data.get("name") == ERASED or _is_text(data.get("name"), 1, LONGEST_NAME):
        return ""
    return f"{kind} with a name of 1 to {LONGEST_NAME} characters"


def _is_text(value: Any, shortest: int, longest: int) -> bool:
    """Whether it is a text of so many characters, all of them lawful in a name."""
    return isinstance(value, str) and shortest <= len(value) <= longest and not _NO_TEXT.search(value)


def origin_fault(opening: Opening) -> str:
    """What the GameCreated of a fork should have been, where its own log shows something wrong.

    A copy of a finished game holds the parent's first `from` events, its end not among them, and what they cause. A
    fork of a running game holds none of them; its parent was in a turn, so it had at least `seats` + 2 events.
    """
    if not opening.forked:
        return ""
    created = opening.created
    parent, version = created.get("parent"), created.get("from")
    if not (isinstance(parent, str) and type(version) is int and version > 0):
        return "GameCreated with parent and from, or neither"
    if "pace" in created:
        return "GameCreated without a pace, for a fork has none"
    if parent == created["game"]:
        return "GameCreated with another game than itself as its parent"
    # A parent that began with a position was in a turn at once.
    fewest, most = created["seats"] + 2, LARGEST
    if opening.copied:
        fewest, most = 1, (opening.end or LARGEST + 1) - 1
    if fewest <= version <= most:
        return ""
    return f"GameCreated with from {fewest} {'or more' if most == LARGEST else f'to {most}'}"


_CARDS: Final = frozenset(HAND_CARDS)


def check_position(data: JsonObject, game: Game) -> None:
    """Raise one of CANT_HAPPEN unless `data`, without null for cards, is a PositionSet's; `game`: right before it."""
    rules, seats = game.rules, range(len(game.seats))
    assert data.keys() == set(FIELDS["PositionSet"])
    assert isinstance(data["parent"], str)
    assert whole_number(data["seat"]) in seats
    assert [whole_number(size) for size in data["hand_sizes"]] == [len(hand) for hand in data["hands"]]
    assert all(type(hand) is list and _CARDS.issuperset(hand) for hand in (*data["hands"], data["display"]))
    assert len(data["display"]) == rules.display_size
    assert len(data["rows"]) == len(data["hands"]) == len(data["totals"]) == len(seats)
    for rows in data["rows"]:
        _check_rows(rows, rules)
    _check_rounds(data, game)
    turn = data["turn"]
    assert turn.keys() == {"number", "seat", "action_points"}
    assert 1 <= whole_number(turn["number"]) <= LARGEST
    assert whole_number(turn["seat"]) == (game.starting_seat + turn["number"] - 1) % len(seats)
    assert 1 <= whole_number(turn["action_points"]) <= rules.action_points


def _check_rows(rows: list[JsonObject], rules: Rules) -> None:
    assert len(rows) <= rules.max_businessmakers
    businesses = []
    for row in rows:
        assert row.keys() == {"businessmaker", "shown", "cards"}
        assert type(row["shown"]) is bool
        assert row["businessmaker"] in _CARDS
        assert type(row["cards"]) is list
        if row["cards"]:
            business, *more = row["cards"]
            assert business in BUSINESS_SET
            assert set(more[:-1]) <= {business, MULTITALENT}
            assert set(more[-1:]) <= {business, MULTITALENT, RISK}
            businesses.append(business)
    assert len(set(businesses)) == len(businesses)


def _check_rounds(data: JsonObject, game: Game) -> None:
    """Each round that is due is there, scored as its row lengths give it, and the totals are the sums."""
    rules = game.rules
    due = sum(whole_number(data["revealed"]) >= at for at in rules.scoring_at)
    assert len(data["rounds"]) == due < len(rules.scoring_at)
    totals = game.bonus
    for number, done in enumerate(data["rounds"], 1):
        assert done.keys() == {"round", "seats"}
        assert whole_number(done["round"]) == number
        places = [_seat_as_scored(seat, rows) for seat, rows in zip(done["seats"], data["rows"], strict=True)]
        scored = score(rules, places, number)
        assert same(done["seats"], scored)
        totals = [total + seat["income"] for total, seat in zip(totals, scored, strict=True)]
    assert same(data["totals"], totals)


def _seat_as_scored(scored: JsonObject, rows: list[JsonObject]) -> Seat:
    """A seat's rows at a scoring round: none longer than it is in the position, for rows never shrink."""
    now = {row["cards"][0]: row["cards"] for row in rows if row["cards"]}
    place = Seat()
    for business, line in scored["businesses"].items():
        length, doubled = whole_number(line["length"]), line["doubled"]
        assert type(doubled) is bool
        assert 1 <= length <= sum(card != RISK for card in now[business])
        assert doubled <= (RISK in now[business])
        place.rows.append(Row("", shown=False, business=business, length=length, closed=doubled))
    return place
