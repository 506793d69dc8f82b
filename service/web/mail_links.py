"""The pages that links in mails lead to: each asks one question, and its button POSTs.

Rule: GET and HEAD change nothing, since mail programs and scanners open links by themselves. Every link that is invalid
gets the same page, whatever the reason.
"""

from collections.abc import Sequence
from typing import Final
from urllib.parse import parse_qs

from flask import Response

from domain.clock.hours import is_zone
from domain.words.catalogue import TextTable, read
from domain.words.wording import isolate, words_of
from service.api.protocol.body import read_whole_body
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable
from service.gamelog.store.errors import NoSuchGame
from service.post.quotas import MOST_WAITING
from service.post.registration import Waiting
from service.post.subscriptions import Subscription
from service.signing.links import SeatLink, TokenLink
from service.web.frame import Tongue, read_tongue, respond_not_found, respond_notice

routes: Final = RouteTable()

_MOST_FIELDS: Final = MOST_WAITING + 3
"""A seat each, the link's own, that there was a list, and the browser's time zone."""


@routes.get("/confirm/<token>")
def ask_to_confirm(request: ApiRequest) -> Response:
    """Ask for one seat; where others wait for the address, too, for those that are ticked."""
    waiting = _find_waiting(request)[1]
    if not waiting:
        return _respond_void()
    tongue, words = _tongue_of(waiting[0].subscription), _words_of(waiting)
    lines, choices = [words.question], []
    if len(waiting) > 1 or not waiting[0].is_asked:
        lines = [read(tongue.language, "mail_links").confirm.choose]
        choices = [(seat.key, _label(seat), seat.is_asked) for seat in waiting]
    elif waiting[0].is_guest:
        lines.append(_label(waiting[0]))
    parts = {"button": words.button, "choices": choices, "asks_zone": any(seat.is_guest for seat in waiting)}
    return respond_notice(tongue, words.title, lines, **parts)


@routes.post("/confirm/<token>")
def confirm(request: ApiRequest) -> Response:
    """Confirm the address for the seats that are ticked, and link to these tables: with the seat's key for a guest."""
    (digest, waiting), services = _find_waiting(request), request.services
    if not waiting:
        return _respond_void()
    form = _read_seats(request)
    ticked = form.get("seat", ())
    chosen = [seat for seat in waiting if (seat.key in ticked if "list" in form else seat.is_asked)]
    zone = next(filter(is_zone, form.get("zone", ())), "")
    done = [seat for seat in chosen if services.registrar.confirm(seat.game, seat.seat, seat.subscription, zone)]
    if not done:
        return ask_to_confirm(request) if "list" in form else _respond_void()
    new = [seat.key for seat in done if not seat.subscription.is_confirmed]
    more = services.registrar.answer(digest, new) if new else 0
    words, issue = _words_of(done), services.tokens.issue
    lines = [words.done, *[read(done[0].subscription.language, "mail_links").confirm.elsewhere] * bool(more)]
    if len(done) < len(waiting):
        lines.append(read(done[0].subscription.language, "mail_links").confirm.others)
    seats = []
    for seat in done:
        path = f"/g/{seat.game.id}#seat={seat.seat}"
        if seat.is_guest:
            path += f"&token={issue(seat.game.id, seat.seat, seat.subscription.generation)}"
        seats.append((_label(seat), path))
    return respond_notice(_tongue_of(done[0].subscription), words.title, lines, seats=seats)


def _read_seats(request: ApiRequest) -> dict[str, list[str]]:
    """The fields of the page's form; none where the body has more than its page."""
    text = read_whole_body(request.web.places).decode("ascii", "replace")
    return parse_qs(text, max_num_fields=_MOST_FIELDS) if text.count("&") < _MOST_FIELDS else {"list": []}


def _find_waiting(request: ApiRequest) -> tuple[str, list[Waiting]]:
    """The digest of the address, and the seats that the page of the link asks for; none where it is invalid."""
    services = request.services
    link = services.links.read_confirm(request.path["token"])
    if link is None or link.until <= services.outside.clock():
        return "", []
    return link.address, services.registrar.list_waiting(link)


def _words_of(seats: Sequence[Waiting]) -> TextTable:
    """Of the page about an invitation, if one of them is a guest's; in the language of the first."""
    page = "invite" if any(seat.is_guest for seat in seats) else "confirm"
    words: TextTable = read(seats[0].subscription.language, "mail_links")[page]
    return words


def _label(seat: Waiting) -> str:
    """The table and who is at it, and whose seat it is."""
    words = words_of(seat.subscription.language)
    names = words.name_seats(seat.game.seats)
    table = ", ".join(names)
    table = f"{isolate(seat.game.name)} ({table})" if seat.game.name else table
    return f"{table}{words.colon}{names[seat.seat]}"


@routes.get("/unsubscribe/<token>")
def ask_to_unsubscribe(request: ApiRequest) -> Response:
    return _ask(request, request.services.links.read_unsubscribe(request.path["token"]), "unsubscribe")


@routes.post("/unsubscribe/<token>")
def end_mails(request: ApiRequest) -> Response:
    """End the mails to an address: by the page's button, or by a mail program (RFC 8058)."""
    read_whole_body(request.web.places)
    link = request.services.links.read_unsubscribe(request.path["token"])
    kept = _find(request, link)
    if link is None or kept is None or kept.email is None:
        return _respond_void()
    request.services.registrar.subscriptions.end(link.game, link.seat, kept.email)
    words = read(kept.language, "mail_links").unsubscribe
    return respond_notice(_tongue_of(kept), words.title, [words.done])


@routes.get("/token/<token>")
def ask_to_renew(request: ApiRequest) -> Response:
    return _ask(request, _read_timely_link(request), "token")


@routes.post("/token/<token>")
def renew_token(request: ApiRequest) -> Response:
    """Revoke a seat's token, and show the new one; a form that is sent twice within a short time shows the same one."""
    read_whole_body(request.web.places)
    link, services = _read_timely_link(request), request.services
    kept = _find(request, link)
    if link is None or kept is None:
        return _respond_void()
    try:
        generation = services.recovery.renew(link.game, link.seat, link.generation, request.path["token"])
    except NoSuchGame:
        return _respond_void()
    if generation is None:
        return _respond_void()
    token, words = services.tokens.issue(link.game, link.seat, generation), read(kept.language, "mail_links").token
    return respond_notice(_tongue_of(kept), words.title, [words.done], code=token)


def _read_timely_link(request: ApiRequest) -> TokenLink | None:
    """The link to a new token; None where its time is over."""
    link = request.services.links.read_token(request.path["token"])
    return link if link is not None and link.until > request.services.outside.clock() else None


def _find(request: ApiRequest, link: SeatLink | TokenLink | None) -> Subscription | None:
    """The subscription that a link is for; None where the link is invalid. Raises StoreUnavailable."""
    if link is None:
        return None
    kept = request.services.registrar.subscriptions.load_seat(link.game, link.seat)
    return kept if kept is not None and kept.email is not None and kept.nonce == link.nonce else None


def _ask(request: ApiRequest, link: SeatLink | TokenLink | None, page: str) -> Response:
    kept = _find(request, link)
    if kept is None or (isinstance(link, TokenLink) and link.generation != kept.generation):
        return _respond_void()
    words = read(kept.language, "mail_links")[page]
    return respond_notice(_tongue_of(kept), words.title, [words.question], button=words.button)


def _tongue_of(kept: Subscription) -> Tongue:
    return Tongue(kept.language, is_asked_for=False)


def _respond_void() -> Response:
    """In the language of the browser: of the link nothing is known."""
    tongue = read_tongue()
    words = read(tongue.language, "mail_links")
    return respond_not_found(tongue, words.void_title, words.void)
