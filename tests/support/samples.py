"""Samples: of a long list every run takes a part, and a nightly run the rest."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

import pytest

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class Sample:
    """Each `step`th item of a list from the first on, and its `last` ones; or (`rest`) all others."""

    step: int
    last: int
    rest: bool = False

    def of(self, items: Sequence[Item]) -> list[Item]:
        """These items of a list."""
        end = len(items) - self.last
        return [item for index, item in enumerate(items) if (index % self.step == 0 or index >= end) is not self.rest]


def sampled(step: int, last: int = 0) -> pytest.MarkDecorator:
    """Gives a test its `sample`: every run takes each `step`th item and the `last` ones, a nightly run the others."""
    rest = pytest.param(Sample(step, last, rest=True), marks=pytest.mark.nightly)
    return pytest.mark.parametrize("sample", [Sample(step, last), rest], ids=["part", "rest"])
