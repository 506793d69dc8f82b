"""The words of the game in the four languages of its service, for recaps, score sheets, mails and pages.

The rules of plural here are two (`Words.none_is_one`), so a table of forms does without a library.
"""

from typing import Final

from domain.words.de import GERMAN
from domain.words.en import ENGLISH
from domain.words.fr import FRENCH
from domain.words.nl import DUTCH
from domain.words.wording import Words

WORDS: Final[dict[str, Words]] = {words.language: words for words in (ENGLISH, GERMAN, DUTCH, FRENCH)}
"""By language code; the first is what is spoken where nobody has asked for another."""
LANGUAGES: Final = tuple(WORDS)
