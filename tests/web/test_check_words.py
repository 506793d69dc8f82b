"""The words of the page "Check it yourself" are those of the verifier's steps and codes."""

import re
from dataclasses import fields
from pathlib import Path

import service.web
from service.web.words.shape.check import FaultWords, NoteWords, StepWords

VERIFY = Path(service.web.__file__).parent / "static" / "js" / "verify"


def test_every_step_has_words() -> None:
    """A title and a meaning for each formula."""
    formulas = re.search(
        r"STEP_FORMULAS = \{\n(.*?)^\};", (VERIFY / "verifier.js").read_text("utf-8"), re.DOTALL | re.MULTILINE
    )
    assert formulas is not None
    assert re.findall(r"^  (\w+):", formulas[1], re.MULTILINE) == [field.name for field in fields(StepWords)]


def test_every_code_with_words_is_one_of_the_verifier() -> None:
    """That each code has words is asserted whenever a browser test verifies a log."""
    scripts = "".join(path.read_text("utf-8") for path in VERIFY.rglob("*.js"))
    codes = [field.name for words in (NoteWords, FaultWords) for field in fields(words)]
    assert [code for code in codes if f'"{code}"' not in scripts] == []
