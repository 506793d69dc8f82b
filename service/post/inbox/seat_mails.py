"""Which mails of a seat have been played or refused, and the answers that are not handed over yet.

Rule 1: what has become of a mail is decided once. A copy of the mail, also one that comes at the same moment, gets the
same answer, whatever has happened in the game by then.
Rule 2: an answer is kept here from that decision until it is in the outbox, so that a crash in between loses none.
"""

from typing import Final

from service.connections.raw import Command
from service.gamelog.store.commit import Expect
from service.gamelog.store.streams import Store
from service.post.quotas import take

_HOUR_MS: Final = 3600_000
MOST_MAILS: Final = 60
"""Of a seat in an hour by the clock; more are put off unread."""
MOST_REFUSALS: Final = 20
"""That are answered, of a seat in an hour by the clock: two programs that answer each other come to an end."""
_MOST_KEPT: Final = 1000
"""Mails of a seat that are remembered."""
_KEPT_S: Final = 14 * 24 * 3600
"""Longer than any mail server tries to deliver a mail."""


class SeatMails:
    """The mails of all seats: two keys a seat, in the shard of its game, which expire 14 days after its last mail.

    Methods raise StoreUnavailable.
    """

    def __init__(self, store: Store) -> None:
        self._store = store

    def admit(self, game: str, seat: int, now: int) -> bool:
        """Count a mail that has come, before it is read; whether it may be. `now` in ms since 1970."""
        return self._count(game, f"{seat}:{now // _HOUR_MS}", MOST_MAILS)

    def admit_refusal(self, game: str, seat: int, now: int) -> bool:
        """Count a mail that is refused; whether it is answered."""
        return self._count(game, f"{seat}:{now // _HOUR_MS}:refused", MOST_REFUSALS)

    def _count(self, game: str, what: str, most: int) -> bool:
        return take(self._store, {f"{self._store.tag(game)}:tries:{game}:{what}": most}, {}, _HOUR_MS // 1000)

    def find(self, game: str, seat: int, mail: bytes) -> tuple[bool, str]:
        """Whether the mail with this digest is decided, and its answer, to be handed over; "": none is."""
        mails, answers = self._store.mails(game, seat)
        score, answer = self._store.read_together(("ZSCORE", mails, mail), ("HGET", answers, mail))
        return score is not None, (answer or b"").decode()

    def decide(self, game: str, seat: int, mail: bytes, now: int, answer: str) -> str:
        """Keep what has become of the mail, and its answer until `settle`. `answer`: empty for none.

        Returns the answer to hand over: that of another process which was quicker, or "" where that has handed it over.
        Raises StoreUnavailable.
        """
        mails, answers = self._store.mails(game, seat)
        writes: list[Command] = [("ZADD", mails, now, mail)]
        writes += [("HSET", answers, mail, answer), ("EXPIRE", answers, _KEPT_S)] if answer else []
        writes += [("ZREMRANGEBYRANK", mails, 0, -1 - _MOST_KEPT), ("EXPIRE", mails, _KEPT_S)]
        undecided = Expect(fields=[(answers, mail, "")], unlisted=[(mails, mail)])
        refused = self._store.commit(game, undecided, writes, safely=False)
        if refused is None:
            return answer
        return refused.reply.decode() if refused.word == "changed" else ""

    def settle(self, game: str, seat: int, mail: bytes) -> None:
        _, answers = self._store.mails(game, seat)
        self._store.with_retries(lambda: self._store.client.hdel(answers, mail))
