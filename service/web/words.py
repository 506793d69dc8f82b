"""What pages say: the groups of texts of `domain/words/<language>/pages_*.toml`, for templates and scripts."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from domain.words.catalogue import LANGUAGES, TextTable, read
from domain.words.wording import BOT_NAMES, words_of


@cache
def page_words(language: str) -> TextTable:
    """The groups of all these files by name, as `menu` and `seat` of `pages_menu.toml`."""
    names = sorted(path.name.removesuffix(".toml") for path in LANGUAGES[language].iterdir())
    groups = [read(language, name) for name in names if name.startswith("pages_")]
    return TextTable({group: texts for groups in groups for group, texts in groups.items()}, f"{language}/pages_*.toml")


def fill_plural(language: str, forms: Mapping[str, str], number: int, **values: object) -> str:
    """The form that the language has for the number (CLDR), filled with it as `{n}` and with `values`.

    `forms`: by plural category; categories without a form of their own, as French `many`, are `other`.
    """
    from babel import Locale  # here, as few pages count anything

    form = forms.get(Locale(language).plural_form(number)) or forms["other"]
    return form.format(n=number, **values)


def script_words(language: str, groups: tuple[str, ...]) -> Mapping[str, Any]:
    game, page = words_of(language), page_words(language)
    return {
        "cards": game.cards,
        "faces": page.faces,
        "short": game.short,
        "millions": {form: f"{{n}}\u00a0{text}" for form, text in game.millions.items()},
        "colon": game.colon,
        "bots": [game.terms["bot"].format(player=name) for name in BOT_NAMES],
        **{group: page[group] for group in ("common", *groups)},
    }
