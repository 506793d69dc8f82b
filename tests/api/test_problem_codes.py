"""The problem codes: those of the contract, each with its status, a title and a meaning."""

from domain.refusals import Reason
from service.api.docs.examples import problem_example
from service.api.problems.problem import CODES, Problem
from tests.support.cases import cases

STATUSES = {code: int(status) for status, codes in cases(__file__, "contract").items() for code in codes.split()}


def test_codes_and_statuses_are_the_contracts() -> None:
    """Exactly the contract's codes, each with its status; refusals by the rules are 409."""
    assert {name: code.status for name, code in CODES.items()} == STATUSES
    own = {"too-many-handovers", "too-many-devices", "game-not-over", "no-analysis"}
    assert {name for name, status in STATUSES.items() if status == 409} == {*Reason, *own}


def test_every_code_has_words_of_its_own() -> None:
    """No two codes share a title or a meaning; a title is a phrase, a meaning is made of sentences."""
    assert len({code.title for code in CODES.values()}) == len({code.meaning for code in CODES.values()}) == len(CODES)
    for name, code in CODES.items():
        assert code.title[0].isupper()
        assert not code.title.endswith(".")
        for text in (code.meaning, code.remedy, problem_example(name)["detail"]):
            assert text.endswith(".")
            assert text.count("`") % 2 == 0


def test_a_problem_keeps_the_version_that_its_append_found() -> None:
    assert Problem("game-over", "Too late.", version=7).to_json(9)["version"] == 7
