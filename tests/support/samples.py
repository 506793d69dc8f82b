"""Samples: of a long list every run takes a part, a nightly run the rest."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

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


def with_nightly(items: Iterable[Any], step: int | None = None) -> list[Any]:
    """The parameters of a test: every run takes the first one, or each `step`th; a nightly run the others."""
    return [
        pytest.param(
            *(item if isinstance(item, tuple) else (item,)),
            marks=[pytest.mark.nightly] if (index % step if step else index) else [],
        )
        for index, item in enumerate(items)
    ]
