"""The shape of tokens that the browser looks for in a link is that of the tokens which the service issues."""

import re
from pathlib import Path
from random import Random

import service.web
from service.signing.tokens import _LONGEST, Tokens

SCRIPT = (Path(service.web.__file__).parent / "static" / "js" / "core" / "session.js").read_text("utf-8")


def test_a_token_looks_as_scripts_expect() -> None:
    """Of short and of long ids, which are compressed; and not without its last character."""
    (pattern,) = re.findall(r"^const TOKEN = /(.*)/;$", SCRIPT, re.MULTILINE)
    token_shape = re.compile(pattern, re.ASCII)
    tokens, chance = Tokens(["secret"]), Random("tokens")
    games = ["g7", "x" * 100, *(chance.randbytes(10).hex() for _ in range(500))]
    for game in games:
        token = tokens.issue(game, chance.randrange(5), chance.randrange(1000))
        assert token_shape.fullmatch(token), token
        assert token_shape.search(token[:-1]) is None
        assert token_shape.search(f"{token}_. and more")[0] == token
    assert any(tokens.issue(game, 0).startswith(".") for game in games)


def test_a_token_is_as_long_as_the_service_reads() -> None:
    """The same limit on both sides."""
    assert f"const LONGEST_TOKEN = {_LONGEST};" in SCRIPT
