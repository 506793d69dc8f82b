"""A quotation is never an answer: each kept mail, with marks, broken lines and introductions of many programs."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from domain.commands import Take
from domain.words.reply import Reply, read_reply
from tests.post.mails import KEPT
from tests.support.cases import cases
from tests.support.profiles import examples

MAILS = {path.stem: path.read_text("utf-8").partition("\n\n")[2].rstrip() for path in sorted(KEPT.glob("*.txt"))}
MARKS = ["> ", ">", ">> ", "> > ", "| ", " | ", ": ", "» ", "AB> ", ""]
WIDTHS = range(28, 90)
INTRODUCTIONS: list[str] = cases(__file__, "introductions")
ANSWERS = {"de": "nimm 2", "en": "take 2", "fr": "prends 2", "nl": "neem 2"}


def quote(mail: str, mark: str, width: int) -> str:
    """The mail as old programs quote it: what is broken off a long line has no mark."""
    lines = []
    for text in mail.splitlines():
        line = f"{mark}{text}".rstrip()
        while len(line) > width and (end := line.rfind(" ", len(mark) + 1, width + 1)) > 0 and line[:end].strip(mark):
            lines.append(line[:end])
            line = line[end + 1 :]
        lines.append(line)
    return "\n".join(lines)


def check(name: str, mark: str, width: int, introduction: str) -> int:
    """How many of two answers were understood."""
    quoted = f"{introduction}\n{quote(MAILS[name], mark, width)}"
    alone = read_reply(quoted)
    assert alone.error is not None, (quoted, alone)
    answer = ANSWERS[name.rpartition(".")[2]]
    replies = [read_reply(text) for text in (f"{answer}\n\n{quoted}", f"{quoted}\n\n{answer}")]
    for reply in replies:
        assert reply.error is not None or reply == Reply((Take(slot=1),)), (quoted, reply)
    return sum(reply.error is None for reply in replies)


@examples(4)
@given(*map(st.sampled_from, (list(MAILS), MARKS, WIDTHS, INTRODUCTIONS)))
def test_no_quotation_is_an_answer(name: str, mark: str, width: int, introduction: str) -> None:
    """Alone it asks for nothing; an answer above or below it is read as it was typed, or refused."""
    check(name, mark, width, introduction)


@pytest.mark.parametrize("introduction", INTRODUCTIONS)
def test_answers_at_quotations_of_today_are_understood(introduction: str) -> None:
    """Above and below it, in any language of the program, where no line is broken."""
    for name in ("turn.en", "turn.de", "turn.fr", "turn.nl", "people.en"):
        assert check(name, "> ", 99, introduction) == 2
