"""Loaded by schemathesis: what the OpenAPI document can't say, so that a valid request is one.

Games and tokens come from the answers: a request about a game that the run has opened is sent with the token of the
seat that is to move, so that links lead on in that game. A request that no link led to goes to a game that fits.
"""

import os
from itertools import count
from typing import Any, cast

import schemathesis
from schemathesis import Case, HookContext
from schemathesis.core.parameters import ParameterLocation
from schemathesis.core.transport import Response
from schemathesis.generation import GenerationMode

LONGEST_WAIT = 0.05
"""Seconds of a long poll here."""
FUZZED_GAME, FUZZED_TOKEN = os.environ["FUZZED_GAME"], os.environ["FUZZED_TOKEN"]
"""The game of requests that no other fits, of two players, and the token that schemathesis sends, of its seat 0."""
DEVICE_KEYS = {
    "p256dh": "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    "auth": "BTBZMqHH6r4Tts7J_aSIgg",
}
"""A point of the curve, as the document's example: no pattern says what is one."""
_CONFIGURED = f"Bearer {FUZZED_TOKEN}"
_numbers = count()
_tokens: dict[str, dict[int, str]] = {FUZZED_GAME: {0: FUZZED_TOKEN}}
"""Game -> seat -> token."""
_views: dict[str, dict[str, Any]] = {FUZZED_GAME: {"version": 1, "status": "playing", "turn": None, "seats": [{}, {}]}}
"""Game -> the last view that an answer showed; the game that was opened last is the last one."""


@schemathesis.hook
def after_call(_context: HookContext, _case: Case[Any], response: Response) -> None:
    if response.status_code not in (200, 201) or response.headers.get("content-type") != ["application/json"]:
        return
    answer = response.json()
    view = answer.get("game", answer)
    if "draw_pile" not in view:
        return
    _views[view["id"]] = view
    for seat in answer.get("seats", [answer]):
        if "token" in seat:
            _tokens.setdefault(view["id"], {})[seat["seat"]] = seat["token"]


@schemathesis.hook
def before_call(_context: HookContext, case: Case[Any], **_: object) -> None:
    """Fork and join existing games, poll briefly, name a seat that starts, use a valid idempotency key once."""
    if "id" in case.path_parameters:
        _choose_game(case)
    if case.meta is None or case.meta.generation.mode is GenerationMode.POSITIVE:
        _meet_conditions(case)
        _choose_receiver(case)
        if (case.method, case.path) == ("GET", "/v1/games") and "ids" not in case.query:
            case.query["listed"] = "true"  # one of the two
        _fit_reminder(case)
        _show_names(case)
    # Changed headers are judged anew, by a document without Authorization: a bad token would pass as good.
    if case.meta is None or not case.meta.is_negative_at(ParameterLocation.HEADER):
        _renew_key(case)
    wait = case.query.get("wait")
    if isinstance(wait, int | float) and LONGEST_WAIT < wait <= 30:
        case.query["wait"] = LONGEST_WAIT
    if isinstance(case.body, dict):
        _choose_seats(case, cast("dict[str, Any]", case.body))


def _renew_key(case: Case[Any]) -> None:
    if "Idempotency-Key" in case.headers:
        case.headers["Idempotency-Key"] = f"{FUZZED_GAME} {next(_numbers)}"


def _choose_receiver(case: Case[Any]) -> None:
    """An address of the internet that is called by nobody, as the game goes on without it; there is no mail server."""
    if case.path.endswith("/push") and case.method == "POST" and isinstance(case.body, dict):
        cast("dict[str, Any]", case.body).update(endpoint="https://1.1.1.1/", keys=DEVICE_KEYS)
    if case.path.endswith("/notifications") and isinstance(case.body, dict):
        body = cast("dict[str, Any]", case.body)
        webhook = body.get("webhook")
        body["webhook"] = {**(webhook if isinstance(webhook, dict) else {}), "url": "https://1.1.1.1/"}
        if isinstance(mention := body["webhook"].get("mention"), str):  # an id is of one chat
            body["webhook"]["format"] = "slack" if mention[:1] in {"U", "W"} else "discord"
        body.pop("email", None)


def _fit_reminder(case: Case[Any]) -> None:
    """What no schema says: an early reminder, a bank to refill, an hour between times, what goes with a bot only."""
    if not isinstance(case.body, dict):
        return
    body = cast("dict[str, Any]", case.body)
    pace = body.get("pace")
    pace = pace if isinstance(pace, dict) else {}
    if not pace or pace.get("on_timeout", "bot") != "bot":
        body.pop("replaceable", None)
        pace.pop("timeouts", None)
    if pace.get("reminder_seconds", 0) >= pace.get("turn_seconds", 0):
        pace.pop("reminder_seconds", None)
    if "bank_seconds" not in pace:
        pace.pop("bank_refill_seconds", None)
    if isinstance(pace.get("hours"), dict):
        pace["hours"] = {"zone": "Europe/Berlin", "from": "08:00", "to": "22:00"}
    if isinstance(body.get("quiet"), dict):
        body["quiet"] = {"from": "22:00", "to": "08:00"}
    if isinstance(body.get("zone"), str):
        body["zone"] = "Europe/Berlin"


def _show_names(case: Case[Any]) -> None:
    """A name has a visible character, which no pattern says that every client's library reads alike."""
    body = cast("dict[str, Any]", case.body) if isinstance(case.body, dict) else {}
    seats = body.get("seats")
    for named in [body, *(seats if isinstance(seats, list) else [])]:
        if isinstance(named, dict) and isinstance(name := named.get("name"), str) and name:
            named["name"] = f"A{name[1:]}"
        if isinstance(named, dict) and named is not body:  # there is no mail server to invite by
            for member in ("invite", "language", "zone"):
                named.pop(member, None)


def _choose_game(case: Case[Any]) -> None:
    game = case.path_parameters["id"]
    if game not in _tokens:  # no link led here
        game = _last_game("open" if case.path.endswith("/seats") else "playing")
        case.path_parameters["id"] = game
    _authorize(case, game)


def _meet_conditions(case: Case[Any]) -> None:
    """Three times of four: other tags match nothing, and there are no later versions."""
    if next(_numbers) % 4 == 0:
        return
    if "If-Match" in case.headers:
        case.headers["If-Match"] = "*"
    last = _views.get(str(case.path_parameters.get("id")), {}).get("version", 1)
    for name in {"at", "after", "since"} & case.query.keys():
        if isinstance(version := case.query[name], int):
            case.query[name] = min(version, last)


def _choose_seats(case: Case[Any], body: dict[str, Any]) -> None:
    seats = body.get("seats")
    if isinstance(fork := body.get("fork"), dict):
        game = _last_game("over")
        parent = _views[game]
        if isinstance(fork.get("game"), str):
            fork["game"] = game
            _authorize(case, game)
        if not parent.get("listed"):
            body.pop("listed", None)  # the fork of an unlisted game can't be listed
        if isinstance(version := fork.get("version"), int):
            fork["version"] = min(version, parent["version"])
        if isinstance(seats, list) and seats:
            body["seats"] = [seats[seat % len(seats)] for seat in range(len(parent["seats"]))]
    start = body.get("starting_seat")
    if isinstance(start, int | float) and start in range(5) and isinstance(seats, list) and seats:
        body["starting_seat"] = int(start) % len(seats)


def _last_game(status: str) -> str:
    found = (game for game, view in reversed(_views.items()) if view["status"] == status and game in _tokens)
    return next(found, FUZZED_GAME)


def _authorize(case: Case[Any], game: str) -> None:
    if case.headers.get("Authorization") == _CONFIGURED:
        turn, tokens = _views.get(game, {}).get("turn"), _tokens[game]
        token = (turn and tokens.get(turn["seat"])) or next(iter(tokens.values()))
        case.headers["Authorization"] = f"Bearer {token}"
