"""The checks `commitment` and `shuffle`: what the published seed was bound to, and which cards follow from it."""

from collections.abc import Iterable
from typing import Any

from domain.audit.evidence import Evidence
from domain.audit.findings import Finding, Offence
from domain.audit.judging.referee import Deal
from domain.audit.opening import Opening
from domain.fairness.shuffle import commitment_to


def check_commitment(evidence: Evidence, opening: Opening) -> Finding:
    """Whether the seed is the one that the log's first event commits to, and whose entropy binds the server."""
    if not evidence.events:
        return Finding("commitment", None, possible=False)
    offence = None
    if evidence.seed is None:
        offence = Offence(1, "GameCreated with the seed, which is published when the game is over")
    elif opening.created.get("commitment") != (expected := commitment_to(bytes.fromhex(evidence.seed))):
        offence = Offence(1, f"commitment {expected}")
    # The seed of a finished game is known to anyone who copies it.
    inherited = "It was public before this game began: it is the parent's."
    binding = inherited if opening.forked and opening.copied else _binding(evidence, opening)
    return Finding("commitment", offence, f"The published seed is the one committed to. {binding}")


def _binding(evidence: Evidence, opening: Opening) -> str:
    """Whose entropy the server could not know when it drew the seed."""
    joined = [event["data"] for event in evidence.events if event["type"] == "PlayerJoined"]
    late = [data for data in joined[len(opening.joined) :] if type(data.get("seat")) is int]
    if not late:
        return "All seats were taken when the game was created, so no player's entropy binds the server."
    silent = [data["seat"] for data in late if data.get("entropy") == ""]
    words = f"These seats were taken after the seed was drawn: {_seats(data['seat'] for data in late)}."
    if not silent:
        return f"{words} Their players' entropy binds the server."
    if len(silent) == len(late):
        return f"{words} Their players gave no entropy, so nothing binds the server."
    return f"{words} Their players' entropy binds the server, except for {_seats(silent)}: none was given there."


def _seats(seats: Iterable[Any]) -> str:
    return ", ".join(f"seat {seat}" for seat in seats)


def check_shuffle(deal: Deal | None) -> Finding:
    """Whether the cards that the log deals follow from the seed and the entropy of every seat."""
    if deal is None:
        return Finding("shuffle", None, possible=False)
    hidden = "The deal follows" if deal.seat is None else f"All cards that seat {deal.seat} could not see follow"
    offence = Offence(deal.version, deal.expected) if deal.expected else None
    return Finding("shuffle", offence, f"{hidden} from the seed and the entropy of every seat.")
