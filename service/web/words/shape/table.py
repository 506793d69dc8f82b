"""The table of a game."""

from dataclasses import dataclass

from service.web.words.plural import Plural


@dataclass(frozen=True, slots=True, kw_only=True)
class TableWords:
    """Names of what lies there, and whose turn it is."""

    display: str
    """A heading."""
    own_rows: str
    """A heading."""
    hand: str
    """A heading."""
    rivals: str
    """A heading."""
    face_down: str
    """The name of a card that lies face down."""
    row_name: str
    """Of `{number}` and `{business}`."""
    row_without_business: str
    length: Plural
    doubled: str
    closed: str
    shown_businessmaker: str
    """Of `{card}`."""
    no_rows: str
    empty_hand: str
    track: str
    """The Reibach track: `{revealed}`, and `{next}`, at which the next round is scored."""
    scorings: str
    """Below the track: the counts `{marks}` of revealed Reibach cards at which rounds are scored."""
    track_full: str
    """After the last scoring; `{revealed}`."""
    pile: Plural
    hand_size: Plural
    your_turn: str
    their_turn: str
    """Of `{name}`."""
    points_left: Plural
    waits_for_players: str
    scoring: str
    over: str
    won: Plural
    """The winners, `{names}`."""
    standing: str
    """A heading: the totals of a game that is over."""
    again: str
    """A link to the form for a new game, filled with the players and settings of this one."""
    abandoned: str
    resigned: str
    play_as: str
    """A button: play the seat of `{name}`."""
    other_seat: str
    """In the place of a name that this browser doesn't know."""
    recap_own: str
    """A heading: what has happened since one's own last turn."""
    recap_all: str
    """A heading: what has happened lately."""
    recap_none: str
    cost: Plural
    """What an action costs, or how many are left."""
    costs: Plural
    """Below a card, in short: what it costs to take it."""
    changed: str
    """On a card or a row, in short: it has changed since the player's last action."""
    no_business: str
    """In the place of a row's business, in short."""
    empty_slot: str
    """In the place of a display card, in short: none lies there."""
    connection_lost: str
    time_left: str
    """Of a turn: `{time}`."""
    late: str
    """In its place when it is over."""
    paused: str
    on_vacation: str
    """Until `{time}`."""
    bank: str
    """What is left in the time bank: `{time}`."""
    new_row: str
