"""The menu of a game: everything that isn't played with cards."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class MenuWords:
    """The menu, and its help."""

    title: str
    close: str
    back: str
    saved: str
    seat: str
    take_seat: str
    help: str
    replay: str
    score_sheet: str
    check: str
    ask: str
    """The label of a checkbox: taking and drawing ask first."""
    how: str
    how_lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class SeatWords:
    """The seat of a browser, and ways to one."""

    link: str
    link_hint: str
    copy: str
    copied: str
    others: str
    """A heading: links of the other seats, for one who has opened the game."""
    others_hint: str
    link_of: str
    """Of `{name}`."""
    renew: str
    renew_hint: str
    renewed: str
    try_out: str
    try_out_hint: str
    have_link: str
    paste: str
    sit_down: str
    take_over: str
    your_name: str
    lost: str
    lost_hint: str
    mail: str
    ask_mail: str
    mail_sent: str
    """The link in it is valid for `{hours}` hours."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeWords:
    """What a player wants to be told, and where."""

    title: str
    hint: str
    email: str
    confirmed: str
    """Of `{mail}`."""
    unconfirmed: str
    """Of `{mail}`."""
    when: str
    on: Mapping[str, str]
    """By the API's words."""
    not_watching: str
    language: str
    webhook: str
    url: str
    format: str
    standard: str
    """The form of webhooks for programs; other forms have names."""
    secret: str
    save: str
    end: str
    deliveries: str
    channels: Mapping[str, str]
    """By the API's words, as the two below."""
    statuses: Mapping[str, str]
    errors: Mapping[str, str]
    """Without the number that some have behind it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderWords:
    """Standing orders."""

    title: str
    hint: str
    none: str
    dropped: str
    """In turn `{turn}`."""
    kind: str
    kinds: Mapping[str, str]
    """By the type of an action."""
    what: str
    where: str
    slot: str
    """Of `{number}`."""
    row: str
    """Of `{number}`."""
    add_step: str
    add_alternative: str
    remove_step: str
    remove_alternative: str
    """A button: `{alternative}`, an action with its card and row."""
    save: str
    remove: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockWords:
    """What stops the clock, and what ends the game."""

    title: str
    bot_plays: str
    """Above the table, for one who has been away."""
    reclaim: str
    vacation: str
    vacation_hint: str
    until: str
    take_vacation: str
    on_vacation: str
    """Until `{time}`."""
    end_vacation: str
    pause: str
    pause_hint: str
    agree_pause: str
    resume: str
    cancel: str
    cancel_hint: str
    agree_cancel: str
    agreed: str
    """By `{names}`."""
    withdraw: str
    resign: str
    resign_hint: str
    sure: str
