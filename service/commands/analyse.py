"""`reibach analyse`: what each turn of a finished game was worth, from an exported file."""

import sys

import click

from domain.analysis import judge_turn, played_turns
from domain.audit.checks import audit
from service.commands.errors import BadUsage, CommandFailed
from service.commands.source import parse_log, printable, read_file
from service.commands.terminal import track
from service.gamelog.store.analyses import compose


def analyse_file(path: str) -> None:
    """Print the analysis of the game in a file: the bytes with which the API answers when it is done.

    Raises BadUsage where the game isn't over or was cancelled, and CommandFailed where its log fails the audit.
    """
    log = parse_log(read_file(path), path)
    findings = audit(log.events, stored=log.offence)
    if not findings.over:
        raise BadUsage(f"{printable(path)}: this game is still running; only a finished one can be analysed")
    if first := findings.first_offence:
        raise CommandFailed(f"{printable(path)}: {first.name} fails at version {first.version}")
    if unknown := findings.passed_over.unknown:
        raise BadUsage(f"{printable(path)}: this release doesn't know its events {printable(', '.join(unknown))}")
    if any(event["type"] == "GameCancelled" for event in log.events):
        raise BadUsage(f"{printable(path)}: this game was cancelled; there is nothing to analyse")
    played = played_turns(log.events)
    turns = [judge_turn(log.events, turn) for turn in track(played, "Analysing", len(played))]
    click.echo(compose(turns, log.events[0]["data"]["seats"]), nl=sys.stdout.isatty())
