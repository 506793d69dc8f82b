"""All that the service says: one folder of TOML files a language, read into tables that nobody can change.

English is the reference: its files have the comments, and every other language has the same names and placeholders.
"""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Any, Final

DEFAULT_LANGUAGE: Final = "en"
LANGUAGES: Final[dict[str, Traversable]] = {code: files(__package__) / code for code in ("en", "de", "nl", "fr")}
"""By code (BCP 47), the default first: the folder of its files. The one place where a language is named."""


class TextTable(dict[str, Any]):
    """The texts of a file or a part of it, as items and as attributes; lists are tuples, tables are TextTables.

    An attribute can't have a name that mappings have themselves, as `keys`. Never changed: all readers share it.
    """

    def __init__(self, entries: Mapping[str, Any], place: str) -> None:
        """`place`: what an error calls it, as `fr/mail.toml headings`."""
        super().__init__((name, _freeze(value, f"{place} {name}")) for name, value in entries.items())
        self.__dict__ |= {name: value for name, value in self.items() if not hasattr(dict, name)}
        self._place = place

    def __missing__(self, name: str) -> Any:
        """Raises KeyError, which names the place."""
        raise KeyError(f"{self._place} has no {name!r}")

    def __getattr__(self, name: str) -> Any:
        """For a name that isn't there: raises AttributeError, which names the place."""
        raise AttributeError(f"{self.__dict__.get('_place')} has no {name!r}")

    def __setitem__(self, name: str, value: Any) -> None:
        """Raises TypeError: all readers share the table."""
        raise TypeError(f"{self._place} can't be changed")


def _freeze(value: Any, place: str) -> Any:
    if isinstance(value, dict):
        return TextTable(value, place)
    return tuple(_freeze(member, place) for member in value) if isinstance(value, list) else value


@cache
def read(language: str, name: str) -> TextTable:
    """The file `<name>.toml` of one of LANGUAGES."""
    path = LANGUAGES[language] / f"{name}.toml"
    return TextTable(tomllib.loads(path.read_text("utf-8")), f"{language}/{name}.toml")
