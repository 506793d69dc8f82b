"""Seat tokens: each is a capability for one seat of one game, checked without the store."""

from functools import lru_cache
from typing import NamedTuple

from itsdangerous import BadData, URLSafeSerializer

from service.signing.generations import Generations

_LONGEST = 300


class SeatToken(NamedTuple):
    """The seat that a token is for."""

    game: str
    seat: int
    generation: int
    """Which of the seat's tokens it is, counted from 0: only that of the seat's present generation is valid."""


class Tokens:
    """Issues and checks seat tokens. The same seat and generation always get the same token."""

    def __init__(self, secrets: list[str]) -> None:
        """The last secret signs, all of them verify."""
        self.generations: Generations = {}
        """The present ones; replaced as a whole when they change."""
        self._serializer = URLSafeSerializer(secrets, salt="reibach/seat")
        self._read = lru_cache(maxsize=10_000)(self._parse)

    def issue(self, game: str, seat: int, generation: int = 0) -> str:
        """The token of a seat; by default its first one, also if that is void."""
        token = self._serializer.dumps([game, seat, generation])
        return token if isinstance(token, str) else token.decode()

    def read(self, token: str) -> SeatToken | None:
        """The seat that the token is for; None if the service has not issued it, or if it is void.

        Good tokens are cached. Bad ones are not: there are as many of those, and as long ones, as a client likes.
        """
        if len(token) > _LONGEST:
            return None
        try:
            found = self._read(token)
        except (BadData, ValueError, TypeError):
            return None
        return found if found.generation == self.generation_of(found.game, found.seat) else None

    def generation_of(self, game: str, seat: int) -> int:
        """The generation of the seat's valid token."""
        return self.generations.get((game, seat), 0)

    def _parse(self, token: str) -> SeatToken:
        """Raises BadData, ValueError and TypeError."""
        game, seat, generation = self._serializer.loads(token)
        return SeatToken(game, seat, generation)
