"""The page that explains play by post."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PostWords:
    """How a game goes on over days, for players."""

    title: str
    lead: str
    parts: tuple[tuple[str, tuple[str, ...]], ...]
    """Each a heading, and its paragraphs."""
    answers: str
    """A heading: what can be written into an answer to a mail."""
    action: str
    """The heading of a column."""
    answer: str
    """The heading of a column."""
    answers_lines: tuple[tuple[str, str], ...]
    """What the player wants, and a line of an answer that says it."""
    answers_notes: tuple[str, ...]
    more: str
    """A link to all of this in detail, in English."""
