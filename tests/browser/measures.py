"""What a page costs: requests and bytes until it is quiet, shifts of its layout, long tasks of its scripts."""

import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from tests.browser.windows import Page, script

QUIET: Final = 0.5
"""Seconds without a new request after which a page has loaded."""
_TURN: Final = 20
"""Milliseconds for which the browser is listened to before the condition is looked at again."""
_ENTRIES: Final = script("take_entries")


@dataclass
class Transfer:
    url: str
    began: float
    """By the monotonic clock."""
    is_stream: bool = False
    """Whether it is an event stream, or a long poll: it lasts as long as the page."""
    is_cached: bool = False
    """Whether the browser has answered it from a cache."""
    is_done: bool = False
    size: int = 0
    """Bytes of the answer as transferred: head, and body as compressed."""


@dataclass
class Traffic:
    transfers: dict[str, Transfer] = field(default_factory=dict)
    """By the browser's id of the request; redirects have that of the first."""

    @property
    def counted(self) -> list[Transfer]:
        """All but streams, and what came from a cache. The icon of a page is one of them."""
        return [one for one in self.transfers.values() if not one.is_stream and not one.is_cached]

    @property
    def requests(self) -> list[str]:
        return [one.url for one in self.counted]

    @property
    def size(self) -> int:
        """Bytes transferred by those that count."""
        return sum(one.size for one in self.counted)

    def is_quiet(self) -> bool:
        """Whether every request has been answered, streams aside, and none has begun for `QUIET` seconds."""
        last = max((one.began for one in self.transfers.values()), default=0.0)
        is_done = all(one.is_done or one.is_stream for one in self.transfers.values())
        return bool(self.transfers) and is_done and time.monotonic() - last > QUIET

    def listen(self, page: Page) -> None:
        """Count what the page requests from now on; its service worker's own requests are none of it."""
        session = page.context.new_cdp_session(page)
        session.on("Network.requestWillBeSent", self._begin)
        session.on("Network.responseReceived", self._classify)
        session.on("Network.loadingFinished", lambda event: self._end(event, event["encodedDataLength"]))
        session.on("Network.requestServedFromCache", self._mark_cached)
        session.on("Network.loadingFailed", lambda event: self._end(event, 0))
        session.send("Network.enable")

    def _begin(self, event: dict[str, Any]) -> None:
        url = event["request"]["url"]
        if not url.startswith(("data:", "blob:")):
            is_poll = "wait=" in url.partition("?")[2]
            self.transfers[event["requestId"]] = Transfer(url, time.monotonic(), is_stream=is_poll)

    def _classify(self, event: dict[str, Any]) -> None:
        transfer, response = self.transfers.get(event["requestId"]), event["response"]
        if transfer is not None:
            transfer.is_stream |= response["mimeType"] == "text/event-stream"
            transfer.is_cached |= response["fromDiskCache"]

    def _mark_cached(self, event: dict[str, Any]) -> None:
        if event["requestId"] in self.transfers:
            self.transfers[event["requestId"]].is_cached = True

    def _end(self, event: dict[str, Any], size: int) -> None:
        transfer = self.transfers.get(event["requestId"])
        if transfer is not None:
            transfer.is_done, transfer.size = True, int(size)


@contextmanager
def measured(page: Page, seconds: float = 20.0) -> Iterator[Traffic]:
    """What the page requests from here until it is quiet, which is waited for at the end, for `seconds` at most."""
    traffic = Traffic()
    traffic.listen(page)
    yield traffic
    began = time.monotonic()
    while not traffic.is_quiet():
        waiting = [one.url for one in traffic.transfers.values() if not one.is_done]
        assert time.monotonic() - began < seconds, f"not quiet after {seconds} s, waiting for {waiting}"
        page.wait_for_timeout(_TURN)  # events of the browser are delivered meanwhile


def layout_shift(page: Page) -> float:
    """The sum of all shifts of the document's layout that no input had caused: CLS is never more."""
    return sum(value for value, is_asked in page.evaluate(_ENTRIES, "layout-shift") if not is_asked)


@contextmanager
def traced(page: Page) -> Iterator[list[float]]:
    """Milliseconds of processor time of each task of the page's main thread from here to the end, filled in there.

    A loaded machine doesn't change them, unlike those of `long_tasks`.
    """
    found: list[float] = []
    browser = page.context.browser
    assert browser is not None
    browser.start_tracing(page=page, categories=["toplevel", "__metadata"])
    yield found
    events = json.loads(browser.stop_tracing())["traceEvents"]
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == "CrRendererMain"
    }
    found += [
        event["tdur"] / 1000
        for event in events
        if event["name"].endswith("RunTask") and "tdur" in event and (event["pid"], event["tid"]) in mains
    ]


def long_tasks(page: Page) -> list[float]:
    """Milliseconds of each task of the document that took more than 50."""
    return [duration for duration, _ in page.evaluate(_ENTRIES, "longtask")]
