"""What stands in a mail about a game: the values of the templates, from what the seat may see."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, takewhile
from typing import Final, assert_never
from urllib.parse import urlencode

from domain.cards import Card, in_canonical_order
from domain.commands import Action, Append, Draw, LayBusinessmaker, Take
from domain.projections.recap import last_own_action, played_for, recap
from domain.projections.table import TableSeat
from domain.words.catalogue import read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import phrase_for_table
from domain.words.reply import write_wish
from domain.words.wording import Words, capitalise, isolate, label_seats, words_of
from service.post.snapshot import SeatSnapshot, TableSnapshot

LONGEST_RECAP: Final = 12_000
"""Characters of all sentences together; mail programs cut off mails of more than about 100 KiB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ActionLink:
    label: str
    cost: str
    url: str
    reply: str
    """What to write in an answer."""


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


def recap_for(snapshot: SeatSnapshot, words: Words) -> tuple[list[str], bool]:
    """The newest sentences since the last action that the seat's person sent, and whether older ones are left out.

    The last one says what standing orders have dropped in the present turn, and why.
    """
    players = played_for(snapshot.events, snapshot.seat, snapshot.orders.done)
    since = last_own_action(snapshot.events, snapshot.seat, players)
    items = recap(snapshot.events, since, words.language, players=players).items
    texts, dropped, table = [item["text"] for item in items], snapshot.orders.dropped, snapshot.table
    if dropped and (dropped.turn, snapshot.seat) == (table.turn, table.turn_seat):
        names = [seat.name for seat in table.seats]
        reasons = [phrase_refusal(phrase_for_table(one, names), words.language) for one in dropped.refusals]
        texts.append(read(words.language, "mail").dropped.format(reasons=" ".join(reasons)))
    return _newest(texts)


def _newest(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Those that fit into a mail, at least one, and whether older ones are left out."""
    lengths = accumulate(len(text) for text in reversed(texts))
    fitting = sum(1 for _ in takewhile(lambda length: length <= LONGEST_RECAP, lengths))
    first = len(texts) - max(fitting, 1) if texts else 0
    return list(texts[first:]), first > 0


def told_between(
    snapshot: SeatSnapshot, since: int, until: int, words: Words, types: Container[str]
) -> tuple[list[str], bool]:
    """What one event says, or the newest of several by others, after version `since`; whether older are left out."""
    items = recap(snapshot.events[:until], since, words.language, by="action").items
    is_one = until == since + 1
    return _newest([one["text"] for one in items if one["type"] in types and (is_one or one["seat"] != snapshot.seat)])


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
            label=label_action(snapshot, action, words),
            cost=words.points(cost),
            url=link_to_game(snapshot, public_url, token, action),
            reply=write_wish(action, language),
        )
        for action, cost in snapshot.actions
    ]


def label_action(snapshot: SeatSnapshot, action: Action, words: Words) -> str:
    """What a link or a button says that takes the action."""
    return capitalise(_label(snapshot, action, words, read(words.language, "mail").labels))


def _label(snapshot: SeatSnapshot, action: Action, words: Words, labels: Mapping[str, str]) -> str:
    match action:
        case Take(slot=slot):
            card = snapshot.table.display[slot]
            assert card is not None, "an empty slot can't be taken"
            return labels["take"].format(card=words.spoken[card])
        case Draw():
            return labels["draw"]
        case LayBusinessmaker(card=card):
            return labels["lay"].format(card=words.spoken[card])
        case Append(card=card, row=row):
            business = snapshot.table.seats[snapshot.seat].rows[row].business
            if business is None:
                return labels["append.first"].format(card=words.spoken[card], row=row + 1)
            return labels["append"].format(card=words.spoken[card], row=row + 1, business=words.cards[business])
        case _ as never:
            assert_never(never)


def threshold_of(snapshot: TableSnapshot) -> int | None:
    """The number of Reibach cards at which the next round is scored."""
    rounds, scoring_at = len(snapshot.table.rounds), snapshot.table.rules.scoring_at
    return scoring_at[rounds] if rounds < len(scoring_at) else None


def count_cards(cards: Sequence[Card]) -> list[tuple[Card, int]]:
    """Each kind once, in the canonical order, with its number."""
    return [(card, list(cards).count(card)) for card in in_canonical_order(list(set(cards)))]
