"""`reibach replay`: a game in the terminal, as it went."""

import sys

import click

from domain.fairness.canonical import JsonObject
from domain.projections.recap import describe_events
from domain.projections.table import GameTable, table_at
from domain.words import LANGUAGES, WORDS
from domain.words.wording import Words
from service.commands.errors import BadUsage
from service.commands.replay.table import sheet_of, table_of
from service.commands.source import read_events
from service.commands.terminal import Terminal


def _check(events: list[JsonObject], words: Words) -> None:
    """Raises BadUsage where the events can't be those of a game, with the first version that can't."""
    shown = GameTable()
    for index, event in enumerate(events):
        try:
            shown.apply(event)
            sheet_of(shown, words, 80)
            table_of(shown, words, 80, len(events))
        except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
            raise BadUsage(f"version {index + 1} can't have happened in this game") from None
    try:
        describe_events(events, words.language)
    except (AssertionError, AttributeError, LookupError, TypeError, ValueError):
        raise BadUsage("the events are not those of a game") from None


def _language(context: click.Context, option: click.Parameter, value: str | None) -> str:
    """The language asked for; the environment's only where it is one of ours."""
    source = context.get_parameter_source(option.name or "")
    if source is click.core.ParameterSource.COMMANDLINE and value not in LANGUAGES:
        raise click.BadParameter(f"there are {', '.join(LANGUAGES)}.")
    named = (value or "")[:2].lower()
    return named if named in LANGUAGES else LANGUAGES[0]


@click.command("replay")
@click.argument("source", metavar="FILE-or-URL")
@click.option("--at", type=click.IntRange(min=1), metavar="VERSION", help="Show the table at this version.")
@click.option("--step", is_flag=True, help="Step through the game with the keys.")
@click.option(
    "--language",
    envvar=["LC_ALL", "LC_MESSAGES", "LANG"],
    callback=_language,
    metavar=f"[{'|'.join(LANGUAGES)}]",
    help="Language to speak.  [default: the environment's]",
)
def replay_command(source: str, at: int | None, step: bool, language: str) -> None:
    """Show a game as it went: an exported log, or a game of a running service.

    Without options, every event in words and the table at the end.
    """
    sys.stdout.reconfigure(errors="replace")  # type: ignore[union-attr]  # a terminal without Unicode shows what it can
    words = WORDS[language]
    if step and not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise click.UsageError("--step needs a terminal.")
    events = read_events(source)
    _check(events, words)
    if at is not None and at > len(events):
        raise click.UsageError(f"there is no version {at}: the log ends at {len(events)}.")
    console = Terminal()
    if step:
        from service.commands.replay.steps import step_through

        step_through(console, events, words, at or 1)
        return
    if at is None:
        for item in describe_events(events, language):
            # A message's further lines stand under its first: none can pass for a line of the game.
            line = f"{item['version']:>4}  {item['text']}".replace("\n", f"\n{'':6}")
            # A file gets a line for each sentence, however long.
            style = "bold" if item["type"] == "TurnStarted" or item["seat"] is None else None
            console.print(line, style=style, soft_wrap=not console.is_terminal)
        console.print()
    shown = table_at(events, at or len(events))
    console.print(table_of(shown, words, console.width, len(events)))
    if shown.rounds:
        console.print()
        console.print(sheet_of(shown, words, console.width))
