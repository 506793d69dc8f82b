"""The list of games that are open to all, and the list of one's own."""

from dataclasses import dataclass

from service.web.words.plural import Plural


@dataclass(frozen=True, slots=True, kw_only=True)
class LobbyWords:
    """Joining and watching."""

    title: str
    lead: str
    join: str
    your_name: str
    waiting: str
    """A heading: games with an open seat."""
    running: str
    """A heading."""
    none_waiting: str
    none_running: str
    watch: str
    open_seats: Plural
    changed: str
    """When something last happened, `{time}`."""
    more: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GamesWords:
    """The games that this browser plays."""

    title: str
    lead: str
    none: str
    own_turn: str
    """A heading: games in which it is one's turn."""
    others: str
    """A heading: games that wait for others."""
    unreachable: str
    """A heading: games that can't be loaded now."""
    finished: str
    """A heading."""
    void: str
    """A heading: games that can't be opened any more."""
    players: str
    """Of `{names}`."""
    remove: str
    remove_question: str
    remove_yes: str
    remove_no: str
