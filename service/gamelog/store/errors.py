"""What reading and writing the log may raise."""

from domain.audit.findings import Offence


class NoSuchGame(Exception):
    """The store holds no game of this id."""


class GameExists(Exception):
    """The store holds a game of this id already, so none can be imported under it."""


class NoSuchVersion(Exception):
    """The game has no event of this version."""


class TokenVoid(Exception):
    """The seat has had another token since that of the request. Nothing was written."""


class StaleVersion(Exception):
    """The game isn't at a version for which the request was made. Nothing was appended."""

    def __init__(self, version: int) -> None:
        """`version`: the game's present one."""
        super().__init__(f"the game is at version {version}")
        self.version = version


class KeyReused(Exception):
    """The idempotency key was used for another request of its scope, or for a game that is long over."""


class TooManyBotGames(Exception):
    """As many games that only bots play are running as the deployment allows. None was opened."""

    def __init__(self, most: int) -> None:
        super().__init__(f"{most} games between bots are running")
        self.most = most


class NotStorable(Exception):
    """The events of an import have no stored form that gives them back byte for byte."""

    def __init__(self, offence: Offence) -> None:
        super().__init__(offence.expected)
        self.offence = offence


class CorruptLog(Exception):
    """The store holds what no append can have written: a changed, torn or missing entry, header or archive."""


class PastLost(CorruptLog):
    """The store no longer has entries that this process has read or written: its log is another one now."""


class StoreUnavailable(Exception):
    """The store, or the place of the archive files, couldn't be reached or refused to write until retries ended.

    An append that raises it may have been stored all the same: a repeat with the same idempotency key settles it.
    """

    retry_after = 2
    """Seconds after which another try may succeed."""


class StoreFull(StoreUnavailable):
    """The store's memory is above its watermark: no game is opened, and those that are running continue."""

    retry_after = 60


class GameBusy(StoreUnavailable):
    """Too many requests write the game at once: this one found no turn. Nothing was appended."""

    retry_after = 1
