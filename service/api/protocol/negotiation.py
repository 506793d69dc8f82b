"""In which media type and language an answer is given."""

from typing import Final

from flask import request

from domain.words import LANGUAGES, WORDS
from domain.words.wording import Words
from service.api.protocol.bounds import read_header
from service.api.protocol.problems import Problem

JSON: Final = "application/json"
NDJSON: Final = "application/x-ndjson"
EVENT_STREAM: Final = "text/event-stream"
CSV: Final = "text/csv"
HTML: Final = "text/html"
_ANYTHING: Final = frozenset({None, "", "*/*"})


def choose_media_type(offered: tuple[str, ...]) -> str:
    """The best of the media types on offer. Raises Problem `not-acceptable`, `bad-request`."""
    accepted = read_header("Accept")
    if accepted == offered[0] or accepted in _ANYTHING:  # nearly always: saves parsing the header
        return offered[0]
    best = request.accept_mimetypes.best_match(offered)
    if best is None:
        raise Problem("not-acceptable", f"Available as {', '.join(offered)}.")
    return best


def choose_words(language: str | None) -> Words:
    """The words of the language that the query names, else of the best one in Accept-Language, else English.

    Raises Problem `bad-request`.
    """
    return WORDS[language or _preferred_language()]


def _preferred_language() -> str:
    if read_header("Accept-Language") is None:
        return LANGUAGES[0]
    # werkzeug compares whole tags: it would choose `fr;q=0.1` before `de-AT`, since we have `de` only.
    for tag, quality in request.accept_languages:
        language = tag.partition("-")[0].lower()
        if quality > 0 and language in WORDS:
            return language
    return LANGUAGES[0]


def language_headers(words: Words) -> dict[str, str]:
    """The headers of an answer in this language."""
    return {"Content-Language": words.language, "Vary": "Accept-Language"}
