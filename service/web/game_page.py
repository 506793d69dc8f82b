"""A game's page: the shell that its script fills; and a table of forms that works without scripts."""

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from operator import eq
from typing import Any, Final
from urllib.parse import parse_qsl

from flask import Response
from markupsafe import Markup

from domain.clock.deadline import deadline, player_of
from domain.commands import Act
from domain.orders.wishes import action_of, json_of
from domain.projections.recap import BY_ACTION, recap
from domain.refusals import Refused
from domain.state import Game, Seat
from domain.words.catalogue import read
from domain.words.refusals import phrase_refusal
from domain.words.refusals.sentences import phrase_for_table, sentence_of
from domain.words.wording import Words, isolate, words_of
from service.api.problems.problem import InvalidRequest
from service.api.protocol.body import read_whole_body
from service.api.protocol.metrics import count_accepted
from service.api.protocol.request import GameRequest
from service.api.protocol.routing import PAGE, RouteTable
from service.api.protocol.validation import validate_body
from service.api.schemas.requests import ActionSchema
from service.api.wsgi import current_request
from service.gamelog.store.errors import NoSuchGame, StaleVersion, TokenVoid
from service.post.snapshot import SeatSnapshot, TableSnapshot, take_open_snapshot, take_snapshot
from service.web.frame import Page, read_tongue, render, respond_game_page, respond_page, respond_unknown_game

routes: Final = RouteTable()

_ACTION: Final = ActionSchema()
_WORDS: Final = (
    *("table", "market", "turn", "scoring", "messages", "note", "menu", "keyboard"),
    *("seat", "link", "notices", "orders", "clock", "lobby"),
)
_GAME: Final = Page("game.html", "/g", "game.js", _WORDS, shows_cards=True)
_PLAIN: Final = Page("plain.html")
_FORM: Final = "application/x-www-form-urlencoded"
_MOST_FIELDS: Final = 20
_RECENT: Final = 40
"""How many of the last events a spectator's recap covers."""


@routes.get("/g/<game>", PAGE)
def show_game(request: GameRequest) -> Response:
    """The same HTML for every game and viewer; its script asks the API. Without scripts it has a button for a table."""
    by = request.services.registrar
    return respond_game_page(request, replace(_GAME, offers_mail=by.takes_mail, offers_push=bool(by.push_contact)))


@routes.post("/g/<game>", PAGE)
def use_table(request: GameRequest) -> Response:
    """The table as a seat sees it, after the action of the button that was pressed, if there was one.

    The form: `token`, or nothing to see what all may see;
    `action`: JSON of an action to take at `version`; `prepared`: that of a link, to be offered.
    """
    words = read(read_tongue().language, "plain_table")
    form = _read_form(request)
    if form is None:
        return _answer(request, None, 400, note=words.bad_form)
    if not form.get("token"):
        return _answer(request, None)
    request.token = request.services.tokens.read(form["token"])
    try:
        if request.token is None or request.token.game != request.game:
            raise TokenVoid(request.game)
        status, note = _act(request, form) if form.get("action") else (200, "")
        return _answer(request, request.token.seat, status, form=form, note=note)
    except TokenVoid:
        request.token = None
        return _answer(request, None, 403, note=words.refused_seat)


def _read_form(request: GameRequest) -> dict[str, str] | None:
    """The fields of the request's body, the last of equal names; None where it is no form, or not one of ours.

    Raises Problem for a body too large.
    """
    if current_request().mimetype != _FORM or "Content-Encoding" in current_request().headers:
        return None
    body = read_whole_body(request.web.places)
    try:
        return dict(
            parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=_MOST_FIELDS, errors="strict")
        )
    except ValueError:  # not ASCII, not UTF-8, or too many fields
        return None


def _act(request: GameRequest, form: dict[str, str]) -> tuple[int, str]:
    """Take the form's action; the answer's status, and what the page says of it."""
    language = read_tongue().language
    words = read(language, "plain_table")
    try:
        action, version = action_of(validate_body(_ACTION, json.loads(form["action"]))), int(form["version"])
    except (InvalidRequest, ValueError, KeyError, RecursionError):
        return 400, words.bad_form
    try:
        act = Act(seat=request.seat, actions=(action,))
        outcome = request.games.handle(request.game, act, matches=partial(eq, version), token=request.token)
        count_accepted("actions", outcome)
    except StaleVersion:
        return 409, words.stale
    except NoSuchGame:
        return 404, words.unknown
    except Refused as refused:
        seats = request.games.load_cached(request.game).game.seats
        return 409, phrase_refusal(phrase_for_table(sentence_of(refused), seats), language)
    return 200, words.done


def _answer(
    request: GameRequest, seat: int | None, status: int = 200, *, form: dict[str, str] | None = None, note: str = ""
) -> Response:
    tongue = read_tongue()
    language = tongue.language
    try:
        history = request.load_history()
    except NoSuchGame:
        return respond_unknown_game(tongue)
    game, events = history.head.game, history.events
    orders = request.services.orders.orders_of(game.id, seat)
    snapshot = take_open_snapshot(game, events) if seat is None else take_snapshot(game, events, seat, orders)
    values = _table_values(snapshot, language)
    values["clock"] = note_clock(game, words_of(language))
    notes, count = note_seats(game, words_of(language), request.services.outside.clock()), len(game.seats)
    values["notes"] = [notes[((seat or 0) + offset) % count] for offset in range(count)]  # as `lay_out_seats` has them
    if isinstance(snapshot, SeatSnapshot) and form is not None:
        values |= _seat_values(snapshot, language, form)
    table = Markup(render("plain_table.html", note=note, **values))  # noqa: S704 - a template, which has escaped all
    title = " · ".join(filter(None, [values["status"], isolate(game.name or "")]))
    answer = respond_page(_PLAIN, tongue, is_open=seat is None, title=title, table=table)
    answer.status_code = status
    return answer


def _table_values(snapshot: TableSnapshot, language: str) -> dict[str, Any]:
    from service.post.mail.contents import lay_out_seats, next_scoring, recap_for  # here: few play without scripts

    words, table = words_of(language), snapshot.table
    names = words.name_seats(snapshot.table.seats)
    if isinstance(snapshot, SeatSnapshot):
        texts, heading = recap_for(snapshot, words)[0], read(language, "mail").headings["recap"]
    else:
        since = max(0, snapshot.version - _RECENT)
        told = recap(snapshot.events, since, language, by=BY_ACTION).lines
        texts, heading = [line for lines in told for line in lines], read(language, "plain_table").recap
    return {
        "words": words,
        "mail": read(language, "mail"),
        "plain": read(language, "plain_table"),
        "snapshot": snapshot,
        "table": table,
        "status": _status_line(snapshot, names, words),
        "recap": texts,
        "recap_heading": heading,
        "next_scoring": next_scoring(snapshot, words),
        "seats": lay_out_seats(snapshot, words),
        "winners": [names[seat] for seat in table.winners or ()],
        "hand": (),
        "actions": (),
        "prepared": None,
        "token": "",
    }


def _status_line(snapshot: TableSnapshot, names: list[str], words: Words) -> str:
    """Whose turn it is, or what else the game waits for."""
    plain: Mapping[str, str] = read(words.language, "plain_table")
    headlines: Mapping[str, str] = read(words.language, "mail").headlines
    table = snapshot.table
    if table.status != "playing":
        return plain[table.status]
    if isinstance(snapshot, SeatSnapshot) and snapshot.seat == table.turn_seat and snapshot.actions:
        return headlines["turn"].format(points=words.points(table.action_points))
    return plain["waiting"].format(name=names[table.turn_seat])


def _seat_values(snapshot: SeatSnapshot, language: str, form: dict[str, str]) -> dict[str, Any]:
    """What only the seat's player sees. An action of a link that can't be taken now isn't offered."""
    from service.post.mail.contents import count_cards, label_action

    words = words_of(language)
    actions = [
        (json.dumps(json_of(action)), label_action(snapshot, action, words), words.points(cost))
        for action, cost in snapshot.actions
    ]
    try:
        wanted = json.loads(form.get("prepared", ""))
    except (ValueError, RecursionError):
        wanted = None
    prepared = next((action for action in actions if json.loads(action[0]) == wanted), None)
    hand = count_cards(snapshot.hand) if snapshot.table.status != "over" else ()
    return {"hand": hand, "actions": actions, "prepared": prepared, "token": form["token"]}


def note_clock(game: Game, words: Words) -> str:
    """A sentence about the clock of the present turn; empty where none runs."""
    plain: Mapping[str, str] = read(words.language, "plain_table")
    if game.over or not game.turn:
        return ""
    if game.paused_since is not None:
        return plain["paused"]
    if game.timed_out:
        return plain["late"]
    until = deadline(game)
    return "" if until is None or player_of(game) is not None else plain["deadline"].format(time=_format(until, words))


def note_seats(game: Game, words: Words, now: int) -> list[str]:
    """By seat: why its player is away, if so. `now`: in ms since 1970."""
    return ["" if game.over else _note_seat(seat, words, now) for seat in game.seats]


def _note_seat(seat: Seat, words: Words, now: int) -> str:
    plain: Mapping[str, str] = read(words.language, "plain_table")
    if seat.away is not None:
        return plain["abandoned"] if seat.away == "abandoned" else plain["resigned"]
    until = next((until for since, until in seat.vacations if since <= now < until), None)
    return "" if until is None else plain["vacation"].format(time=_format(until, words))


def _format(milliseconds: int, words: Words) -> str:
    from babel.dates import format_date, format_time

    moment, locale = datetime.fromtimestamp(milliseconds // 1000, UTC), words.locale
    return f"{format_date(moment, 'long', locale)}, {format_time(moment, 'short', locale=locale)} UTC"
