"""Mails with one link, in no thread of a game: to addresses that haven't agreed to any, or about a seat's receivers."""

from collections.abc import Sequence
from datetime import timedelta
from email.headerregistry import Address
from email.message import EmailMessage
from hashlib import sha256
from math import inf
from typing import Final, Literal

from babel.dates import format_timedelta

from domain.state import Game
from domain.words.catalogue import read
from domain.words.wording import words_of
from service.post.channels.chat import break_links
from service.post.mail.headers import address_of, header_name, message_id
from service.post.mail.rendering import Envelope, render


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
    values = {
        "headline": more.headlines[kind],
        "lines": lines,
        "button": (url, more.links.get(kind, more.links["game"])),
    }
    headers: dict[str, str | Address] = {
        "To": address_of("", envelope.recipient),
        "Subject": more.subjects[kind],
    }
    return render(values, envelope, message_id(name, 0, seat, game, envelope.sender.domain), headers)


def tell_invitation(game: Game, language: str) -> list[str]:
    """Who plays at which table, how long a turn may take, and what happens then.

    Anyone can name anyone's address, so no name in it is long, or a link.
    """
    words, more = words_of(language), read(language, "mail").guest
    names = [break_links(name) for name in words.name_seats([seat.name for seat in game.seats])]
    table, players = break_links(header_name(game.name or "")), words.join(names)
    lines = [
        more.table.format(table=words.quote(table), players=players) if table else more.players.format(players=players)
    ]
    if game.pace is None:
        return [*lines, more.none]
    seconds = game.pace.turn_seconds
    unit = next(name for name, size in _UNITS if seconds % size == 0)
    time = format_timedelta(timedelta(seconds=seconds), granularity=unit, threshold=inf, locale=language)
    return [*lines, more[game.pace.on_timeout].format(time=time)]


_UNITS: Final[tuple[tuple[Literal["day", "hour", "minute", "second"], int], ...]] = (
    ("day", 86_400),
    ("hour", 3600),
    ("minute", 60),
    ("second", 1),
)
"""Of time, with their seconds: the largest that tells it wholly."""
