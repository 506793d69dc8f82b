"""The salt of what a person writes (contract 5). It comes into the domain with the command."""

import secrets


def new_salt() -> str:
    """16 random bytes, in hex."""
    return secrets.token_hex(16)
