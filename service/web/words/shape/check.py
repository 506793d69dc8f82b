"""The page on which a browser checks a game by itself."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class StepWords:
    """A text for each step of `static/js/verify/verifier.js`."""

    form: str
    commitment: str
    shuffle: str
    chain: str
    cards: str
    play: str
    scores: str
    fork: str
    receipt: str
    signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class NoteWords:
    """What there is to say about a step that doesn't fail, by its code."""

    page: str
    not_begun: str
    """Of a log that doesn't begin with `GameCreated`, or has no event at all."""
    hidden_seed: str
    seed_of_parent: str
    bound_by_nobody: str
    bound_by_seats: str
    """`{seats}`: their players, as a list in words."""
    not_dealt: str
    consistent: str
    not_over: str
    stopped: str
    other_rules: str
    passed_over: str
    """`{types}`: types of events."""
    as_far_as_shown: str
    copy_of_parent: str
    position_of_parent: str
    no_receipt: str
    proved_up_to: str
    proved_all: str
    receipt_of_hidden: str
    no_keys: str
    no_ed25519: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FaultWords:
    """What is wrong, by the code of a step that fails."""

    not_json: str
    not_canonical: str
    no_line_feed: str
    members: str
    version: str
    unexpected: str
    value: str
    hash: str
    time: str
    empty: str
    differs: str
    deal: str
    chain: str
    card: str
    not_in_hand: str
    too_many: str
    row: str
    points: str
    cut: str
    origin: str
    receipt: str
    unknown_key: str
    bad_signature: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckWords:
    """What is checked, how, and what came out."""

    title: str
    what: str
    file_label: str
    file_hint: str
    receipt_label: str
    receipt_hint: str
    again: str
    """A button: check with this receipt."""
    save: str
    """A link: the export as a file."""
    save_receipt: str
    """A link: the receipt that the service gave now, as a file."""
    origins: Mapping[str, str]
    """Where a receipt comes from: `kept` in this browser, `fetched` now, `pasted`."""
    other_file: str
    """A link to the page that takes a file."""
    back: str
    """A link to the game."""
    steps_heading: str
    working: str
    holds: str
    fails: str
    open: str
    """Of a step that can't be checked."""
    all_hold: str
    all_hold_so_far: str
    """Where some steps can't be checked."""
    all_consistent: str
    """Where no receipt was checked."""
    passed_over: str
    """After one of those, where events of unknown types were passed over."""
    broken: str
    """`{version}`, and the `{type}` of the event there."""
    broken_receipt: str
    """The log itself holds, a receipt doesn't."""
    inputs: str
    formula: str
    output: str
    expected: str
    found: str
    whole: str
    """Shows a long value in full."""
    too_large: str
    no_crypto: str
    bad_receipt: str
    steps: StepWords
    meanings: StepWords
    notes: NoteWords
    faults: FaultWords
