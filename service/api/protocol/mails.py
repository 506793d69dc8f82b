"""What requests that name mail addresses have in common: the check of one, and the limits of mails to new ones."""

from collections.abc import Iterator
from contextlib import contextmanager

from domain.words.refusals.sentences import Sentence
from service.api.problems.problem import InvalidRequest, Problem
from service.api.protocol.request import ApiRequest
from service.post.mail.address import BadMailAddress, check_address
from service.post.quotas import TooManyMails
from service.post.registration import AddressStays


@contextmanager
def limited_mails() -> Iterator[None]:
    """Refuse what is above the limits of mails. Raises Problem `too-many-requests` and `invalid-request`."""
    try:
        yield
    except TooManyMails as error:
        headers = {"Retry-After": str(error.wait_s)}
        raise Problem("too-many-requests", Sentence("too-many-requests.mails"), headers=headers) from None
    except AddressStays:
        raise InvalidRequest({"email": [Sentence("email.stays")]}) from None


def client_of(request: ApiRequest) -> str | None:
    """What tells clients apart; None where they have no limits."""
    limits = request.web.limits
    return f"{limits.client:016x}" if limits.are_on else None


def read_email(request: ApiRequest, text: str, field: str = "email") -> str:
    """The address in its one spelling. Raises Problem `invalid-request`."""
    if not request.services.registrar.takes_mail:
        raise InvalidRequest({field: [Sentence("email.unavailable")]})
    try:
        return check_address(text)
    except BadMailAddress:
        raise InvalidRequest({field: [Sentence("email.bad")]}) from None
