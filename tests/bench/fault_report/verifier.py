"""An independent verifier: what clients were promised, compared with the logs that a store gives out.

    python -m tests.bench.fault_report.verifier JOURNALS EXPORTS [KEYS]

JOURNALS is a folder of `*.journal`: a line of JSON for each accepted answer, as `load.py` writes them. EXPORTS is a
folder of `<id>.ndjson` and `<id>.running.ndjson`, as `reibach export --all --running --to EXPORTS` writes them. KEYS is
the JSON of `/v1/keys`; without it signatures are not checked. The exit status is 1 where something doesn't hold.

Nothing is imported from the service: hashes are computed and events folded by the second engine, `tests/oracle`.
"""

import argparse
import base64
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Final, NamedTuple

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

from tests.oracle.oracle import OracleGame
from tests.oracle.terms import Event

OF_PLAYERS: Final = frozenset(
    {"CardTaken", "PileDrawn", "BusinessmakerLaid", "CardAppended", "MessagePosted", "PlayerResigned", "SeatReclaimed"}
)
"""Events that only a request of a player brings, or the worker that plays for a bot's seat."""
_OF_WORKERS: Final = "RoundScored"
"""What may be missing at the end of a log: an append of its own, by a worker."""
Keys = Mapping[str, Ed25519PublicKey]
Logs = Mapping[str, Sequence[Event]]


class Ack(NamedTuple):
    """An accepted answer: what its client has been promised."""

    game: str
    key: str
    """Of idempotency. A repeat stands in the journal again, and must be equal."""
    version: int
    events: tuple[tuple[int, str, str], ...]
    """Version, type and hash of each event of the answer; none for a creation, which promises all up to `version`."""
    receipt: tuple[str, str, str]
    """Hash of `version`, name of the signing key, signature in base64."""

    @property
    def name(self) -> str:
        """For messages."""
        return f"{self.game} version {self.version} (key {self.key})"


@dataclass
class Findings:
    """What was compared, and what doesn't hold: one line each."""

    acknowledged: int = 0
    games: int = 0
    events: int = 0
    lost: list[str] = field(default_factory=list)
    """Acknowledged requests of which nothing is in the log as it was told."""
    doubled: list[str] = field(default_factory=list)
    """Effects that no answer told of, and versions that two answers claim."""
    torn: list[str] = field(default_factory=list)
    """Requests of which a part is in the log, and logs that end within an append."""
    broken: list[str] = field(default_factory=list)
    """Logs that the second engine refuses: gaps, hashes, rules, scores."""
    changed: list[str] = field(default_factory=list)
    """Repeats that were answered otherwise than the first time, and receipts that don't hold."""

    def faults(self) -> list[str]:
        """Everything that doesn't hold, by its kind."""
        kinds = ("lost", "doubled", "torn", "broken", "changed")
        return [f"{kind}: {one}" for kind in kinds for one in getattr(self, kind)]


def verify(acks: Iterable[Ack], logs: Logs, keys: Keys | None = None) -> Findings:
    """Compare all answers with all logs; each log is unredacted, and ends where the game stands."""
    findings = Findings(games=len(logs), events=sum(map(len, logs.values())))
    told: dict[str, dict[str, Ack]] = defaultdict(dict)
    for ack in acks:
        first = told[ack.game].setdefault(ack.key, ack)
        if first != ack:
            findings.changed.append(f"{ack.name}: a repeat was answered otherwise")
    for game in {**told, **logs}:
        own = told.get(game, {})
        findings.acknowledged += len(own)
        _check_game(findings, game, logs.get(game, ()), list(own.values()), keys)
    return findings


def _check_game(findings: Findings, game: str, log: Sequence[Event], acks: list[Ack], keys: Keys | None) -> None:
    if not log:
        findings.lost += [f"{ack.name}: there is no such game" for ack in acks]
        return
    try:
        table = OracleGame(log, complete=False).table
    except AssertionError as wrong:
        findings.broken.append(f"{game} {wrong}")
        table = None
    if table and (due := table.due()) and due[0] != _OF_WORKERS:
        findings.torn.append(f"{game} version {table.version}: {due[0]} is missing")
    claimed: dict[int, str] = {}
    stored = {event["version"]: (event["version"], event["type"], event["hash"]) for event in log}
    for ack in acks:
        _check_ack(findings, ack, stored, keys)
        for version in [event[0] for event in ack.events] or range(1, ack.version + 1):
            if claimed.setdefault(version, ack.key) != ack.key:
                findings.doubled.append(f"{ack.name}: version {version} was told to key {claimed[version]}, too")
    if acks:
        findings.doubled += [
            f"{game} version {event['version']}: {event['type']} that no answer told of"
            for event in _unexplained(log, claimed)
        ]


def _check_ack(findings: Findings, ack: Ack, stored: Mapping[int, tuple[int, str, str]], keys: Keys | None) -> None:
    digest, signer, signature = ack.receipt
    kept = [stored.get(event[0]) == event for event in ack.events]
    head = stored.get(ack.version)
    if not (head and head[2] == digest) or (kept and not any(kept)):
        findings.lost.append(ack.name)
    if any(kept) and not all(kept):
        findings.torn.append(ack.name)
    if keys is not None and not _is_signed(ack.game, ack.version, digest, keys.get(signer), signature):
        findings.changed.append(f"{ack.name}: its receipt isn't signed by a key of the service")


def _is_signed(game: str, version: int, digest: str, key: Ed25519PublicKey | None, signature: str) -> bool:
    if key is None:
        return False
    try:
        key.verify(base64.b64decode(signature), f"reibach/receipt\n{game}\n{version}\n{digest}\n".encode())
    except (InvalidSignature, ValueError):
        return False
    return True


def _unexplained(log: Sequence[Event], claimed: Mapping[int, str]) -> Iterator[Event]:
    """Acts of people that are in the log, and that no answer has told of."""
    bots = {event["data"]["seat"] for event in log if event["type"] == "PlayerJoined" and event["data"]["bot"]}
    for event in log:
        if event["type"] in OF_PLAYERS and event["version"] not in claimed and event["data"]["seat"] not in bots:
            yield event


def longest_pause(log: Sequence[Event], until: str = _OF_WORKERS, since: str = "ScoringStarted") -> float:
    """Seconds of the longest wait for a scoring round, by the times in the log; 0 where there was none."""
    longest, began = 0.0, None
    for event in log:
        if event["type"] == since:
            began = _seconds(event["at"])
        elif event["type"] == until and began is not None:
            longest, began = max(longest, _seconds(event["at"]) - began), None
    return longest


def _seconds(at: str) -> float:
    return datetime.fromisoformat(at).timestamp()


# Files


def ack_of(game: str, key: str, answer: Mapping[str, Any]) -> Ack:
    """From the content of a 201."""
    receipt = answer["receipt"]
    events = tuple((event["version"], event["type"], event["hash"]) for event in answer.get("events", ()))
    signed = receipt["hash"], receipt["key"], receipt["signature"]
    return Ack(game, key, receipt["version"], events, signed)


def line_of(ack: Ack) -> str:
    """A line of a journal."""
    return json.dumps(ack, separators=(",", ":")) + "\n"


def read_journals(folder: Path) -> Iterator[Ack]:
    """All lines of all journals in a folder, which may still be written."""
    for path in sorted(folder.glob("*.journal")):
        with path.open(encoding="utf-8") as lines:
            for line in lines:
                if not line.endswith("\n"):
                    break
                game, key, version, events, receipt = json.loads(line)
                yield Ack(game, key, version, tuple(map(tuple, events)), tuple(receipt))


def read_logs(folder: Path) -> dict[str, list[Event]]:
    """All exported games in a folder, by their ids."""
    found = {}
    for path in folder.glob("*.ndjson"):
        found[path.name.partition(".")[0]] = [json.loads(line) for line in path.read_bytes().splitlines()]
    return found


def read_keys(content: Mapping[str, Any]) -> dict[str, Ed25519PublicKey]:
    """From the content of `/v1/keys`."""
    keys = {one["key"]: base64.b64decode(one["public_key"]) for one in content["keys"]}
    return {name: Ed25519PublicKey.from_public_bytes(public) for name, public in keys.items()}


def main(journals: Path, exports: Path, keys: Path | None = None) -> int:
    """Print what was compared and what doesn't hold; the exit status."""
    known = read_keys(json.loads(keys.read_bytes())) if keys else None
    findings = verify(read_journals(journals), read_logs(exports), known)
    for fault in findings.faults():
        print(fault)
    print(f"{findings.acknowledged} acknowledged requests, {findings.games} games, {findings.events} events:", end=" ")
    print(f"{len(findings.faults())} faults")
    return 1 if findings.faults() else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(prog="python -m tests.bench.fault_report.verifier", description=main.__doc__)
    parser.add_argument("journals", type=Path, help="folder of what clients noted")
    parser.add_argument("exports", type=Path, help="folder of exported games")
    parser.add_argument("keys", type=Path, nargs="?", help="the answer of /v1/keys, to check receipts")
    sys.exit(main(**vars(parser.parse_args())))
