"""Seat tokens: each is a capability for one seat of one game. Its signature is checked here, without the store.

Only the game's header knows whether it is revoked: reads and scripts compare its generation with the seat's there.
"""

import re
from functools import lru_cache
from typing import Final, NamedTuple

from itsdangerous import BadData, BadSignature, URLSafeSerializer
from itsdangerous.encoding import base64_decode, base64_encode

MOST_ROTATIONS: Final = 20
"""Hand-overs of a seat by its person; an operator's new tokens count, and have no limit."""
GENERATIONS_OF_A_PERSON: Final = 1_000_000
"""Tokens of one person of a seat, whose generations count on from a multiple of it."""
_LONGEST: Final = 300
_SECRET: Final = re.compile(
    r"token=[\w.%-]{8}|/(?:confirm|unsubscribe|token)/[\w.-]{20}|(?<![a-z2-7])[a-z2-7]{50,64}@"
    r"|(?<![\w-])[\w-]{8,300}\.[\w-]{27}(?![\w-])",
    re.ASCII | re.IGNORECASE,
)
"""Links of mails, reply addresses, and what is signed, by its length."""


class SeatToken(NamedTuple):
    game: str
    seat: int
    generation: int
    """Which of the seat's tokens it is, counted from 0: only that of the seat's present generation is valid."""


class Tokens:
    """Issues and reads seat tokens. The same seat and generation always get the same token."""

    def __init__(self, secrets: list[str]) -> None:
        """The last secret signs, all of them verify."""
        self._serializer = URLSafeSerializer(secrets, salt="reibach/seat")
        self._read = lru_cache(maxsize=10_000)(self._parse)

    def issue(self, game: str, seat: int, generation: int = 0) -> str:
        """The token of a seat; by default its first one, even if that is revoked."""
        token = self._serializer.dumps([game, seat, generation])
        return token if isinstance(token, str) else token.decode()

    def read(self, token: str) -> SeatToken | None:
        """The seat that the token is or was for: it may be revoked. None if the service has not issued it.

        Good tokens are cached. Bad ones are not: there are as many of those, and as long ones, as a client likes.
        """
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


def first_generation(replaced_at: int) -> int:
    """The generation of the first token of a person who took an abandoned seat, with the event of this version.

    It follows from the log, so that a repeat of the request is answered with the same token.
    """
    return replaced_at * GENERATIONS_OF_A_PERSON


def holds_secret(text: str, game: str) -> bool:
    """Whether a token, signed link or reply address is in it, valid or not; of this game also one broken into lines."""
    begins = f'["{game}",'.encode()  # what is signed of a game; Base64 writes its triples one by one
    prefix = base64_encode(begins[: len(begins) // 3 * 3]).decode()
    return _SECRET.search(text) is not None or prefix in re.sub(r"[\s>|=]+", "", text)
