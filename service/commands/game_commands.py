"""The commands that need no store: `reibach audit`."""

from pathlib import Path

import click


@click.command("audit")
@click.argument("source", metavar="FILE-or-URL")
@click.option(
    "--receipt",
    "receipts",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A receipt that a player kept, or a whole answer that holds one. May be given more than once.",
)
@click.option("--keys", type=click.Path(path_type=Path), help="The JSON of /v1/keys, to check signatures with.")
def audit_command(source: str, receipts: tuple[Path, ...], keys: Path | None) -> None:
    """Check a whole game: hashes, shuffle, rules and scoring.

    FILE is an exported log (NDJSON); a URL is a game's API address or its page.
    """
    from service.commands.audit import audit_game

    audit_game(source, receipts, keys)
