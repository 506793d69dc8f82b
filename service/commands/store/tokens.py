"""`reibach rotate-tokens`: revoke the tokens of a game's seats and print new ones."""

import click

from config.settings import Settings
from service.commands.errors import CommandFailed
from service.commands.source import printable
from service.commands.store.opening import open_store, people_of
from service.gamelog.store.generations import convert_headers, rotate_token
from service.signing.tokens import Tokens


def rotate_tokens(settings: Settings, game: str, seat: int | None) -> None:
    """Revoke the token of a seat, or of all seats of people, and print the new ones. Raises BadUsage, CommandFailed."""
    with open_store(settings) as (store, deployment):
        people = people_of(store, game)
        chosen = list(people) if seat is None else [seat]
        if not people.keys() >= {*chosen} or not chosen:
            raise CommandFailed(f"no person has taken this seat of game {printable(game)}: there is no token to revoke")
        tokens = Tokens(deployment.token_secrets)
        convert_headers(store)
        for number in chosen:
            token = tokens.issue(game, number, rotate_token(store, game, number).generation)
            click.echo(f"{game} seat {number} ({people[number]}): {token}")
    click.echo("The old tokens are revoked.", err=True)
