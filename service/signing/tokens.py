"""Seat tokens: each is a capability for one seat of one game, checked without the store."""

from functools import lru_cache
from typing import NamedTuple

from itsdangerous import BadData, BadSignature, URLSafeSerializer
from itsdangerous.encoding import base64_decode, base64_encode

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

    def __init__(self, secrets: list[str], generations: Generations | None = None) -> None:
        """The last secret signs, all of them verify."""
        self.generations = generations or Generations()
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
        found = self.read_issued(token)
        return found if found and self.is_valid(found) else None

    def is_valid(self, found: SeatToken) -> bool:
        """Whether a token that was issued is the seat's present one. Raises as `Generations.of`."""
        present = self.generations.of(found.game, found.seat)
        if found.generation > present:  # issued by another process a moment ago
            present = self.generations.ask(found.game, found.seat)
        return found.generation == present

    def read_issued(self, token: str) -> SeatToken | None:
        """The seat that the token is or was for: it may be void. None if the service has not issued it."""
        if len(token) > _LONGEST:
            return None
        try:
            return self._read(token)
        except (BadData, ValueError, TypeError):
            return None

    def _parse(self, token: str) -> SeatToken:
        """Raises BadData, ValueError and TypeError."""
        game, seat, generation = self._serializer.loads(token)
        # Base64 as itsdangerous reads it passes over padding, spare bits and foreign characters.
        signature = token.rpartition(".")[2]
        if base64_encode(base64_decode(signature)).decode() != signature:
            raise BadSignature("the signature is not in its one spelling")
        return SeatToken(game, seat, generation)
