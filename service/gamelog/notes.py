"""What a seat's person notes for herself: one hash per game, which nobody else is shown and nothing counts.

It ends with the seat's token, by `Store.forget_person`.
"""

from service.gamelog.store.commit import Expect
from service.gamelog.store.streams import Store
from service.signing.tokens import SeatToken


def load_note(store: Store, game: str, seat: int) -> str:
    """Empty: there is none. One read. Raises StoreUnavailable."""
    (text,) = store.read_together(("HGET", store.notes(game), seat))
    return (text or b"").decode()


def put_note(store: Store, token: SeatToken, text: str) -> None:
    """Keep `text` in the place of the seat's note; empty removes it. Raises NoSuchGame, TokenVoid, StoreUnavailable."""
    game, seat, _ = token
    key = store.notes(game)
    write = ("HSET", key, seat, text) if text else ("HDEL", key, seat)
    store.exchange(game, write, Expect(token=token), safely=True)
