"""`reibach audit`: what anybody can prove of a game, on an exported file (offline) or of a running service."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from domain.audit.chain import Offence
from domain.audit.checks import CONSISTENCY, Audit, Check, Served, audit, honours
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import SourceLog, printable, read_game, read_json
from service.signing.verify import PublicKeys, public_keys, signature_fault


def audit_game(source: str, receipts: Sequence[Path], keys: Path | None) -> None:
    """Check the log at `source`, and the receipts against it.

    Raises BadUsage, and CommandFailed where a check fails.
    """
    kept = [(path, _receipt_in(read_json(path), path)) for path in receipts]
    known = None if keys is None else _keys_in(read_json(keys), keys)
    told = read_game(source)
    found = _audit(told)
    for check in found.checks:
        click.echo(printable(_line(check, found)))
    if not found.over:
        click.echo(f"The log ends at version {found.version}, before the game does.")
        click.echo("Whether it was cut there, only a receipt tells.")
    offences = [Offence(check.version, check.name) for check in found.checks if check.ok is False]
    for path, receipt in kept:
        offence = _check_receipt(told.events, receipt, known, path, found.checks[0])
        offences += [offence] if offence else []
    if not kept and not found.over:
        click.echo(CONSISTENCY)
    if offences:
        first = min(offences)
        raise CommandFailed(f"{printable(source)}: {first.expected} fails at version {first.version}")
    click.echo(
        "Nothing is amiss." if all(check.ok for check in found.checks) else "Nothing is amiss, as far as it shows."
    )


def _audit(told: SourceLog) -> Audit:
    first = told.events[0]
    data = first.get("data") if isinstance(first, dict) else None
    other = told.game is not None and isinstance(data, dict) and data.get("game") != told.game
    served = None if told.view is None else Served({None: told.view}, told.scores)
    return audit(told.events, stored=Offence(1, f"GameCreated of {told.game}") if other else None, served=served)


def _line(check: Check, found: Audit) -> str:
    if check.ok is False:
        detail = check.detail.partition(": ")[2] if found.over else "as the log stands, this can't be"
        return f"{check.name}: failed at version {check.version}: {detail}"
    if check.ok is None:
        when = "on this log" if found.over else "before the game is over"
        return f"{check.name}: can't be shown {when}"
    return f"{check.name}: ok. {check.detail}" if found.over else f"{check.name}: ok up to version {check.version}"


def _check_receipt(
    events: Sequence[Any], receipt: dict[str, Any], known: PublicKeys | None, path: Path, chain: Check
) -> Offence | None:
    """Say whether the log honours the receipt, so far as `chain` proves its events; the offence where it doesn't."""
    name = f"receipt {printable(path)}"
    offence = honours(events, receipt)
    if offence is not None:
        click.echo(f"{name}: failed at version {offence.version}: expected {offence.expected}")
        return Offence(offence.version, name)
    version: int = receipt["version"]
    if "signature" not in receipt:
        signature = "it carries no signature, so none was checked"
    elif known is None:
        signature = "its signature was not checked: give the service's keys with --keys"
    elif complaint := signature_fault(_game_of(events), receipt, known):
        click.echo(f"{name}: failed at version {version}: {complaint}")
        return Offence(version, name)
    else:
        signature = "its signature is good"
    if chain.ok is False and chain.version <= version:
        click.echo(f"{name}: not honoured: the log has its hash at version {version}, but no chain that leads there")
        return Offence(version, name)
    if chain.ok is not None:
        click.echo(f"{name}: honoured at version {version}; {signature}")
    else:
        click.echo(f"{name}: the log names its hash at version {version}; {signature}")
        click.echo("Whether the events up to there are the ones that were hashed can't be shown on this log.")
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
