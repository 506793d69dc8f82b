"""In which language an answer is given."""

from typing import Final

from werkzeug.datastructures import LanguageAccept
from werkzeug.http import parse_accept_header

from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES
from service.api.wsgi import current_request

_LONGEST: Final = 256
"""Characters of Accept-Language that are looked at. Browsers send fewer than 100; 64 KiB would take 65 ms to parse."""


def preferred_language() -> str:
    """The best language of the request's Accept-Language, else the default."""
    header = current_request().headers.get("Accept-Language", "")[:_LONGEST]
    # werkzeug compares whole tags: it would choose `fr;q=0.1` before `de-AT`, since we have `de` only.
    for tag, quality in parse_accept_header(header, LanguageAccept):
        language = tag.partition("-")[0].lower()
        if quality > 0 and language in LANGUAGES:
            return language
    return DEFAULT_LANGUAGE


def language_headers(language: str) -> dict[str, str]:
    return {"Content-Language": language, "Vary": "Accept-Language"}
