"""`reibach rotate-tokens`: void the tokens of a game's seats and print new ones."""

import click

from config.settings import Settings
from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.commands.store.opening import open_store
from service.gamelog.errors import CorruptLog, NoSuchGame
from service.gamelog.reader import GameReader
from service.gamelog.store.generations import adopt_generations, rotate_token
from service.signing.tokens import Tokens


def rotate_tokens(settings: Settings, game: str, seat: int | None) -> None:
    """Void the token of a seat, or of all seats of people, and print the new ones. Raises BadUsage, CommandFailed."""
    with open_store(settings) as (store, deployment):
        try:
            seats = GameReader(store).load(game).game.seats
        except NoSuchGame:
            raise CommandFailed(f"the store has no game {printable(game)}") from None
        except CorruptLog as error:
            raise CommandFailed(str(error)) from None
        people = [number for number, one in enumerate(seats) if one.name is not None and one.bot is None]
        chosen = people if seat is None else [seat]
        if not set(chosen) <= set(people) or not chosen:
            raise CommandFailed(f"no person has taken this seat of game {printable(game)}: there is no token to void")
        tokens = Tokens(deployment.token_secrets)
        adopt_generations(store)
        for number in chosen:
            token = tokens.issue(game, number, rotate_token(store, game, number).generation)
            click.echo(f"{game} seat {number} ({printable(seats[number].name or '')}): {token}")
    click.echo("The old tokens are void.", err=True)
