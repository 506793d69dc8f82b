"""Links in mails: each is a capability for one deed about one seat's subscription, checked without the store.

Rule: a link names the nonce of the subscription that it was made for. The caller compares it with the present one's, so
that a link is invalid once the seat's address is another one.
"""

from collections.abc import Callable
from typing import Final, NamedTuple, TypeVar

from itsdangerous import BadData, URLSafeSerializer

_LONGEST: Final = 300
"""Characters of a token."""
Link = TypeVar("Link")


class SeatLink(NamedTuple):
    game: str
    seat: int
    nonce: str
    """Of the seat's subscription at the time."""
    address: str = ""
    """Of a link that confirms an address: the digest of that, for the other seats that wait for it."""
    until: int = 0
    """Of such a link, in ms since 1970: it is invalid afterwards."""


class TokenLink(NamedTuple):
    game: str
    seat: int
    nonce: str
    """Of the seat's subscription at the time."""
    generation: int
    """Of the token that is lost: the link is invalid once the seat has another one."""
    until: int
    """In ms since 1970; the link is invalid afterwards."""


class Links:
    """Issues and checks the last part of a link's path. The same arguments always give the same one."""

    def __init__(self, secrets: list[str]) -> None:
        """The last secret signs, all of them verify."""
        self._confirm = URLSafeSerializer(secrets, salt="reibach/confirm")
        self._unsubscribe = URLSafeSerializer(secrets, salt="reibach/unsubscribe")
        self._token = URLSafeSerializer(secrets, salt="reibach/lost-token")

    def confirm(self, game: str, seat: int, nonce: str, address: str = "", until: int = 0) -> str:
        """For `/confirm/…`: who has it reads the mails of the address, or has had that mail from its reader."""
        return _sign(self._confirm, game, seat, nonce, address, until)

    def unsubscribe(self, game: str, seat: int, nonce: str) -> str:
        """For `/unsubscribe/…`, which ends the mails to the address."""
        return _sign(self._unsubscribe, game, seat, nonce)

    def token(self, game: str, seat: int, nonce: str, generation: int, until: int) -> str:
        """For `/token/…`, which gives the seat a new token."""
        return _sign(self._token, game, seat, nonce, generation, until)

    def read_confirm(self, token: str) -> SeatLink | None:
        """What `confirm` was given; None if the service has not issued it."""
        return _read(self._confirm, token, SeatLink)

    def read_unsubscribe(self, token: str) -> SeatLink | None:
        """What `unsubscribe` was given; None if the service has not issued it."""
        return _read(self._unsubscribe, token, SeatLink)

    def read_token(self, token: str) -> TokenLink | None:
        """What `token` was given; None if the service has not issued it."""
        return _read(self._token, token, TokenLink)


def _sign(serializer: URLSafeSerializer, *values: str | int) -> str:
    signed = serializer.dumps(values)
    return signed if isinstance(signed, str) else signed.decode()


def _read(serializer: URLSafeSerializer, token: str, kind: Callable[..., Link]) -> Link | None:
    """The values that were signed, as a link of its kind: only ours are."""
    try:
        return kind(*serializer.loads(token)) if len(token) <= _LONGEST else None
    except (BadData, ValueError):
        return None
