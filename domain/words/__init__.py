"""The game's words in four languages, for recaps, score sheets and the terminal.

These languages have two plural rules between them (`Words.none_is_one`), so no library is needed.
"""

from typing import Final

from domain.words.de import GERMAN
from domain.words.en import ENGLISH
from domain.words.fr import FRENCH
from domain.words.nl import DUTCH
from domain.words.wording import Words

WORDS: Final[dict[str, Words]] = {words.language: words for words in (ENGLISH, GERMAN, DUTCH, FRENCH)}
"""By language code; the first is the default."""
LANGUAGES: Final = tuple(WORDS)
