"""The verifier of the page "Check it yourself", run in the browser on logs of a test's own: no service is asked."""

import base64
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Final

from domain.fairness.canonical import canonical_json
from domain.words.catalogue import DEFAULT_LANGUAGE
from service.web.assets import read_module
from service.web.words import page_words
from tests.browser.windows import Page, Route, script
from tests.support.logs import ndjson

HOME: Final = "http://127.0.0.1:8099"
"""Nothing listens there: the modules come from the disk. Browsers lend their cryptography to pages of 127.0.0.1."""
_AT_ONCE: Final = 10
_VERIFY: Final = script("verify_files")
_WORDS: Final = page_words(DEFAULT_LANGUAGE).check
_NOTES: Final = {None, *_WORDS.notes}
_CODES: Final = {"ok": _NOTES, "not checkable": _NOTES, "failed": {*_WORDS.faults}}
"""By state: the codes that the page has words for."""
Step = Mapping[str, Any]
Log = list[dict[str, Any]]


@dataclass(frozen=True)
class Found:
    steps: Sequence[Step]

    @property
    def states(self) -> dict[str, str]:
        """By step: its state; of several of one name that of the last."""
        return {step["name"]: step["state"] for step in self.steps}

    @property
    def failed(self) -> dict[str, Step]:
        return {step["name"]: step for step in self.steps if step["state"] == "failed"}

    @property
    def first(self) -> int | None:
        return min((step["version"] for step in self.failed.values()), default=None)


@dataclass(frozen=True)
class Verifier:
    page: Page

    def verify_all(
        self, files: Iterable[bytes], receipts: Sequence[Any] = (), keys: Sequence[Any] | None = None
    ) -> list[Found]:
        """What is found on each file; a few go to the browser at a time, as messages of many megabytes take minutes."""
        coded = [base64.b64encode(file).decode() for file in files]
        found = []
        for start in range(0, len(coded), _AT_ONCE):
            more = {"files": coded[start : start + _AT_ONCE], "receipts": list(receipts), "keys": keys}
            found += [Found(steps) for steps in self.page.evaluate(_VERIFY, more)]
        for step in (step for one in found for step in one.steps):
            assert step["code"] in _CODES[step["state"]], step
            assert step["formula"]
        return found

    def verify(self, log: Log | bytes, receipts: Sequence[Any] = (), keys: Sequence[Any] | None = None) -> Found:
        return self.verify_all([log if isinstance(log, bytes) else ndjson(log)], receipts, keys)[0]


def serve_modules(page: Page, read: Callable[[str], str] = read_module) -> None:
    """Let the page have the modules as they are in the project, or as `read` gives them by their path."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(f"{HOME}/")
        body = read(path) if path else "<!doctype html><title>modules</title>"
        route.fulfill(body=body, content_type="text/javascript" if path else "text/html")

    page.route(f"{HOME}/**", answer)
    page.goto(f"{HOME}/")


def offer_modules(page: Page) -> None:
    """Let a page of the service import its modules as they are in the project, at `/modules/`."""

    def answer(route: Route) -> None:
        body = read_module(route.request.url.partition("/modules/")[2])
        route.fulfill(body=body, content_type="text/javascript")

    page.route("**/modules/**", answer)


def edited(log: Log, chance: Random) -> tuple[Log, int]:
    """The log with one value of one event changed, at any depth, and that event's version."""
    index = chance.randrange(len(log))
    event = json.loads(canonical_json(log[index]))
    container, key = chance.choice(list(_places(event)))
    value = container[key]
    while canonical_json(container[key]) == canonical_json(value):
        container[key] = chance.choice(list(_others(value, chance)))
    return [*log[:index], event, *log[index + 1 :]], index + 1


def _places(value: Any) -> Iterable[tuple[Any, Any]]:
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        yield value, key
        if isinstance(inner, dict | list):
            yield from _places(inner)


def _others(value: Any, chance: Random) -> Iterable[Any]:
    """Values that are like this one, or of another type."""
    cards = ["gold", "oil", "risk", "multitalent", "reibach"]
    match value:
        case bool():
            yield not value
        case int():
            yield from (value + 1, value - 1, -value, str(value))
        case str():
            cut = chance.randrange(len(value) + 1)
            yield from (
                chance.choice(cards),
                f"{value[:cut]}{chance.choice('0aü')}{value[cut:]}",
                value[1:],
                value.upper(),
            )
        case list():
            yield from (value[::-1], value[1:], [*value, None])
        case dict():
            yield {**value, "more": 1}
        case None:
            yield from ("", "greedy")
    yield None


def _reverse_members(line: bytes) -> bytes:
    return json.dumps(dict(reversed(json.loads(line).items())), separators=(",", ":")).encode() + b"\n"


BYTES: Final[dict[str, Callable[[list[bytes]], list[bytes]]]] = {
    "space": lambda lines: [*lines[:6], lines[6].replace(b'":', b'": ', 1), *lines[7:]],
    "escape": lambda lines: [*lines[:6], lines[6].replace(b"a", b"\\u0061", 1), *lines[7:]],
    "fraction": lambda lines: [*lines[:6], lines[6].replace(b'"version":7', b'"version":7.0'), *lines[7:]],
    "twice": lambda lines: [*lines[:6], lines[6][:-2] + b',"version":7}\n', *lines[7:]],
    "order": lambda lines: [*lines[:6], _reverse_members(lines[6]), *lines[7:]],
    "no UTF-8": lambda lines: [*lines[:6], lines[6].replace(b"a", b"\xff", 1), *lines[7:]],
    "carriage return": lambda lines: [*lines[:6], lines[6][:-1] + b"\r\n", *lines[7:]],
    "empty line": lambda lines: [*lines[:6], b"\n", *lines[6:]],
    "left out": lambda lines: [*lines[:6], *lines[7:]],
    "repeated": lambda lines: [*lines[:6], lines[5], *lines[6:]],
    "exchanged": lambda lines: [*lines[:6], lines[7], lines[6], *lines[8:]],
    "cut": lambda lines: [*lines[:6], lines[6][:-9]],
    "no line feed": lambda lines: [*lines[:6], lines[6][:-1]],
}
"""Changes of the lines of a log that begin with the seventh."""
