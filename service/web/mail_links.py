"""The pages that links in mails lead to: each asks one question, and its button POSTs.

Rule: GET and HEAD change nothing, since mail programs and scanners open links by themselves. A link that is void, for
whatever reason, gets the same page.
"""

from typing import Final

from flask import Response

from domain.words.catalogue import read
from service.api.protocol.body import read_whole_body
from service.api.protocol.request import ApiRequest
from service.api.protocol.routing import RouteTable
from service.gamelog.errors import NoSuchGame
from service.post.subscriptions import Subscription
from service.signing.links import SeatLink, TokenLink
from service.web.frame import Tongue, read_tongue, respond_not_found, respond_notice

routes: Final = RouteTable()


@routes.get("/confirm/<token>")
def ask_to_confirm(request: ApiRequest) -> Response:
    return _ask(request, request.services.links.read_confirm(request.path["token"]), "confirm")


@routes.post("/confirm/<token>")
def confirm(request: ApiRequest) -> Response:
    read_whole_body(request.web.places)
    link = request.services.links.read_confirm(request.path["token"])
    kept = _find(request, link)
    if link is None or kept is None:
        return _respond_void()
    try:
        loaded = request.services.games.load(link.game)
    except NoSuchGame:
        return _respond_void()
    if loaded.generation(link.seat) != kept.generation:
        return _respond_void()
    if not request.services.registrar.confirm(loaded.game, link.seat, link.nonce):
        return _respond_void()
    return _respond_done(kept, "confirm")


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
    return _respond_done(kept, "unsubscribe")


@routes.get("/token/<token>")
def ask_to_renew(request: ApiRequest) -> Response:
    return _ask(request, _read_timely_link(request), "token")


@routes.post("/token/<token>")
def renew_token(request: ApiRequest) -> Response:
    """Void a seat's token, and show the new one; a form that is sent twice within a short time shows the same one."""
    read_whole_body(request.web.places)
    link, services = _read_timely_link(request), request.services
    kept = _find(request, link)
    if link is None or kept is None:
        return _respond_void()
    try:
        generation = services.renew_generation(link.game, link.seat, link.generation, request.path["token"])
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
    """The subscription that a link is for; None where the link is void. Raises StoreUnavailable."""
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


def _respond_done(kept: Subscription, page: str) -> Response:
    words = read(kept.language, "mail_links")[page]
    return respond_notice(_tongue_of(kept), words.title, [words.done])


def _tongue_of(kept: Subscription) -> Tongue:
    return Tongue(kept.language, is_asked_for=False)


def _respond_void() -> Response:
    """In the language of the browser: of the link nothing is known."""
    tongue = read_tongue()
    words = read(tongue.language, "mail_links")
    return respond_not_found(tongue, words.void_title, words.void)
