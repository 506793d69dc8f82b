"""What a mail tells of what players do around the cards, and what its reader can do about it."""

from typing import Final

from domain.fairness.canonical import JsonObject
from domain.people.legality import asked_of
from domain.words.catalogue import read
from domain.words.wording import Words
from service.post.attempt import NothingToTell
from service.post.mail.contents import told_between
from service.post.notices import CONSENTS, PEOPLE_EVENTS
from service.post.snapshot import SeatSnapshot

_GIVEN: Final = "ConsentGiven"


def tell_people(
    snapshot: SeatSnapshot, version: int, until: int, words: Words, *, is_answerable: bool
) -> tuple[list[str], list[str], list[str]]:
    """The headline, what can be done about it, and the sentences of the recap that it sums up.

    From `version` to `until`. `is_answerable`: whether mails are read. Raises NothingToTell.
    """
    more, last = read(words.language, "mail"), snapshot.events[until - 1]
    types = CONSENTS if last["type"] in CONSENTS else PEOPLE_EVENTS
    told, _ = told_between(snapshot, version - 1, until, words, lambda item: _is_news(item, snapshot, version, types))
    if not told:
        raise NothingToTell
    data, headline, ways = last["data"], told, [last["type"]]
    if data.get("seat") == snapshot.seat and last["type"] in {"TurnTimedOut", "SeatAbandoned"}:
        on_timeout = snapshot.events[0]["data"]["pace"]["on_timeout"]
        headline = [more.absence["abandoned"] if last["type"] == "SeatAbandoned" else more.own[on_timeout]]
    elif last["type"] == _GIVEN:
        if len(told) == 1 and [to for _, to in snapshot.consents].count(data["to"]) == 1:
            headline = [tell_request(snapshot, data["to"], words, "requests")]
        has_agreed = (snapshot.seat, data["to"]) in snapshot.consents
        ways = ["about"] if data.get("about") == snapshot.seat else [] if has_agreed else ["answer", "agree"]
    elif last["type"] == "GamePaused":
        ways = ["pause"]
    lines = [more.asked[way] for way in ways if way in more.asked and (is_answerable or way not in _BY_ANSWER)]
    return headline, lines, told


def tell_requests(snapshot: SeatSnapshot, words: Words) -> list[str]:
    """What the reader may agree to, and who has."""
    asked = asked_of(snapshot.consents, snapshot.seat, snapshot.table.turn_seat)
    return [tell_request(snapshot, to, words) for to in asked]


def tell_request(snapshot: SeatSnapshot, to: str, words: Words, table: str = "agreed") -> str:
    """Who has agreed to it; by the table `requests`, who asks for it."""
    names = words.name_seats(snapshot.table.seats)
    players = words.join([names[seat] for seat in sorted(seat for seat, what in snapshot.consents if what == to)])
    text: str = read(words.language, "mail")[table][to]
    return text.format(player=players, other=names[snapshot.table.turn_seat])


_BY_ANSWER: Final = frozenset({"answer", "pause"})


def _is_news(item: JsonObject, snapshot: SeatSnapshot, version: int, types: frozenset[str]) -> bool:
    """Whether an item of the recap is to be told: of requests, the open ones, and the end of those told before."""
    event = item["events"][0]
    kind, data = event["type"], event["data"]
    if kind not in types or kind not in CONSENTS:
        return kind in types
    agreed = data["seat"], data["to"]
    changes = [event for event in snapshot.events if event["type"] in CONSENTS]
    same = [change for change in changes if (change["data"]["seat"], change["data"]["to"]) == agreed]
    before = [change["type"] for change in same if change["version"] < version]
    is_open = agreed in snapshot.consents if kind == _GIVEN else before[-1:] == [_GIVEN]
    return is_open and same[-1]["version"] == event["version"]
