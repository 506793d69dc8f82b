"""Playing: the turn that is composed, the keys, and what scoring rounds tell."""

from collections.abc import Mapping
from dataclasses import dataclass

from service.web.words.plural import Plural


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnWords:
    """The turn as it is composed and sent."""

    heading: str
    hint_pick: str
    """What can be chosen, by hand or by key."""
    hint_target: str
    """Where the hand card `{card}` can go."""
    step_append: str
    """A step: `{card}` on row `{number}`."""
    step_lay: str
    """A step: `{card}` face down."""
    earlier: str
    """A button: `{step}` before the one that stands before it."""
    remove: str
    """A button: without `{step}`."""
    change_steps: Plural
    """A button: shows so many composed actions, to change them."""
    empty: str
    send: Plural
    waiting: str
    """In the place of one's turn: it is that of `{name}`."""
    sending: str
    unsent: str
    changed: str
    """What was sent late is refused."""
    retry: str
    take_now: str
    """A button: take `{card}`; the cost follows in brackets."""
    draw_now: str
    with_before: Plural
    """So many composed actions are sent, too."""
    back: str
    ask_not: str
    next_game: str
    """A link to the next game where it is one's turn, with `{names}`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyWords:
    """What keys do."""

    title: str
    take: str
    draw: str
    move: str
    choose: str
    escape: str
    empty: str
    help: str
    line: str
    """At the table: the most useful keys in a line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoringWords:
    """Scoring rounds."""

    title: str
    """Of `{round}`."""
    rounds: str
    no_round: str
    reasons: Mapping[str, str]
    """By the API's `reason`."""
    doubled: str
    player: str
    income: str
    losses: str
    empty_businessmakers: str
    hand_cards: str
    totals: str
    total: str
    now: str
    """What a round would bring if it came now."""
    now_hint: str
    no_rows: str
    you: str


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageWords:
    """What the players write to each other."""

    title: str
    label: str
    send: str
    none: str
    unread: Plural
    """On the closed list, to screen readers: how many messages are new."""
