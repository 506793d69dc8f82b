"""In which language an answer speaks."""

from typing import Any

from flask import request

from domain.words import LANGUAGES, WORDS
from domain.words.wording import Words


def words_asked(asked: dict[str, Any]) -> Words:
    """The words of the query's `language`, else of the best one in Accept-Language, else English."""
    return WORDS[asked.get("language") or _preferred()]


def _preferred() -> str:
    """Werkzeug's own choice would take `fr;q=0.1` before `de-AT`, for that is no word of ours letter by letter."""
    for tag, quality in request.accept_languages:
        language = tag.partition("-")[0].lower()
        if quality > 0 and language in WORDS:
            return language
    return LANGUAGES[0]


def headers_of(words: Words) -> dict[str, str]:
    """The headers of an answer in this language."""
    return {"Content-Language": words.language, "Vary": "Accept-Language"}
