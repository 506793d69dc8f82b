"""What an answer to a player's mail says, as data: it is stored until it is sent, and worded then.

Rule: it holds nothing that the player has not written or may not see, and no address.
"""

from dataclasses import dataclass
from typing import Self

import orjson

from domain.words.refusals.sentences import Sentence


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerMail:
    id: str
    """Of the answer, in hex: the same for each copy of the mail, so that it is sent once."""
    mail: str | None
    """The message id of the mail, with brackets."""
    since: int = 0
    """The version before the first event of the mail."""
    until: int = 0
    """The version of its last event; `since` where nothing was done."""
    refusal: Sentence | None = None
    """Why not all was done; rows count from 1."""
    wish: str | None = None
    """The action that was refused, as a mail writes it; None where the refusal is of the whole mail."""
    kind: str = ""
    """What is answered, if not actions: `answer.<kind>` among the headlines of mails."""
    offers: tuple[str, ...] = ()
    """What a line could mean that wasn't understood, as a mail writes it."""
    question: tuple[str, int] | None = None
    """Kind and version of the mail whose question this one was to answer, and is asked once more."""
    has_unsent: bool = False
    """Whether the mail has a message to the table that wasn't sent."""

    @property
    def is_done(self) -> bool:
        return self.until > self.since

    def to_json(self) -> str:
        return orjson.dumps(self).decode()

    @classmethod
    def from_json(cls, text: str) -> Self:
        values = orjson.loads(text)
        refusal, values["offers"] = values.pop("refusal"), tuple(values.get("offers", ()))
        values["question"] = tuple(values.get("question") or ()) or None
        return cls(**values, refusal=Sentence(refusal["name"], refusal["values"]) if refusal else None)
