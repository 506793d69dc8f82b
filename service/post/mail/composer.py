"""Mails about a game to one seat: what happened, the table, the hand, and what the seat can do, in its language.

Rule 1: a mail is made of a `SeatSnapshot`, and so of nothing that is hidden from its seat. Worlds that the seat can't
distinguish give mails of equal bytes.
Rule 2: no address and no token is in a link's query; a token is in a fragment, or in the path of a link that
the caller signed.
"""

from collections.abc import Mapping, Sequence
from email.headerregistry import Address
from email.message import EmailMessage
from hashlib import sha256
from typing import Any, Final, cast

from domain.people.effects import EFFECTS_OF_PEOPLE
from domain.words.catalogue import read
from domain.words.refusals import phrase_refusal
from domain.words.wording import label_seats, words_of
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.contents import (
    ActionLink,
    count_cards,
    lay_out_seats,
    link_actions,
    link_agreements,
    link_to_game,
    next_scoring,
    recap_for,
    sentences_between,
    tell_costliest,
    tell_result,
    tell_time,
    told_between,
)
from service.post.mail.headers import LOOP_HEADER, SHOWN, address_of, header_name, message_id, thread_id
from service.post.mail.people import PeopleNews, tell_people, tell_requests
from service.post.mail.rendering import Envelope, render
from service.post.notices import POSTED
from service.post.snapshot import SeatSnapshot

_PAGES: Final = {"again": "/?again={0}#seat={1}", "replay": "/g/{}/replay", "sheet": "/g/{}/sheet"}


def compose_whole(  # noqa: PLR0913 - what one kind of mail has of its own
    kind: str,
    snapshot: SeatSnapshot,
    envelope: Envelope,
    version: int,
    deadline: int | None = None,
    until: int = 0,
    *,
    start: int | None = None,
    costliest: tuple[int, float] | None = None,
) -> EmailMessage:
    """Tells a player what has happened, with the table: `turn`, `reminder`, `scoring`, `over` or `people`.

    `version`: that of the notice; `deadline` in milliseconds since 1970; `until`: the last version that it tells;
    `start`: when a reserve begins that lasts until the deadline; `costliest`: a turn of the seat's, and its loss.
    """
    words, more = words_of(envelope.language, envelope.zone), read(envelope.language, "mail")
    result = tell_result(kind, snapshot, version, words)
    texts, is_cut = recap_for(snapshot, words, ("RoundScored", "GameEnded") if result else ())
    actions = []
    news, lines, told = PeopleNews([], tell_requests(snapshot, words), [])
    if kind == "people":
        answerable = envelope.reply_to is not None
        news, lines, told = tell_people(snapshot, version, until, words, is_answerable=answerable)
        if snapshot.actions:
            news = [*news, more.headlines["reminder"].format(points=words.points(snapshot.table.action_points))]
    goes_on = kind == "scoring" and snapshot.table.action_points < snapshot.table.rules.action_points
    if kind in {"turn", "reminder", "people"} or goes_on:  # the round has interrupted the turn
        actions = link_actions(snapshot, envelope.language, envelope.public_url, envelope.token)
    if goes_on and actions:
        lines = [*lines, more.headlines["reminder"].format(points=words.points(snapshot.table.action_points))]
    if kind == "over":
        pages = _PAGES | ({"replay": "/g/{}/replay#analysis={}"} if costliest else {})
        links = [
            (envelope.public_url + path.format(snapshot.game, snapshot.seat), more.links[name])
            for name, path in pages.items()
        ]
        lines = [*lines, tell_costliest(*costliest, words)] if costliest else lines
        result |= {"button": links[0], "links": links[1:]}
    time = "" if deadline is None else tell_time(deadline, envelope.zone, envelope.language)
    if kind == "reminder" and time:
        has_bot = snapshot.events[0]["data"].get("pace", {}).get("on_timeout") == "bot"
        result = {"headline": more.headlines["reminder.bot" if has_bot else "reminder.late"].format(time=time)}
    absence = _lines_of_absence(snapshot, envelope, has_deadline=deadline is not None)
    values = {
        "lines": [*(line for line in absence if line not in news), *lines],
        "recap": [text for text in texts if text not in told],
        "recap_heading": more.headings["recap"],
        "earlier": more.earlier if is_cut else None,
        "deadline": _tell_deadline(time, start, envelope)
        if time and (kind != "reminder" or start is not None)
        else None,
        **_position(snapshot, envelope, actions),
        **({"headline": "\n".join(news)} if news else result),
    }
    return _compose(kind, snapshot, envelope, version, values)


def compose_messages(snapshot: SeatSnapshot, envelope: Envelope, version: int, until: int) -> EmailMessage:
    """Passes on the messages that other players wrote from `version` to `until`, those of both included."""
    texts, is_cut = told_between(
        snapshot, version - 1, until, words_of(envelope.language), lambda item: item["type"] == POSTED
    )
    way = [cast("Mapping[str, str]", read(envelope.language, "mail"))["answer.message"]] if envelope.reply_to else []
    values = {
        "lines": [*_lines_of_absence(snapshot, envelope, has_deadline=False), *way],
        "recap": texts,
        "earlier": read(envelope.language, "mail").earlier if is_cut else None,
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
        lines.append(more.offer.format(offer=" / ".join(answer.offers)))
    if answer.refusal and not (answer.is_done or answer.kind):
        lines.append(more.say)
    lines += tell_requests(snapshot, words) if answer.kind in {"help", "status"} else ()
    lines += more.help if answer.kind == "help" else ()
    recap = sentences_between(snapshot, answer.since, answer.until, words)
    if answer.kind == "status":
        recap, _ = recap_for(snapshot, words)
    kind = "answer" if answer.refusal is None else "answer.part" if answer.is_done else "answer.none"
    if snapshot.actions:
        lines.append(more.headlines["reminder"].format(points=words.points(snapshot.table.action_points)))
    values = {
        "headline": more.headlines[f"answer.{answer.kind}" if answer.kind else kind],
        "lines": lines,
        "recap": recap,
        "recap_heading": more.headings["recap" if answer.kind == "status" else "done"],
        **_position(snapshot, envelope, link_actions(snapshot, envelope.language, envelope.public_url, envelope.token)),
    }
    headers: dict[str, str | Address] = {"Auto-Submitted": "auto-replied", LOOP_HEADER: envelope.sender.addr_spec}
    if answer.mail is not None:
        headers["In-Reply-To"] = answer.mail
        headers["References"] = f"{thread_id(snapshot.seat, snapshot.game, envelope.sender.domain)} {answer.mail}"
    named = answer.kind if answer.kind in {"resign", "cancel"} else "answer"  # its id tells what a `yes` is for
    return _compose("answer", snapshot, envelope, answer.until, values, headers, id_kind=f"{named}.{answer.id}")


def compose_link(  # noqa: PLR0913 - what it says
    kind: str, game: str, seat: int, envelope: Envelope, url: str, detail: str = "", facts: Sequence[str] = ()
) -> EmailMessage:
    """A mail with one link, in no thread. Of players it has no text but the `facts` of an invitation.

    It asks whether the address wants mails (`confirmation`), or a seat (`invitation`), offers a new `token` in place of
    a lost one, or tells that a receiver was added, or has ended. Of that one's URL only the host is shown, since it may
    be a secret; `detail` has it, why it has ended, and what tells mails with the same link apart.
    """
    more = read(envelope.language, "mail")
    if detail:
        host, *why, _ = detail.split()
        lines = [more.receivers[kind].format(host=host, reason=" ".join(why))]
    else:
        own = {"confirmation": (more.confirm, more.ignore), "invitation": (*facts, more.invite, more.ignore)}
        lines = list(own.get(kind, (more.renew,)))
    # A second request for the same seat has another link, and must not pass for the first one's duplicate.
    name = f"{kind}.{sha256((detail or url).encode()).hexdigest()[:16]}"
    button = url, more.links.get(kind, more.links["game"])
    values = {"headline": more.headlines[kind], "lines": lines, "button": button}
    headers: dict[str, str | Address] = {"To": address_of("", envelope.recipient), "Subject": more.subjects[kind]}
    return render(values, envelope, message_id(name, 0, seat, game, envelope.sender.domain), headers)


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
        lines.append(words["free"].format(time=tell_time(snapshot.free_from, envelope.zone, envelope.language)))
    return lines


def _position(snapshot: SeatSnapshot, envelope: Envelope, actions: Sequence[ActionLink]) -> dict[str, Any]:
    """The hand, the table and the actions, for the templates."""
    words = words_of(envelope.language)
    is_over = snapshot.table.status == "over"
    return {
        "hand": [] if is_over else count_cards(snapshot.hand),
        "table": None if is_over else snapshot.table,
        "next_scoring": next_scoring(snapshot, words),
        "seats": lay_out_seats(snapshot, words),
        "actions": [*actions, *link_agreements(snapshot, envelope.language, envelope.public_url, envelope.token)],
        "answer": _tell_answer(actions, envelope.language) if actions and envelope.reply_to else None,
    }


def _tell_answer(actions: Sequence[ActionLink], language: str) -> str:
    """How to play by answering, with an example on one line; and which actions cost two points."""
    words, more = words_of(language), cast("Mapping[str, str]", read(language, "mail"))
    costly = [words.quote(action.reply) for action in actions if action.cost > 1]
    costs = f" {more['costs'].format(list=words.join(costly))}" if costly else ""
    example = words.quote(actions[-1].reply).replace(" ", "\u00a0")
    return f"{more['answer'].format(example=example)}{costs} {more['more']}"


def _tell_deadline(time: str, start: int | None, envelope: Envelope) -> str:
    more: Mapping[str, str] = read(envelope.language, "mail")
    if start is None:
        return more["deadline"].format(time=time)
    begins = tell_time(start, envelope.zone, envelope.language)
    return more["deadline.bank" if start > envelope.sent_at else "deadline.reserve"].format(time=time, start=begins)


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
    labels = [label if one.bot or not one.name else one.name for one, label in named]
    parts = [snapshot.table.name] if snapshot.table.name else labels
    domain = envelope.sender.domain
    thread = thread_id(snapshot.seat, snapshot.game, domain)
    values = {
        "headline": more.headlines.get(kind, "").format(points=words.points(snapshot.table.action_points)),
        "button": (link_to_game(snapshot, envelope.public_url, envelope.token), more.links["game"]),
        **values,
    }
    headers: dict[str, str | Address] = {
        "To": address_of(seats[snapshot.seat].name or "", envelope.recipient),
        "Subject": more.subject.format(table=words.join([header_name(part) for part in parts])),
        "In-Reply-To": thread,
        "References": thread,
        "List-Id": f"<{snapshot.game}.{domain}>",
    }
    if envelope.reply_to is not None:
        headers["Reply-To"] = Address(addr_spec=envelope.reply_to)
    if url := envelope.unsubscribe_url:
        headers["List-Unsubscribe"] = f"<{url}>"
        if url.startswith("https:"):  # RFC 8058 has one click for https only
            headers["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
    headers |= dict(more_headers or {})
    if (shown := _last_of_table(snapshot)) > version:  # not in its id, which an attempt that is repeated later keeps
        also = message_id(SHOWN, version, snapshot.seat, snapshot.game, domain, shown)
        headers["References"] = str(headers["References"]).replace(thread, f"{thread} {also}")
    own_id = message_id(id_kind or kind, version, snapshot.seat, snapshot.game, domain)
    return render(values | {"unsubscribe_url": envelope.unsubscribe_url}, envelope, own_id, headers)


def _last_of_table(snapshot: SeatSnapshot) -> int:
    """The version of the last event about the table."""
    changes = (event["version"] for event in reversed(snapshot.events) if event["type"] not in EFFECTS_OF_PEOPLE)
    return next(changes, snapshot.version)
