"""Mails about a game to one seat: what happened, the table, the hand, and what the seat can do, in its language.

Rule 1: a mail is made of a `SeatSnapshot`, and so of nothing that is hidden from its seat. Worlds that the seat can't
distinguish give mails of equal bytes.
Rule 2: no address and no token is in a link's query; a token is in a fragment, or in the path of a link that
the caller signed.
"""

from collections.abc import Collection, Mapping, Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from hashlib import sha256
from itertools import chain
from typing import Any, Final, NamedTuple, cast

from domain.fairness.canonical import JsonObject
from domain.people.effects import EFFECTS_OF_PEOPLE
from domain.words.catalogue import read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import Sentence
from domain.words.wording import label_seats, words_of
from service.post.mail import contents
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.headers import LOOP_HEADER, SHOWN, header_name, message_id, thread_id
from service.post.mail.market import lay_out_market, write_market
from service.post.mail.people import tell_people, tell_request, tell_requests
from service.post.mail.rendering import Envelope, render
from service.post.notices import POSTED, UNUSED
from service.post.snapshot import SeatSnapshot

_PAGES: Final = {"again": "/?again={0}#seat={1}", "replay": "/g/{0}/replay", "sheet": "/g/{0}/sheet"}
_LESSON: Final = {"again": _PAGES["again"], "lesson": _PAGES["replay"] + "#analysis={1}", "sheet": _PAGES["sheet"]}
_RESULTS: Final = ("RoundScored", "GameEnded")


class TurnEnd(NamedTuple):
    """When the time of the reader's turn is over, in ms since 1970."""

    at: int
    reserve_from: int | None = None
    """When a reserve begins that lasts until then."""


def compose_turn(snapshot: SeatSnapshot, envelope: Envelope, version: int, end: TurnEnd | None = None) -> EmailMessage:
    values = _begin(snapshot, envelope, end) | _position(snapshot, envelope, has_actions=True)
    return _compose("turn", snapshot, envelope, version, values | {"links": [_link_rules(envelope)]})


def compose_reminder(
    snapshot: SeatSnapshot, envelope: Envelope, version: int, end: TurnEnd | None = None
) -> EmailMessage:
    values = _begin(snapshot, envelope, end) | _position(snapshot, envelope, has_actions=True)
    if end is not None:
        has_bot = snapshot.events[0]["data"].get("pace", {}).get("on_timeout") == "bot"
        headline = read(envelope.language, "mail").headlines["reminder.bot" if has_bot else "reminder.late"]
        values["headline"] = headline.format(time=contents.tell_time(end.at, envelope.zone, envelope.language))
        values["deadline"] = values["deadline"] if end.reserve_from is not None else None  # the headline says it
    return _compose("reminder", snapshot, envelope, version, values)


def compose_scoring(snapshot: SeatSnapshot, envelope: Envelope, version: int) -> EmailMessage:
    goes_on = snapshot.table.action_points < snapshot.table.rules.action_points  # the round has interrupted the turn
    values = _begin(snapshot, envelope, types=_RESULTS) | _position(snapshot, envelope, has_actions=goes_on)
    values |= contents.tell_round(snapshot, version, words_of(envelope.language, envelope.zone))
    values["lines"] += [_tell_points(snapshot, envelope)] if goes_on and snapshot.actions else []
    return _compose("scoring", snapshot, envelope, version, values)


def compose_over(
    snapshot: SeatSnapshot, envelope: Envelope, version: int, costliest: JsonObject | None = None
) -> EmailMessage:
    """`costliest`: a turn of the seat's, as the analysis has it."""
    words, more = words_of(envelope.language, envelope.zone), read(envelope.language, "mail")
    values = _begin(snapshot, envelope, types=_RESULTS) | _position(snapshot, envelope)
    values |= contents.tell_end(snapshot, words)
    if costliest:
        values["lines"].append(contents.tell_costliest(costliest, words.name_seats(snapshot.table.seats), words))
    links = [
        (envelope.public_url + path.format(snapshot.game, snapshot.seat), more.links[name])
        for name, path in (_LESSON if snapshot.table.winners else _PAGES).items()
    ]
    return _compose("over", snapshot, envelope, version, values | {"button": links[0], "links": links[1:]})


def compose_people(
    snapshot: SeatSnapshot, envelope: Envelope, version: int, until: int, end: TurnEnd | None = None
) -> EmailMessage:
    """Tells what players have done around the cards, from `version` to `until`."""
    words = words_of(envelope.language, envelope.zone)
    is_answerable = envelope.reply_to is not None
    headline, lines, told = tell_people(snapshot, version, until, words, is_answerable=is_answerable)
    headline = [*headline, *([_tell_points(snapshot, envelope)] if snapshot.actions else [])]
    absence = _lines_of_absence(snapshot, envelope, has_deadline=end is not None)
    values = _begin(snapshot, envelope, end) | _position(snapshot, envelope, has_actions=True)
    values["headline"] = "\n".join(headline)
    values["lines"] = [*(line for line in absence if line not in headline), *lines]
    values["recap"] = [text for text in values["recap"] if text not in told]
    return _compose("people", snapshot, envelope, version, values)


def compose_messages(snapshot: SeatSnapshot, envelope: Envelope, version: int, until: int) -> EmailMessage:
    """Passes on the messages that other players wrote from `version` to `until`, those of both included."""
    texts, is_cut = contents.told_between(
        snapshot, version - 1, until, words_of(envelope.language), lambda item: item["type"] == POSTED
    )
    more = cast("Mapping[str, Any]", read(envelope.language, "mail"))
    values = {
        "headline": contents.tell_first_message(snapshot, version, until, words_of(envelope.language)),
        "lines": _lines_of_absence(snapshot, envelope, has_deadline=False),
        "recap": texts,
        "earlier": more["earlier"] if is_cut else None,
        "hint": more["answer.message"] if envelope.reply_to else None,
    }
    kind = "message" if version == until else "messages"
    return _compose(kind, snapshot, envelope, version, values)


def compose_answer(snapshot: SeatSnapshot, envelope: Envelope, answer: AnswerMail) -> EmailMessage:
    """Says what has become of the player's mail, and what is left to do. `snapshot`: of the game as it is now."""
    words, more = words_of(envelope.language, envelope.zone), read(envelope.language, "mail")
    done = [event["type"] for event in snapshot.events[answer.since : answer.until]]
    lines = [more.asked[way] for kind, way in _WAYS_BACK.items() if kind in done]
    if answer.refusal is not None:
        why = phrase_refusal(answer.refusal, envelope.language, envelope.zone)
        lines.append(why if answer.wish is None else f"{answer.wish}{words.colon}{why}")
    if answer.offers:
        is_two = answer.refusal is not None and answer.refusal.name == "reply.two"  # both, and not one of them
        lines.append(more.offer.format(offer=(" + " if is_two else " / ").join(answer.offers)))
    question, asked_at = answer.question or (answer.kind, answer.until)
    if answer.question and question == "people":
        lines += [tell_request(snapshot, snapshot.events[asked_at - 1]["data"]["to"], words), more.asked["answer"]]
    elif answer.question:
        lines.append(phrase_refusal(Sentence(f"reply.{question}"), envelope.language))
    elif answer.has_unsent or (answer.refusal and not (answer.is_done or answer.kind)):
        lines.append(more.unsent if answer.has_unsent else more.say)
    lines += tell_requests(snapshot, words) if answer.kind in {"help", "status"} else ()
    lines += more.help if answer.kind == "help" else ()
    recap = list(chain.from_iterable(contents.recap_between(snapshot, answer.since, answer.until, words).lines))
    if answer.kind == "status":
        recap, _ = contents.recap_for(snapshot, words)
    kind = "answer" if answer.refusal is None else "answer.part" if answer.is_done else "answer.none"
    if snapshot.actions:
        lines.append(_tell_points(snapshot, envelope))
    position = _position(snapshot, envelope, has_actions=True)
    if kind == "answer" and not answer.kind:  # of a move: what is new, and what the next action needs
        position |= {"market": (), "next_scoring": (), "actions": (), "answer": None, "hint": more.receipts}
        position |= {} if snapshot.actions else {"hand": (), "note": "", "table": None}
    name = f"answer.{answer.kind}" if answer.kind else "answer.done" if kind == "answer" else kind
    values = {
        "headline": more.headlines[name].format(what=recap.pop(0) if name == "answer.done" and recap else ""),
        "lines": lines,
        "recap": recap,
        "recap_heading": more.headings["recap" if answer.kind == "status" else "done"],
        "links": [_link_rules(envelope)] if answer.kind == "help" else [],
        **position,
    }
    headers: dict[str, str | Address] = {"Auto-Submitted": "auto-replied", LOOP_HEADER: envelope.sender.addr_spec}
    if answer.mail is not None:
        headers["In-Reply-To"] = answer.mail
        headers["References"] = f"{thread_id(snapshot.seat, snapshot.game, envelope.sender.domain)} {answer.mail}"
    named = (
        question if question in {"resign", "cancel", "people"} else "answer"
    )  # its address tells what a `yes` is for
    return _compose("answer", snapshot, envelope, asked_at, values, headers, id_kind=f"{named}.{answer.id}")


def compose_link(  # noqa: PLR0913 - what it says
    kind: str, game: str, seat: int, envelope: Envelope, url: str, detail: str = "", facts: Sequence[str] = ()
) -> EmailMessage:
    """A mail with one link of its own, in no thread. Of players it has no text but an invitation's `facts`.

    Their first one is its headline. It asks whether the address wants mails (`confirmation`), or a seat
    (`invitation`), offers a new `token` in place of a lost one, or tells that a receiver was added, or has ended, or
    that the game is about to be. Of a receiver's URL only the host is shown, since it may be a secret; `detail` has it,
    why it has ended, and what tells mails with the same link apart; or when the game ends.
    """
    more = read(envelope.language, "mail")
    if kind == UNUSED:
        lines = [more.unused.format(time=contents.tell_time(int(detail), envelope.zone, envelope.language))]
    elif detail:
        host, *why, _ = detail.split()
        lines = [more.receivers[kind].format(host=host, reason=" ".join(why))]
    else:
        by_kind = {"confirmation": (more.confirm, more.ignore), "invitation": (*facts[1:], more.invite, more.decline)}
        lines = list(by_kind.get(kind, (more.renew,)))
    # A second request for the same seat has another link, and must not pass for the first one's duplicate.
    name = f"{kind}.{sha256((detail or url).encode()).hexdigest()[:16]}"
    button = url, more.links.get(kind, more.links["game"])
    headline, links = (facts[0], [_link_rules(envelope)]) if facts else (more.headlines[kind], [])
    values = {"headline": headline, "lines": lines, "button": button, "links": links}
    headers: dict[str, str | Address] = {"To": Address(addr_spec=envelope.recipient), "Subject": more.subjects[kind]}
    return render(values, envelope, message_id(name, 0, seat, game, envelope.sender.domain), headers)


def _link_rules(envelope: Envelope) -> tuple[str, str]:
    return f"{envelope.public_url}/rules", read(envelope.language, "mail").links["rules"]


_WAYS_BACK: Final = {"GamePaused": "pause", "VacationTaken": "vacation"}
"""What ends them, by event: a key of `asked`."""


def _lines_of_absence(snapshot: SeatSnapshot, envelope: Envelope, *, has_deadline: bool) -> list[str]:
    """That a bot plays on for the reader, or will from the mail's deadline on: no notice of its own tells it."""
    words = read(envelope.language, "mail").absence
    is_away = snapshot.table.seats[snapshot.seat].away == "abandoned" and snapshot.table.status != "over"
    if not (is_away or (has_deadline and snapshot.is_warned)):
        return []
    way = words["answer" if envelope.reply_to else "reclaim"]
    lines = [words["abandoned" if is_away else "warning"], way]
    if is_away and snapshot.free_from is not None:
        time = contents.tell_time(snapshot.free_from, envelope.zone, envelope.language)
        lines.append(words["free"].format(time=time))
    return lines


def _begin(
    snapshot: SeatSnapshot, envelope: Envelope, end: TurnEnd | None = None, types: Collection[str] = ()
) -> dict[str, Any]:
    """What has happened, what others ask for, and until when. `types`: of events that the mail tells otherwise."""
    words, more = words_of(envelope.language, envelope.zone), read(envelope.language, "mail")
    texts, is_cut = contents.recap_for(snapshot, words, types)
    absence = _lines_of_absence(snapshot, envelope, has_deadline=end is not None)
    return {
        "lines": [*absence, *tell_requests(snapshot, words)],
        "recap": texts,
        "recap_heading": more.headings["recap"],
        "earlier": more.earlier if is_cut else None,
        "deadline": None if end is None else _tell_end_of_turn(end, envelope),
    }


def _position(snapshot: SeatSnapshot, envelope: Envelope, *, has_actions: bool = False) -> dict[str, Any]:
    """The hand, the table and the actions, for the templates."""
    words, links = words_of(envelope.language), (envelope.language, envelope.public_url, envelope.token)
    actions = contents.link_actions(snapshot, *links) if has_actions else []
    is_over = snapshot.table.status == "over"
    heads, market = lay_out_market(snapshot, words)
    ranks = [contents.rank_example(snapshot, action) for action, _ in snapshot.actions]
    example = actions[ranks.index(max(ranks))].reply if actions else ""
    return {
        "hand": [] if is_over else contents.count_cards(snapshot.hand),
        "note": snapshot.note,
        "table": None if is_over else snapshot.table,
        "next_scoring": contents.next_scoring(snapshot, words)[:1],  # the market has what it would bring
        "heads": heads,
        "market": market,
        "market_text": write_market(heads, market, words),
        "actions": [*actions, *contents.link_agreements(snapshot, *links)],
        "answer": _tell_answer(actions, example, envelope.language) if actions and envelope.reply_to else None,
    }


def _tell_points(snapshot: SeatSnapshot, envelope: Envelope) -> str:
    """Whose turn it is, and what is left of it: `still` only where something is gone."""
    left, is_whole = snapshot.table.action_points, snapshot.table.action_points == snapshot.table.rules.action_points
    text: str = read(envelope.language, "mail").headlines["turn" if is_whole else "reminder"]
    return text.format(points=words_of(envelope.language).points(left))


def _tell_answer(actions: Sequence[contents.ActionLink], example: str, language: str) -> str:
    """How to play by answering, with an example on one line; and which actions cost two points."""
    words, more = words_of(language), cast("Mapping[str, str]", read(language, "mail"))
    costly = [words.quote(action.reply) for action in actions if action.cost > 1]
    costs = f" {more['costs'].format(list=words.join(costly))}" if costly else ""
    example = words.quote(example).replace(" ", "\u00a0")
    return f"{more['answer'].format(example=example)}{costs} {more['more']}"


def _tell_end_of_turn(end: TurnEnd, envelope: Envelope) -> str:
    more: Mapping[str, str] = read(envelope.language, "mail")
    time = contents.tell_time(end.at, envelope.zone, envelope.language)
    if end.reserve_from is None:
        return more["deadline"].format(time=time)
    form = more["deadline.bank" if end.reserve_from > envelope.sent_at else "deadline.reserve"]
    return form.format(time=time, start=contents.tell_time(end.reserve_from, envelope.zone, envelope.language))


def _compose(  # noqa: PLR0913 - what one kind of mail has of its own
    kind: str,
    snapshot: SeatSnapshot,
    envelope: Envelope,
    version: int,
    values: Mapping[str, Any],
    more_headers: Mapping[str, str | Address] | None = None,
    *,
    id_kind: str | None = None,
) -> EmailMessage:
    """A mail in the thread of the game and seat. `id_kind`: what its id begins with, if not the kind."""
    words, more = words_of(envelope.language), read(envelope.language, "mail")
    seats = snapshot.table.seats
    named = zip(seats, label_seats(seats, words.terms), strict=True)
    labels = [label if seat.bot or not seat.name else seat.name for seat, label in named]
    parts = [snapshot.table.name] if snapshot.table.name else labels
    domain = envelope.sender.domain
    thread = thread_id(snapshot.seat, snapshot.game, domain)
    headline = values.get("headline") or more.headlines[kind].format(points=words.points(snapshot.table.action_points))
    button = contents.link_to_game(snapshot, envelope.public_url, envelope.token), more.links["game"]
    values = {"button": button, **values, "headline": headline}
    headers: dict[str, str | Address] = {
        "To": Address(header_name(seats[snapshot.seat].name or ""), addr_spec=envelope.recipient),
        "Subject": more.subject.format(table=words.join([header_name(part) for part in parts])),
        "In-Reply-To": thread,
        "References": thread,
        "List-Id": f"<{snapshot.game}.{domain}>",
    }
    changes = (event["version"] for event in reversed(snapshot.events) if event["type"] not in EFFECTS_OF_PEOPLE)
    shown = max(version, next(changes, snapshot.version))  # the last event about the table
    if envelope.reply_to and (reply_to := envelope.reply_to((id_kind or kind).partition(".")[0], version, shown)):
        headers["Reply-To"] = Address(addr_spec=reply_to)
    if url := envelope.unsubscribe_url:
        headers["List-Unsubscribe"] = f"<{url}>"
        if url.startswith("https:"):  # RFC 8058 has one click for https only
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    headers |= dict(more_headers or {})
    if shown > version:  # not in its id, which an attempt that is repeated later keeps
        also = message_id(SHOWN, version, snapshot.seat, snapshot.game, domain, shown)
        headers["References"] = str(headers["References"]).replace(thread, f"{thread} {also}")
    own_id = message_id(id_kind or kind, version, snapshot.seat, snapshot.game, domain)
    return render(values | {"unsubscribe_url": envelope.unsubscribe_url}, envelope, own_id, headers)
