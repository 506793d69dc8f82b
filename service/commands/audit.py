"""`reibach audit`: checks a game's log, from an exported file (offline) or from a running service."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from domain.audit.chain import CONSISTENCY, receipt_fault
from domain.audit.checks import Audit, Check, audit
from domain.audit.findings import Offence, Served
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import SourceLog, printable, read_game, read_value
from service.signing.verify import PublicKeys, public_keys, signature_fault


def audit_game(source: str, receipts: Sequence[Path], keys: Path | None, parent: str | None = None) -> None:
    """Check the log at `source`, and the receipts against it; `parent`: where the log of a fork's parent is.

    Raises BadUsage, and CommandFailed where a check fails.
    """
    kept = [(path, _receipt_in(read_value(path), path)) for path in receipts]
    known = None if keys is None else _keys_in(read_value(keys), keys)
    log = read_game(source)
    parent_log = None if parent is None else read_game(parent)
    if parent_log is not None and (failing := _audit(parent_log, None).first_offence):
        named = f"{printable(parent)}, the parent's log, proves nothing"
        raise CommandFailed(f"{named}: {failing.name} fails at version {failing.version}")
    findings = _audit(log, parent_log)
    for check in findings.checks:
        click.echo(printable(_line(check, findings)))
    if not findings.over and findings.passed_over.words:  # else the check's detail has them
        click.echo(printable(findings.passed_over.words))
    if findings.comparison and findings.over:
        click.echo(f"parent: ok. {findings.comparison}")
    if not findings.over:
        click.echo(f"The log ends at version {findings.version}, before the game does.")
        click.echo("Only a receipt can show whether it was cut there.")
    offences = [Offence(check.version, check.name) for check in findings.checks if check.ok is False]
    for path, receipt in kept:
        offence = _check_receipt(log.events, receipt, known, path, findings.checks[0])
        offences += [offence] if offence else []
    if not kept and not findings.over:
        click.echo(CONSISTENCY)
    if offences:
        first = min(offences)
        raise CommandFailed(f"{printable(source)}: {first.expected} fails at version {first.version}")
    click.echo(_conclusion(findings))


def _audit(log: SourceLog, parent: SourceLog | None) -> Audit:
    first = log.events[0]
    data = first.get("data") if isinstance(first, dict) else None
    other = log.game is not None and isinstance(data, dict) and data.get("game") != log.game
    return audit(
        log.events,
        lines=log.lines,
        stored=Offence(1, f"GameCreated of {log.game}") if other else log.offence,
        served=None if log.view is None else Served({None: log.view}, log.scores),
        parent=None if parent is None else parent.events,
    )


def _line(check: Check, findings: Audit) -> str:
    if check.ok is False:
        detail = (
            check.detail.partition(": ")[2]
            if findings.over
            else "the log contradicts itself or its parent, or its proof ends"
        )
        return f"{check.name}: failed at version {check.version}: {detail}"
    if check.ok is None:
        why = "this log can't show it" if findings.over else "it needs the finished game"
        return f"{check.name}: not checked, {why}"
    return f"{check.name}: ok. {check.detail}" if findings.over else f"{check.name}: ok up to version {check.version}"


def _conclusion(findings: Audit) -> str:
    """The last line of an audit in which nothing fails: what is still open."""
    needs = []
    if count := sum(check.ok is None for check in findings.checks):
        needs.append(f"{count} checks need the finished game")
    if findings.needs_parent:
        needs.append("what a fork took over needs its parent's log (--parent)")
    return f"No fault found{'; ' if needs else ''}{', and '.join(needs)}."


def _check_receipt(
    events: Sequence[Any], receipt: dict[str, Any], known: PublicKeys | None, path: Path, chain: Check
) -> Offence | None:
    """Print whether the log agrees with the receipt, as far as `chain` proves its events; the offence where not."""
    name = f"receipt {printable(path)}"
    offence = receipt_fault(events, receipt)
    if offence is not None:
        click.echo(f"{name}: failed at version {offence.version}: expected {offence.expected}")
        return Offence(offence.version, name)
    version: int = receipt["version"]
    if "signature" not in receipt and known is not None:
        click.echo(f"{name}: failed at version {version}: it has no signature, so --keys has nothing to check")
        return Offence(version, name)
    if "signature" not in receipt:
        signature = "it has no signature to check"
    elif known is None:
        signature = "its signature was not checked: give the service's keys with --keys"
    elif complaint := signature_fault(_game_of(events), receipt, known):
        click.echo(f"{name}: failed at version {version}: {complaint}")
        return Offence(version, name)
    else:
        signature = "its signature is good"
    if chain.ok is False and chain.version <= version:
        click.echo(f"{name}: not honoured: the log has its hash at version {version}, but its events don't lead to it")
        return Offence(version, name)
    if chain.ok is not None:
        click.echo(f"{name}: honoured at version {version}; {signature}")
    else:
        click.echo(f"{name}: the log names its hash at version {version}; {signature}")
        click.echo("Only the finished game's log can show whether that is the hash of the events up to there.")
    return None


def _game_of(events: Sequence[Any]) -> str:
    """The id by which receipts name the game; empty where the log doesn't say it."""
    try:
        return str(events[0]["data"]["game"])
    except (LookupError, TypeError):
        return ""


def _receipt_in(value: Any, path: Path) -> dict[str, Any]:
    """The receipt that a file is or holds: signed if there is one, else a view's. Raises BadUsage."""
    inner = value.get("game") if isinstance(value, dict) else None
    places = [value, value.get("receipt") if isinstance(value, dict) else None]
    places.append(inner.get("receipt") if isinstance(inner, dict) else None)
    for place in places:
        if isinstance(place, dict) and type(place.get("version")) is int and isinstance(place.get("hash"), str):
            return place
    raise BadUsage(f"{printable(path)} holds no receipt")


def _keys_in(value: Any, path: Path) -> PublicKeys:
    try:
        return public_keys(value)
    except ValueError as error:
        raise BadUsage(f"{printable(path)}: {error}") from None
