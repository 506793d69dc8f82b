"""Words that follow a number: a form for each of the plural categories that the language has (CLDR)."""

from dataclasses import asdict, dataclass

from babel import Locale


@dataclass(frozen=True, slots=True, kw_only=True)
class Plural:
    """Templates in which `{n}` is the number."""

    one: str
    other: str

    def format(self, language: str, number: int, **values: object) -> str:
        """The form for the number, filled. Categories without a form of their own, as French `many`, are `other`."""
        category = Locale(language).plural_form(number)
        template = self.one if category == "one" else self.other
        return template.format(n=number, **values)

    def to_json(self) -> dict[str, str]:
        """For a page's script: category -> template."""
        return asdict(self)
