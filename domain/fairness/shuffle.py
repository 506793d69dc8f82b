"""The verifiable shuffle: contract 4, step by step. Pure: all randomness comes from the seed and the entropies."""

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import count
from struct import unpack

from domain.cards import Card
from domain.fairness.canonical import canonical_json, hmac_sha256
from domain.rules import Rules


def commitment_to(server_seed: bytes) -> str:
    """The commitment to the seed that `GameCreated` publishes, as 64 hex digits (contract 4.1)."""
    return sha256(b"reibach/commitment" + server_seed).hexdigest()


def shuffle_key(server_seed: bytes, entropies: Sequence[str]) -> bytes:
    """The key of the random stream: the seed and every seat's entropy in seat order (contract 4.2)."""
    return hmac_sha256(server_seed, b"reibach/shuffle" + canonical_json(list(entropies)))


def random_integers(key: bytes) -> Iterator[int]:
    """The endless random stream of 4-byte integers (contract 4.3)."""
    for index in count():
        yield from unpack(">8I", hmac_sha256(key, index.to_bytes(8, "big")))


def below(stream: Iterator[int], n: int) -> int:
    """A uniform number from 0 to n - 1: integers that would favour small remainders are skipped."""
    limit = 2**32 - 2**32 % n
    return next(filter(limit.__gt__, stream)) % n


def shuffle(cards: list[Card], stream: Iterator[int]) -> None:
    """Shuffle in place (contract 4.4)."""
    for i in range(len(cards) - 1, 0, -1):
        j = below(stream, i + 1)
        cards[i], cards[j] = cards[j], cards[i]


def deal(rules: Rules, server_seed: bytes, entropies: Sequence[str]) -> tuple[list[list[Card]], list[Card], list[Card]]:
    """Hands, display and draw pile, its top card first, for as many seats as there are entropies (contract 4.5)."""
    stream = random_integers(shuffle_key(server_seed, entropies))
    cards = rules.deck
    shuffle(cards, stream)
    dealt = rules.hand_size * len(entropies)
    hands = [cards[start : start + rules.hand_size] for start in range(0, dealt, rules.hand_size)]
    display = cards[dealt : dealt + rules.display_size]
    draw_pile = cards[dealt + rules.display_size :] + rules.reibach_cards
    shuffle(draw_pile, stream)
    return hands, display, draw_pile
