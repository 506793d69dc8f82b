"""The start page: what this is, and a new game."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StartWords:
    """What this is, and how to begin."""

    title: str
    what: tuple[str, str, str]
    """In three sentences."""
    demo: str
    """A button: a game against bots, at once."""
    demo_hint: str
    guest: str
    """A player's name, until there is another."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewGameWords:
    """The form for a new game."""

    title: str
    players: str
    """A question: who plays?"""
    seat: str
    """Of `{number}`."""
    kind: str
    """A question: who sits at `{number}`?"""
    person: str
    open: str
    bots: Mapping[str, str]
    """By the bot's name."""
    name: str
    """The label of the name at seat `{number}`."""
    your_name: str
    add: str
    remove: str
    """A button that removes seat `{number}`."""
    pace: str
    pace_none: str
    pace_day: str
    pace_three_days: str
    pace_own: str
    turn_time: str
    unit: str
    minutes: str
    hours: str
    days: str
    reminder: str
    """The label of a checkbox: a reminder when a third of the time is left."""
    on_timeout: str
    """A question: what happens when the time is up?"""
    on_timeout_bot: str
    on_timeout_wait: str
    more: str
    """Of variants and who starts."""
    starts: str
    starts_random: str
    listed: str
    listed_hint: str
    create: str
    created: str
    """A heading: the game is open."""
    created_hint: str
    link_of: str
    """Of `{name}`."""
    open_link: str
    copy: str
    copied: str
    share: str
    mail: str
    mail_subject: str
    mail_subject_open: str
    """Of `{name}`."""
    mail_text: str
    """Of `{link}`."""
    to_table: str
