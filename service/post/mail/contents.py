"""What stands in a mail about a game: the values of the templates, from what the seat may see."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Final, assert_never
from urllib.parse import urlencode

from domain.cards import RISK, Card, in_canonical_order
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.projections.recap import last_own_action, recap
from domain.projections.table import TableSeat
from domain.words.catalogue import read
from domain.words.reply import write_wish
from domain.words.wording import Words, capitalise, isolate, label_seats, words_of
from service.post.snapshot import SeatSnapshot, TableSnapshot

LONGEST_RECAP: Final = 12_000
"""Characters of all sentences together; mail programs cut off mails of more than about 100 KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionLink:
    reply: str
    """What to write in an answer."""
    note: str
    """What else is to say of it, with its cost where that isn't one action point."""
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLines:
    name: str
    is_reader: bool
    is_on_turn: bool
    total: str
    cards: int
    rows: Sequence[tuple[Card | None, Sequence[Card], Card | None]]
    """Business, the cards laid, the businessmaker; None: there is none yet, or it is hidden."""


def label_players(snapshot: TableSnapshot, words: Words) -> list[str]:
    """The seats' labels, for the middle of a sentence."""
    names = [seat.name for seat in snapshot.table.seats]
    return [isolate(label) for label in label_seats(names, words.terms)]


def recap_for(snapshot: SeatSnapshot, words: Words, told: Collection[str] = ()) -> tuple[list[str], bool]:
    """The newest sentences since the seat's last action, and whether older ones are left out.

    Those that end in an event of a type in `told` aren't there, and none says whose turn it is.
    """
    since = last_own_action(snapshot.events, snapshot.seat)
    items = recap(snapshot.events, since, words.language).items
    return _newest([item["text"] for item in items if item["events"][-1]["type"] not in {"TurnStarted", *told}])


def _newest(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Those that fit into a mail, at least one, and whether older ones are left out."""
    lengths = accumulate(len(text) for text in reversed(texts))
    fitting = sum(1 for _ in takewhile(lambda length: length <= LONGEST_RECAP, lengths))
    first = len(texts) - max(fitting, 1) if texts else 0
    return list(texts[first:]), first > 0


def messages_between(snapshot: SeatSnapshot, since: int, until: int, words: Words) -> tuple[list[str], bool]:
    """The newest messages of other players after version `since` up to `until`, and whether older ones are left out."""
    items = recap(snapshot.events[:until], since, words.language, by="action").items
    others = [item for item in items if item["type"] == "MessagePosted" and item["seat"] != snapshot.seat]
    return _newest([item["text"] for item in others])


def sentences_between(snapshot: SeatSnapshot, since: int, until: int, words: Words) -> list[str]:
    """The sentences about the events after version `since` up to `until`, an action each."""
    items = recap(snapshot.events[:until], since, words.language, by="action").items
    return [item["text"] for item in items]


def lay_out_seats(snapshot: TableSnapshot, words: Words) -> list[SeatLines]:
    """The players in the order of play, from the reader on."""
    table, count = snapshot.table, len(snapshot.table.seats)
    names = label_players(snapshot, words)
    reader = snapshot.seat if isinstance(snapshot, SeatSnapshot) else None
    order = [((reader or 0) + offset) % count for offset in range(count)]
    playing = table.turn > 0 and table.status != "over"
    return [
        SeatLines(
            name=names[seat],
            is_reader=seat == reader,
            is_on_turn=playing and table.turn_seat == seat,
            total=words.money(table.seats[seat].total),
            cards=len(table.seats[seat].hand),
            rows=_lay_out_rows(table.seats[seat]),
        )
        for seat in order
    ]


def _lay_out_rows(place: TableSeat) -> list[tuple[Card | None, Sequence[Card], Card | None]]:
    return [(row.business, row.cards, row.businessmaker) for row in place.rows]


def link_to_game(snapshot: SeatSnapshot, public_url: str, token: str | None, action: Action | None = None) -> str:
    """The game's page, opened for the seat, with the action prepared.

    All of it stands in the fragment, which browsers send to no server: `#seat=1&version=57&type=take&slot=0`, and
    `token` where the caller gives one. `version` and the action's members are those of the contract, so the page can
    send the action with `If-Match` once its reader presses a button.
    """
    members: dict[str, str | int] = {"seat": snapshot.seat, "version": snapshot.version}
    if action is not None:
        members |= {"type": _TYPES[type(action)]}
        members |= {name: getattr(action, name) for name in action.__dataclass_fields__}
    if token is not None:
        members |= {"token": token}
    return f"{public_url.rstrip('/')}/g/{snapshot.game}#{urlencode(members)}"


_TYPES: Final[dict[type[Action], str]] = {
    Take: "take",
    Draw: "draw",
    LayBusinessmaker: "lay_businessmaker",
    Append: "append",
}


def link_actions(snapshot: SeatSnapshot, language: str, public_url: str, token: str | None) -> list[ActionLink]:
    words = words_of(language)
    return [
        ActionLink(
            reply=write_wish(action, language),
            note=", ".join([note_action(snapshot, action, words), *([words.points(cost)] if cost != 1 else [])]),
            url=link_to_game(snapshot, public_url, token, action),
        )
        for action, cost in snapshot.actions
    ]


def label_action(snapshot: SeatSnapshot, action: Action, words: Words) -> str:
    """What a button says that takes the action: what an answer would, and what that does."""
    return capitalise(f"{write_wish(action, words.language)} ({note_action(snapshot, action, words)})")


def note_action(snapshot: SeatSnapshot, action: Action, words: Words) -> str:
    """What an answer that asks for the action doesn't say itself."""
    notes: Mapping[str, str] = read(words.language, "mail").notes
    match action:
        case Take(slot=slot):
            card = snapshot.table.display[slot]
            assert card is not None, "an empty slot can't be taken"
            return words.cards[card]
        case Draw():
            return notes["draw"]
        case LayBusinessmaker():
            return notes["lay"]
        case Append(card=card, row=row):
            business = snapshot.table.seats[snapshot.seat].rows[row].business
            if business is None:
                return notes["first"]
            return notes["risk"].format(business=words.cards[business]) if card == RISK else words.cards[business]
        case _ as never:
            assert_never(never)


def tell_next_scoring(snapshot: TableSnapshot, words: Words) -> str:
    """How many Reibach cards are left until the next scoring round; empty where none comes, or the deal is to come."""
    table, more = snapshot.table, read(words.language, "mail")
    rounds, scoring_at = len(table.rounds), table.rules.scoring_at
    if table.status != "playing":
        return ""
    left = scoring_at[rounds] - table.revealed
    goal = more.goal["last" if rounds + 1 == len(scoring_at) else "round"].format(round=rounds + 1)
    rest = table.rules.reibachs - table.revealed
    form: str = more.left["one" if left == 1 else "other"]
    return form.format(left=left, goal=goal, rest=rest, pile=table.draw_pile)


def tell_outlook(snapshot: SeatSnapshot, words: Words) -> str:
    """What a scoring round would bring each player if it came now, the reader first."""
    more: Mapping[str, str] = read(words.language, "mail")
    names = label_players(snapshot, words)
    names[snapshot.seat] = more["you"]
    order = [(snapshot.seat + offset) % len(names) for offset in range(len(names))]
    incomes = [f"{names[seat]}\u00a0{words.money(snapshot.incomes_now[seat], signed=True)}" for seat in order]
    return more["outlook"].format(list=words.join(incomes))


def count_cards(cards: Sequence[Card]) -> list[tuple[Card, int]]:
    """Each kind once, in the canonical order, with its number."""
    return [(card, list(cards).count(card)) for card in in_canonical_order(list(set(cards)))]
