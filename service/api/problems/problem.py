"""Every error answer: application/problem+json (RFC 9457) with the contract's codes; `codes.toml` has all of them."""

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import chain
from typing import Any, Final, TypeAlias

import structlog
from flask import Response
from werkzeug.exceptions import HTTPException, MethodNotAllowed, NotFound

from domain.refusals import Reason, Refused
from domain.words.catalogue import DEFAULT_LANGUAGE
from domain.words.refusals import has_phrase, phrase_refusal
from domain.words.refusals.sentences import Sentence, sentence_of
from service.api.problems.language import language_headers, preferred_language
from service.api.wsgi import JsonResponse, current_request
from service.gamelog.store.errors import (
    CorruptLog,
    GameBusy,
    KeyReused,
    NoSuchGame,
    NoSuchVersion,
    StaleVersion,
    StoreFull,
    StoreUnavailable,
    TokenVoid,
    TooManyBotGames,
)

MEDIA_TYPE: Final = "application/problem+json"
_MOST_ERRORS: Final = 20
"""Entries of `errors` (contract 1)."""
_MOST_ERROR_BYTES: Final = 4 * 1024
"""Of all entries as JSON, names of fields included: these are the sender's."""
_LONGEST_NAME: Final = 100
_LONGEST_MESSAGE: Final = 200
_LONGEST_DETAIL: Final = 300
Errors: TypeAlias = Mapping[str, Sequence[Sentence | str]]
"""Path of a field -> what is wrong with it."""

logger = structlog.get_logger("service.web")


@dataclass(frozen=True, slots=True, kw_only=True)
class Code:
    """What each problem of one code has in common. Text between backticks is code."""

    status: int = 409
    title: str
    meaning: str
    """For the code's page: what has happened."""
    remedy: str
    """For the code's page: what to do."""


_TABLE: Final = tomllib.loads((files("service.api.problems") / "codes.toml").read_text("utf-8"))
CODES: Final[dict[str, Code]] = {name: Code(**members) for name, members in _TABLE.items()}
"""In the order of the contract."""

assert CODES.keys() >= set(Reason), "every reason of the domain needs an entry in CODES"


class Problem(Exception):
    """A refusal, with what its answer says."""

    def __init__(
        self, code: str, detail: Sentence | str, *, headers: dict[str, str] | None = None, **members: Any
    ) -> None:
        """`detail`: a sentence, or a text that stays English. `members` are added to the answer."""
        super().__init__(code)
        self.code = code
        self.detail = detail
        self.headers = headers or {}
        self.members = members

    def to_json(self, version: int | None = None, language: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """The body of the answer. `version`: the game's present one; None where there is no game.

        The title stays English, as an identifier; the detail is in `language`.
        """
        code = CODES[self.code]
        body = {
            "type": f"/problems/{self.code}",
            "title": code.title,
            "status": code.status,
            "detail": word(self.detail, language),
            **self.members,
        }
        if version is not None:
            body.setdefault("version", version)
        return body

    def language_for(self, preferred: str) -> str:
        """The language of all its sentences for who prefers this one: English where one is for programmers only."""
        is_worded = all(has_phrase(preferred, text) for text in self._texts() if isinstance(text, Sentence))
        return preferred if is_worded else DEFAULT_LANGUAGE

    def _texts(self) -> Iterable[Sentence | str]:
        return [self.detail]


class InvalidRequest(Problem):
    """A request that is well-formed but not valid."""

    def __init__(self, errors: Errors) -> None:
        """`errors`: by the path of a field, empty for the body as a whole."""
        super().__init__("invalid-request", "")
        self.errors = errors

    def to_json(self, version: int | None = None, language: str = DEFAULT_LANGUAGE) -> dict[str, Any]:
        """As of every problem, with the member `errors`; the detail begins with the first message of each field.

        At most 20 fields are shown, about 4 KiB of JSON, long names and messages cut; the detail counts the others.
        """
        errors = self._shown(language)
        detail = " ".join(f"{path}: {messages[0]}" if path else messages[0] for path, messages in errors.items())
        detail = _cut(detail, _LONGEST_DETAIL)
        if len(self.errors) > len(errors):
            more = Sentence("more-errors", {"number": len(self.errors) - len(errors)})
            detail = f"{detail} {phrase_refusal(more, language)}"
        return super().to_json(version, language) | {"detail": detail, "errors": errors}

    def _texts(self) -> Iterable[Sentence | str]:
        return chain.from_iterable(self.errors.values())

    def _shown(self, language: str) -> dict[str, list[str]]:
        shown: dict[str, list[str]] = {}
        size = 0
        for path, messages in self.errors.items():
            name = _cut(path, _LONGEST_NAME)
            entry = [_cut(word(message, language), _LONGEST_MESSAGE) for message in messages[:_MOST_ERRORS]]
            size += len(json.dumps({name: entry}, ensure_ascii=False).encode())
            if shown and (len(shown) == _MOST_ERRORS or size > _MOST_ERROR_BYTES):
                break
            shown[name] = entry
        return shown


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def word(text: Sentence | str, language: str) -> str:
    """The sentence in a language; a plain text as it is."""
    return text if isinstance(text, str) else phrase_refusal(text, language)


def problem_of(error: Exception, version: int | None = None) -> Problem:  # noqa: C901, PLR0911 - a table
    """The problem that an exception is answered with, an unforeseen one logged; `version`: the game's present one."""
    match error:
        case Problem():
            return error
        case Refused():
            return Problem(error.reason, sentence_of(error))
        case NoSuchGame():
            return Problem("no-such-game", Sentence("no-such-game"))
        case TokenVoid():
            return Problem("invalid-token", Sentence("invalid-token"))
        case NoSuchVersion():
            known = Sentence("no-such-version", {"last": version}) if version else Sentence("no-such-version.unknown")
            return Problem("no-such-version", known)
        case StaleVersion():
            detail = Sentence("stale-version", {"version": error.version})
            return Problem("stale-version", detail, version=error.version)
        case KeyReused():
            return Problem("idempotency-key-reused", Sentence("idempotency-key-reused"))
        case TooManyBotGames():
            detail = Sentence("too-many-requests.bots", {"most": error.most})
            return Problem("too-many-requests", detail, headers={"Retry-After": "10"})
        case StoreUnavailable():
            return _problem_of_store(error)
        case CorruptLog():
            logger.error("corrupt log", reason=str(error))
            return Problem("store-unavailable", Sentence("store-unavailable.log"), headers={"Retry-After": "60"})
        case HTTPException():
            return _problem_of_http(error)
        case _:
            return _unforeseen(error)


def _problem_of_store(error: StoreUnavailable) -> Problem:
    headers = {"Retry-After": str(error.retry_after)}
    if isinstance(error, GameBusy):
        return Problem("too-many-waiting", Sentence("too-many-waiting.game"), headers=headers)
    detail = Sentence("store-unavailable.full" if isinstance(error, StoreFull) else "store-unavailable")
    return Problem("store-unavailable", detail, headers=headers)


def respond(problem: Problem, version: int | None = None) -> Response:
    """The answer with a problem. `version`: as in `Problem.to_json`."""
    language = problem.language_for(preferred_language())
    body = json.dumps(problem.to_json(version, language), ensure_ascii=False, separators=(",", ":"))
    status = CODES[problem.code].status
    answer = JsonResponse(body.encode(), status, problem.headers | language_headers(language), MEDIA_TYPE)
    if status == 401:
        answer.headers["WWW-Authenticate"] = "Bearer"
    return answer


def _problem_of_http(error: HTTPException) -> Problem:
    if isinstance(error, MethodNotAllowed):
        allowed = sorted(error.valid_methods or ())
        detail = Sentence("method-not-allowed", {"choices": allowed})
        return Problem("method-not-allowed", detail, headers={"Allow": ", ".join(allowed)})
    if isinstance(error, NotFound):
        return Problem("not-found", Sentence("not-found"))
    if error.code is not None and 400 <= error.code < 500:
        return Problem("bad-request", Sentence("bad-request"))
    return _unforeseen(error)


def _unforeseen(error: Exception) -> Problem:
    # The traceback names code, never values: bodies, tokens and cards must not get into the log.
    logger.error("unforeseen error", kind=type(error).__name__, route=str(current_request().url_rule), exc_info=error)
    return Problem("internal-error", Sentence("internal-error"))
