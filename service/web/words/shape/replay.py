"""The replay of a game."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayWords:
    """The rail, the charts, and a new game from a moment of the replay."""

    title: str
    players: str
    """A heading."""
    rail: str
    """The name of the slider with its buttons."""
    moment: str
    """The name of the slider."""
    back_scoring: str
    back_turn: str
    back_action: str
    play: str
    pause: str
    next_action: str
    next_turn: str
    next_scoring: str
    keys: str
    """Which keys do that."""
    speed: str
    speeds: Mapping[str, str]
    """slow, normal, fast, fastest."""
    eyes: str
    """A question: from whose eyes?"""
    all_knowing: str
    onlooker: str
    link: str
    """A button: copy a link to this moment."""
    dealt: str
    turn_begins: str
    """Of `{turn}`, a number, and `{name}`."""
    draws: str
    """`{name}` draws a card that stays hidden."""
    earned: str
    """The title of a mark at a row: it earned `{amount}`."""
    charts: str
    totals: str
    races: str
    leads: str
    """`{name}` is ahead."""
    nobody_leads: str
    """Several are level."""
    as_tables: str
    turn: str
    """The heading of a column of numbers of turns, and the name of a mark at the slider."""
    scoring: str
    """The name of a mark at the slider."""
    fork: str
    fork_hint: str
    fork_running: str
    """Of a game that is not over."""
    person: str
    """Who plays a seat: a person, by name."""
    print: str
    """A button of the score sheet."""
    sheet_is_wide: str
    """Above a score sheet of which a part is out of sight."""
