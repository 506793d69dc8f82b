"""The values of a mail about a game: those of the templates, from what the seat may see."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import accumulate, chain, takewhile
from math import inf
from typing import Any, Final, Literal, NamedTuple, TypeAlias, assert_never, cast
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from babel.dates import format_date, format_timedelta, get_timezone_location
from babel.numbers import format_decimal

from domain.cards import BUSINESS_SET, Card, in_canonical_order
from domain.commands import ACTION_TABLE, Action, Append, Draw, LayBusinessmaker, Take, TakeCard, Wish
from domain.fairness.canonical import JsonObject
from domain.orders.wishes import json_of
from domain.people.legality import asked_of
from domain.projections.clauses import describe_incomes
from domain.projections.recap import Recap, last_own_action, played_for, recap
from domain.projections.score_sheet import Cell, lay_out
from domain.scoring import score
from domain.state import Game, Seat
from domain.words.catalogue import read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import phrase_for_table
from domain.words.reply import write_wish
from domain.words.reply.clause import Word
from domain.words.wording import Words, capitalise, format_number, words_of
from service.post.channels.chat import break_links
from service.post.mail.market import name_readers
from service.post.notices import POSTED
from service.post.snapshot import SeatSnapshot, TableSnapshot

LONGEST_RECAP: Final = 12_000
"""Characters of all sentences together; mail programs cut off mails of more than about 100 KiB."""
_LONGEST_BEGINNING: Final = 60
"""Characters of a message in the first line of its mail."""


class ActionLink(NamedTuple):
    reply: str
    """What to write in an answer."""
    note: str
    cost: int
    """In action points."""
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatLines:
    name: str
    is_on_turn: bool
    total: str
    cards: int
    rows: Sequence[tuple[Card | None, Sequence[Card], Card | None]]
    """Business, the cards laid, the businessmaker; None: there is none yet, or it is hidden."""


def recap_for(snapshot: SeatSnapshot, words: Words, told: Collection[str] = ()) -> tuple[list[str], bool]:
    """The newest sentences since the last action that the seat's person sent, and whether older ones are left out.

    `told`: types of events that the mail tells otherwise. The last sentence says what the seat's own standing orders
    have dropped since, and why: others are told of no orders. Who has resigned acts no more, and would be told of the
    whole game each time: each of their mails tells of its own event alone.
    """
    if snapshot.table.seats[snapshot.seat].away == "resigned":
        return [], False
    players = played_for(snapshot.events, snapshot.seat, snapshot.orders.done)
    since = last_own_action(snapshot.events, snapshot.seat, players)
    done = recap(snapshot.events, since, words.language, players=players, reader=snapshot.seat, zone=words.zone)
    last_types = (item["events"][-1]["type"] for item in done.items)
    kept = (lines for kind, lines in zip(last_types, done.lines, strict=True) if kind not in {"TurnStarted", *told})
    texts = [*chain.from_iterable(kept)]
    dropped = snapshot.orders.dropped
    turns = (event["data"]["turn"] for event in snapshot.events[:since] if event["type"] == "TurnStarted")
    if dropped and dropped.turn >= max(turns, default=0):
        seats = snapshot.table.seats
        reasons = [phrase_refusal(phrase_for_table(reason, seats), words.language) for reason in dropped.refusals]
        texts.append(read(words.language, "mail").dropped.format(reasons=" ".join(reasons)))
    return _newest(texts)


def _newest(texts: Sequence[str]) -> tuple[list[str], bool]:
    """Those that fit into a mail, at least one, and whether older ones are left out."""
    lengths = accumulate(len(text) for text in reversed(texts))
    fitting = sum(1 for _ in takewhile(lambda length: length <= LONGEST_RECAP, lengths))
    first = len(texts) - max(fitting, 1) if texts else 0
    return list(texts[first:]), first > 0


def told_between(
    snapshot: SeatSnapshot, since: int, until: int, words: Words, is_told: Callable[[JsonObject], bool]
) -> tuple[list[str], bool]:
    """What one event says, or the newest of several by others, after version `since`; whether older are left out.

    `is_told`: which items of the recap.
    """
    items = recap_between(snapshot, since, until, words).items
    is_single = until == since + 1
    return _newest([item["text"] for item in items if is_told(item) and (is_single or item["seat"] != snapshot.seat)])


def tell_first_message(snapshot: SeatSnapshot, since: int, until: int, words: Words) -> str:
    """Who wrote the first message by others of these versions, and how it begins: all that a lock screen shows."""
    posted = (event["data"] for event in snapshot.events[since - 1 : until] if event["type"] == POSTED)
    first = next(data for data in posted if data["seat"] != snapshot.seat or since == until)
    text = (first["text"].strip() or "…").splitlines()[0][:_LONGEST_BEGINNING].rstrip()
    text += "\u00a0…" * (text != first["text"].strip())
    form: str = read(words.language, "mail").headlines["message"]
    return form.format(player=words.name_seats(snapshot.table.seats)[first["seat"]], text=text)


def recap_between(snapshot: SeatSnapshot, since: int, until: int, words: Words) -> Recap:
    """What has happened after version `since` up to `until`, by action."""
    events = snapshot.events[:until]
    return recap(events, since, words.language, by="action", reader=snapshot.seat, zone=words.zone)


def lay_out_seats(snapshot: TableSnapshot, words: Words) -> list[SeatLines]:
    """The players in the order of play, from the reader on."""
    table, count = snapshot.table, len(snapshot.table.seats)
    names = words.name_seats(snapshot.table.seats)
    reader = snapshot.seat if isinstance(snapshot, SeatSnapshot) else 0
    order = [(reader + offset) % count for offset in range(count)]
    playing = table.turn > 0 and table.status != "over"
    return [
        SeatLines(
            name=names[seat],
            is_on_turn=playing and table.turn_seat == seat,
            total=words.money(table.seats[seat].total),
            cards=len(table.seats[seat].hand),
            rows=[(row.business, row.cards, row.businessmaker) for row in table.seats[seat].rows],
        )
        for seat in order
    ]


def link_to_game(snapshot: SeatSnapshot, public_url: str, token: str | None, action: Action | None = None) -> str:
    """The game's page, opened for the seat, with the action prepared.

    All of it is in the fragment, which browsers send to no server: `#seat=1&version=57&type=take&slot=0`, and
    `token` where the caller gives one. `version` and the action's members are those of the contract, so the page can
    send the action with `If-Match` once its reader presses a button.
    """
    members: dict[str, str | int] = {"seat": snapshot.seat, "version": snapshot.version}
    if action is not None:
        members |= json_of(action)
    if token is not None:
        members |= {"token": token}
    return f"{public_url.rstrip('/')}/g/{snapshot.game}#{urlencode(members)}"


def link_actions(snapshot: SeatSnapshot, language: str, public_url: str, token: str | None) -> list[ActionLink]:
    words = words_of(language)
    return [
        ActionLink(*word_action(snapshot, action, words), cost, link_to_game(snapshot, public_url, token, action))
        for action, cost in snapshot.actions
    ]


def link_agreements(snapshot: SeatSnapshot, language: str, public_url: str, token: str | None) -> list[ActionLink]:
    """What others ask the seat's person for, with the words that agree to it."""
    asked = asked_of(snapshot.consents, snapshot.seat, snapshot.table.turn_seat)
    url = link_to_game(snapshot, public_url, token)
    return [ActionLink(write_wish(Word(f"agree {to}"), language), "", 0, url) for to in asked]


def label_action(snapshot: SeatSnapshot, action: Action, words: Words) -> str:
    """What a button says that takes the action: what an answer would."""
    reply, note = word_action(snapshot, action, words)
    return capitalise(f"{reply} ({note})" if note else reply)


def word_action(snapshot: SeatSnapshot, action: Action, words: Words) -> tuple[str, str]:
    """What an answer says that asks for the action, and a note in brackets that is also read, or empty."""
    wish, table, note = cast("Wish", action), snapshot.table, ""
    match action:
        case Take(slot=slot):
            if card := table.display[slot]:
                is_only = table.display.count(card) == 1
                wish, note = (TakeCard(card=card), "") if is_only else (action, words.cards[card])
        case Append(row=row):
            if business := table.seats[snapshot.seat].rows[row].business:
                note = words.cards[business]
        case Draw() | LayBusinessmaker():
            note = read(words.language, "mail").notes[ACTION_TABLE[type(action)].word]
        case _ as never:
            assert_never(never)
    return write_wish(wish, words.language), note


def rank_example(snapshot: SeatSnapshot, action: Action) -> int:
    """How well the action shows a newcomer how to play; the best is to lengthen a row, or to take a card for one."""
    rows = snapshot.table.seats[snapshot.seat].rows
    match action:
        case Append(card=card, row=row) if card in BUSINESS_SET:
            return 4 + bool(rows[row].business)
        case Take(slot=slot) if (card := snapshot.table.display[slot] or "") in BUSINESS_SET:
            return 3 if any(row.business == card and not row.closed for row in rows) else 1 + (card in snapshot.hand)
    return -1 if isinstance(action, Append | LayBusinessmaker) and action.card not in BUSINESS_SET else 0


def next_scoring(snapshot: TableSnapshot, words: Words) -> list[str]:
    """How many Reibach cards are left until the next round, and what it would bring now; empty where no turn is on."""
    table, more = snapshot.table, read(words.language, "mail")
    if table.status != "playing":
        return []
    number, scoring_at, places = len(table.rounds) + 1, table.rules.scoring_at, cast("list[Seat]", table.seats)
    left, rest = scoring_at[number - 1] - table.revealed, table.rules.reibachs - table.revealed
    goal = more.goal["last" if number == len(scoring_at) else "round"].format(round=number)
    form = more.left["one" if left == 1 else "other"]
    incomes = zip(words.name_seats(snapshot.table.seats), score(table.rules, places, number), strict=True)
    brings = words.join([f"{name}\u00a0{words.money(scored['income'], signed=True)}" for name, scored in incomes])
    return [form.format(left=left, goal=goal, rest=rest, pile=table.draw_pile), more.outlook.format(list=brings)]


def tell_round(snapshot: SeatSnapshot, version: int, words: Words) -> dict[str, Any]:
    """What a mail tells of the last scoring round up to a version, and of later ones, for the templates.

    Its table is that of now, so its head has the totals of the newest round.
    """
    table, reader, more = snapshot.table, snapshot.seat, read(words.language, "mail")
    rounds = [event for event in snapshot.events if event["type"] == "RoundScored"]
    first = sum(event["version"] <= version for event in rounds) - 1
    told = [event["data"] for event in rounds[first:]]
    names, headlines, money = name_readers(snapshot, words), [], []
    for scored in told:
        number, income = scored["round"], words.money(scored["seats"][reader]["income"], signed=True)
        headlines.append(more.headlines["round"].format(round=number, income=income))
        by_business = _lay_out_money(table.scores, number, names, words)
        money.append((more.headings["round"].format(round=number), by_business))
    texts = describe_incomes(told[-1], table, words.name_seats(table.seats, reader), words)
    texts[reader] = capitalise(texts[reader])
    standings = _rank(told[-1]["totals"], texts, reader)
    return {"headline": "\n".join(headlines), "standings": standings, "money": money}


def _rank(totals: Sequence[int], texts: Sequence[str], reader: int) -> list[tuple[str, bool]]:
    """The texts, one a seat, in the order of their totals, behind their places; and whether each is the reader's."""
    places = [1 + sum(other > total for other in totals) for total in totals]
    order = sorted(range(len(totals)), key=places.__getitem__)
    return [(f"{places[seat]}. {texts[seat]}", seat == reader) for seat in order]


def tell_end(snapshot: SeatSnapshot, words: Words) -> dict[str, Any]:
    table, names = snapshot.table, words.name_seats(snapshot.table.seats)
    totals, winners = [seat.total for seat in table.seats], table.winners or []
    is_own = snapshot.seat in winners and table.seats[snapshot.seat].away is None  # a bot wins for who has left
    case = f"{'shared' if len(winners) > 1 else 'won'}.{'own' if is_own else 'other'}"
    more, rounds = read(words.language, "mail"), table.scores["rounds"] if winners else []
    form = more.headlines[case if winners else "cancelled"]
    who, earned = words.join([names[seat] for seat in winners] or names), words.money(totals[snapshot.seat])
    headline = form.format(total=words.money(max(totals)), own=earned, winners=who)
    for last in rounds[-1:]:
        income = words.money(last["seats"][snapshot.seat]["income"], signed=True)
        headline += f"\n{more.headlines['round'].format(round=len(rounds), income=income)}"
    named = name_readers(snapshot, words)
    texts = [f"{name}{words.colon}{words.money(total)}" for name, total in zip(named, totals, strict=True)]
    money = [(more.headings["sums"], _lay_out_money(table.scores, None, named, words))]
    return {"headline": headline, "standings": _rank(totals, texts, snapshot.seat), "money": money}


def tell_costliest(judged: JsonObject, names: Sequence[str], words: Words) -> str:
    """What a turn has cost the reader, in millions, by the game's analysis, and why."""
    loss, reason = judged["loss"], judged.get("reason") or {}  # earlier engines gave none
    unit = words.money(int(loss)).removeprefix(format_number(int(loss)))  # a fraction is counted as what it begins with
    amount = format_decimal(loss, "0.0", locale=words.language) + unit
    cards = {name: words.cards[reason[name]] for name in ("business", "other", "card") if name in reason}
    sentence = read(words.language, "pages_replay").analysis.reasons.get(reason.get("code"), "")
    why = sentence.format(**cards, name=names[reason.get("seat", 0)])
    return f"{read(words.language, 'mail').costliest.format(turn=judged['turn'], amount=amount)} {why}".rstrip()


def _lay_out_money(scores: JsonObject, number: int | None, names: Sequence[str], words: Words) -> list[tuple[str, str]]:
    """By business, and for losses, who got what: in the scoring round of this number, or in all of them."""
    money, doubled = [], f" ({words.short['risk']})"
    for line in lay_out(scores)[:-1]:
        sums = [Cell(total or 0) for total in line.sum_seats()]
        cells = [seat[number - 1] for seat in line.seats] if number else sums
        paid = [(name, cell) for name, cell in zip(names, cells, strict=True) if cell and cell.income]
        texts = [
            f"{name}\u00a0{format_number(cell.income, signed=True)}{doubled * cell.doubled}" for name, cell in paid
        ]
        money += [(line.name, ", ".join(texts))] if texts else []
    return money


def tell_time(milliseconds: int, zone: str, language: str) -> str:
    """A time, given in ms since 1970, by the clocks of a zone: `Wednesday 2 December, 08:50 (Berlin)`."""
    moment = datetime.fromtimestamp(milliseconds // 1000, ZoneInfo(zone))
    city = get_timezone_location(moment, locale=language, return_city=True)
    return f"{format_date(moment, read(language, 'mail').day, language)}, {moment:%H:%M} ({city})"


def count_cards(cards: Sequence[Card]) -> list[tuple[Card, int]]:
    """Each kind once, in the canonical order, with its number."""
    return [(card, list(cards).count(card)) for card in in_canonical_order(list(set(cards)))]


def tell_invitation(game: Game, language: str, guests: Collection[int]) -> list[str]:
    """Who invites, what game that is, who plays at which table, how long a turn may take, and what happens then.

    The first person who isn't one of the `guests` invites: of who opened the table nothing more is known.
    Anyone can name anyone's address, so no name in it is long, or a link.
    """
    words, more, pace = words_of(language), read(language, "mail").guest, game.pace
    names = [break_links(name) for name in words.name_seats(game.seats)]
    hosts = [number for number, seat in enumerate(game.seats) if seat.name and not seat.bot and number not in guests]
    headlines = read(language, "mail").headlines
    headline = headlines["invitation.by"].format(player=names[hosts[0]]) if hosts else headlines["invitation"]
    form, table = more.table if game.name else more.players, words.quote(break_links(game.name or ""))
    seconds = pace.turn_seconds if pace else 0
    unit = next(name for name, size in _UNITS.items() if seconds % size == 0)
    time = format_timedelta(timedelta(seconds=seconds), granularity=unit, threshold=inf, locale=language)
    at_table = form.format(table=table, players=words.join(names))
    return [headline, more.about, at_table, more[pace.on_timeout if pace else "none"].format(time=time)]


_Unit: TypeAlias = Literal["day", "hour", "minute", "second"]
_UNITS: Final[Mapping[_Unit, int]] = {"day": 86_400, "hour": 3600, "minute": 60, "second": 1}
"""Of time, with their seconds: the largest that tells it wholly."""
