"""Loaded by schemathesis: what the OpenAPI document can't say, so that a valid request is one."""

import os
from itertools import count
from typing import Any

import schemathesis
from schemathesis import Case, HookContext

LONGEST_WAIT = 0.05
"""Seconds of a long poll here."""
_numbers = count()


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], **_: object) -> None:
    """Fork and join existing games, poll briefly, name an existing starting seat, use a valid idempotency key once."""
    if case.path == "/v1/games/{id}/seats" and case.path_parameters.get("id") == os.environ["FUZZED_GAME"]:
        case.path_parameters["id"] = os.environ["FUZZED_OPEN_GAME"]
        case.headers["Authorization"] = f"Bearer {os.environ['FUZZED_OPEN_TOKEN']}"
    if isinstance(case.body, dict) and isinstance(fork := case.body.get("fork"), dict):
        if isinstance(fork.get("game"), str):
            fork["game"] = os.environ["FUZZED_GAME"]  # whose token is sent
        if isinstance(case.body.get("seats"), list):
            case.body["seats"] = case.body["seats"][:2]  # as many as it has
    key, shortest = case.headers.get("Idempotency-Key"), 1 if case.path.endswith(("/actions", "/messages")) else 22
    if isinstance(key, str) and shortest <= len(key) <= 200 and key.isascii() and key.isprintable():
        case.headers["Idempotency-Key"] = f"{next(_numbers):022}"
    wait = case.query.get("wait")
    if isinstance(wait, int | float) and LONGEST_WAIT < wait <= 30:
        case.query["wait"] = LONGEST_WAIT
    if isinstance(case.body, dict):
        start, seats = case.body.get("starting_seat"), case.body.get("seats")
        if isinstance(start, int | float) and start in range(5) and isinstance(seats, list) and seats:
            case.body["starting_seat"] = int(start) % len(seats)
