"""The commands that need no store: `reibach audit`, `replay`, `analyse` and `simulate`.

Only their declarations: the work is imported when a command is called, so that `--help` starts quickly.
"""

from pathlib import Path

import click

group = click.Group()
_FEWEST, _MOST = 2, 5
"""Players at one table."""


@group.command("audit", short_help="Check a game's hashes, shuffle, rules and scoring.")
@click.argument("source", metavar="FILE-or-URL")
@click.option(
    "--receipt",
    "receipts",
    type=click.Path(path_type=Path),
    multiple=True,
    help="A receipt that a player kept, or a whole answer that holds one. May be given more than once.",
)
@click.option("--keys", type=click.Path(path_type=Path), help="The JSON of /v1/keys, to check signatures with.")
@click.option("--parent", metavar="FILE-or-URL", help="The log of a fork's parent, to compare with.")
def audit_command(source: str, receipts: tuple[Path, ...], keys: Path | None, parent: str | None) -> None:
    """Check a whole game: hashes, shuffle, rules and scoring.

    FILE is an exported log (NDJSON); URL is a game's address in the API (…/v1/games/<id>).
    """
    from service.commands.audit import audit_game

    audit_game(source, receipts, keys, parent)


class _Language(click.ParamType[str]):
    name = "language"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str:
        from domain.words.catalogue import LANGUAGES

        return f"[{'|'.join(LANGUAGES)}]"


def _parse_language(context: click.Context, option: click.Parameter, value: str | None) -> str:
    """The language of `--language`, else the environment's if it is a supported one, else the default."""
    from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES

    source = context.get_parameter_source(option.name or "")
    if source is click.core.ParameterSource.COMMANDLINE and value not in LANGUAGES:
        raise click.BadParameter(f"must be one of: {', '.join(LANGUAGES)}.")
    code = (value or "")[:2].lower()
    return code if code in LANGUAGES else DEFAULT_LANGUAGE


@group.command("replay", short_help="Tell a game, a sentence a line.")
@click.argument("source", metavar="FILE-or-URL")
@click.option("--score", is_flag=True, help="Print the score sheet instead.")
@click.option("--at", type=click.IntRange(min=1), metavar="VERSION", help="Tell the game up to this version.")
@click.option("--step", is_flag=True, help="Wait for a key after each sentence.")
@click.option(
    "--language",
    envvar=["LC_ALL", "LC_MESSAGES", "LANG"],
    callback=_parse_language,
    type=_Language(),
    help="Language of the sentences.  [default: the environment's]",
)
def replay_command(source: str, score: bool, at: int | None, step: bool, language: str) -> None:
    """Tell a game: a sentence a line, each with the version of its last event. Proves nothing: `audit` does.

    FILE is an exported log (NDJSON); URL is a game's address in the API (…/v1/games/<id>).
    """
    from service.commands.replay import replay_game

    replay_game(source, language, at, score=score, step=step)


@group.command("analyse", short_help="Judge each turn of a finished game.")
@click.argument("file")
@click.option("--jobs", type=click.IntRange(min=1), help="Processes that judge turns.  [default: one a processor]")
def analyse_command(file: str, jobs: int | None) -> None:
    """Judge each turn of a finished game by what its seat could know, and print what the API answers, as JSON.

    FILE is an exported log (NDJSON). It takes up to a minute.
    """
    from service.commands.analyse import analyse_file

    analyse_file(file, jobs)


def _parse_bots(_context: click.Context, _option: click.Parameter, value: str) -> tuple[str, ...]:
    from domain.bots import BOTS

    bots = tuple(name.strip() for name in value.split(","))
    for name in bots:
        if name not in BOTS and not all(name.partition(":")):
            known = ", ".join(sorted(BOTS))
            raise click.BadParameter(f"there is no bot {name!r}; choose from {known}, or name a module:function.")
    return bots


def _parse_seed(_context: click.Context, _option: click.Parameter, value: str | None) -> str:
    if value is None:
        import secrets

        return str(secrets.randbelow(10**9))
    if not (value.isascii() and value.isprintable()):
        raise click.BadParameter("use printable ASCII characters only; the seed is printed back.")
    return value


@group.command("simulate", short_help="Play whole games between bots, without a server.")
@click.option("--games", type=click.IntRange(min=1), default=100, show_default=True, help="How many games to play.")
@click.option("--players", type=click.IntRange(_FEWEST, _MOST), help="Seats at the table.  [default: one for each bot]")
@click.option(
    "--bots", callback=_parse_bots, default="greedy,random", show_default=True, help="Bot names in seat order."
)
@click.option("--seed", callback=_parse_seed, help="Same seed, same games.  [default: a new one, printed]")
@click.option("--to", type=click.Path(path_type=Path), metavar="DIR", help="Folder for the log of each game.")
def simulate_command(games: int, players: int | None, bots: tuple[str, ...], seed: str, to: Path | None) -> None:
    """Play whole games between bots, without a server, and print a summary.

    Where there are fewer bots than players, they repeat. A bot of your own is `module:function`, found from the present
    folder: it gets a view and the legal actions as the API gives them, and returns one of these.
    """
    players = players or max(_FEWEST, min(_MOST, len(bots)))
    if len(bots) > players:
        raise click.UsageError(f"{len(bots)} bots are too many for {players} players.")
    from service.commands.simulate import run_simulation

    run_simulation(games, players, bots, seed, to)


@group.command("demo", short_help="Play a game by post, and print what happens.")
@click.option("--by-post", is_flag=True, help="A game of four, by mails from eight mail programs; three minutes.")
@click.pass_context
def demo_command(context: click.Context, by_post: bool) -> None:
    """Show what the service can do. Without an option it says which demonstrations there are.

    By post: it runs a service with a store of its own and a mail server on this machine, and prints what each player
    gets and does, with one whole mail of each kind. One player doesn't answer for two turns of a minute.
    """
    if not by_post:
        click.echo(context.get_help())
        return
    from service.commands.demo.command import demonstrate_post

    demonstrate_post()
