"""A language whose texts say where they stand: a test knows by it which texts are said, and what isn't one of them."""

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, TypeAlias

from domain.words.catalogue import DEFAULT_LANGUAGE, LANGUAGES, read
from domain.words.refusals import templates_of
from domain.words.reply import vocabulary
from domain.words.wording import words_of
from service.web.words import page_words

PSEUDO: Final = "eo"
"""Its code: one that CLDR knows, with the plural forms of English."""
_MARK: Final = re.compile("⟦[^⟦⟧]*⟧")
_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
_UNMARKED: Final = {"game/date", "game/locale", "game/separator", "mail/day"}
"""Formats, not texts."""
_ANSWERS: Final = "reply"
"""The file of the words by which answers are read."""


@contextmanager
def speaking_pseudo_language(folder: Path) -> Iterator[set[str]]:
    """The language is there, its files in this folder; gives the places of all texts.

    Each text is its place with its placeholders, in white square brackets: `⟦pages_table/table/waiting {name}⟧`. The
    words by which answers are read are respelled.
    """
    places = set(marks(write_language(folder, _mark, respell)))
    LANGUAGES[PSEUDO] = folder
    try:
        yield places
    finally:
        del LANGUAGES[PSEUDO]
        for cached in (read, words_of, templates_of, page_words, vocabulary._make_lexicon):
            cached.cache_clear()


Change: TypeAlias = Callable[[str, str], str]
"""(a text, its place) -> the text in another language."""


def write_language(folder: Path, change: Change, of_answers: Change, without: str = "") -> str:
    """Write English changed, but for the table `without`; all that is written.

    `of_answers` changes the words by which answers are read.
    """
    written = ""
    for path in Path(str(LANGUAGES[DEFAULT_LANGUAGE])).glob("*.toml"):
        entries = tomllib.loads(path.read_text("utf-8"))
        entries.pop(without, None)
        entries = _map(entries, path.stem, of_answers if path.stem == _ANSWERS else change)
        text = "".join(f"{json.dumps(name)} = {_toml(value)}\n" for name, value in entries.items())
        (folder / path.name).write_text(text, "utf-8")
        written += text
    return written


def lengthen(text: str, place: str) -> str:
    """The text with a letter more at each word, but for formats and a card's three letters."""
    word = r"\{\w+\}|[^\W\d_](?:[^\W\d_]|\u00ad)*"
    is_kept = place in _UNMARKED or place.startswith("game/short/")
    return text if is_kept else re.sub(word, lambda one: one[0] + "o" * (one[0][0] != "{"), text)


def respell(text: str, _place: str = "") -> str:
    """The text in words that no language has; its placeholders stay."""
    return re.sub(r"\{\w+\}|[^\W_]+", lambda found: found[0] if found[0][0] == "{" else f"q{found[0]}", text)


def marks(text: str) -> Iterator[str]:
    """The places that a text names."""
    return (found[1] for found in re.finditer("⟦([^ ⟧]+)", text))


def without_marks(text: str) -> str:
    """What a text has besides marks, of which one can be filled by others."""
    while (less := _MARK.sub("", text)) != text:
        text = less
    return text


def _mark(text: str, place: str) -> str:
    if place == "game/locale":
        return PSEUDO  # by which dates are written in it
    return text if place in _UNMARKED else f"⟦{' '.join([place, *_PLACEHOLDER.findall(text)])}⟧"


def _map(value: Any, place: str, change: Callable[[str, str], str]) -> Any:
    if isinstance(value, dict):
        return {name: _map(entry, f"{place}/{name.replace(' ', '_')}", change) for name, entry in value.items()}
    if isinstance(value, list):
        return [_map(entry, f"{place}/{index}", change) for index, entry in enumerate(value)]
    return change(value, place) if isinstance(value, str) else value


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return f"{{{', '.join(f'{json.dumps(name)} = {_toml(entry)}' for name, entry in value.items())}}}"
    if isinstance(value, list):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, ensure_ascii=False)
