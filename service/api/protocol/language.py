"""In which language an answer is given."""

from flask import request

from domain.words import LANGUAGES, WORDS


def preferred_language() -> str:
    """The best language of the request's Accept-Language, else the default."""
    # werkzeug compares whole tags: it would choose `fr;q=0.1` before `de-AT`, since we have `de` only.
    for tag, quality in request.accept_languages:
        language = tag.partition("-")[0].lower()
        if quality > 0 and language in WORDS:
            return language
    return LANGUAGES[0]


def language_headers(language: str) -> dict[str, str]:
    """The headers of an answer in this language."""
    return {"Content-Language": language, "Vary": "Accept-Language"}
