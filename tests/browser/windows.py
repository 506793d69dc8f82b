"""Windows of a browser: what each is like, and what may not happen in any of them."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urljoin

if TYPE_CHECKING:
    from playwright.sync_api import Browser, BrowserContext, Dialog, Locator, Page, Route
else:  # the tests are collected where Playwright isn't installed, too
    Browser = BrowserContext = Dialog = Locator = Page = Route = Any
Inspect = Callable[[Page, str], None]
"""`inspect_page(page, name)`: the fixture."""
_REPORT_VIOLATIONS: Final = """
addEventListener("securitypolicyviolation", (event) =>
  reportViolation(`${event.violatedDirective} forbids ${event.blockedURI || "inline code"}`));
"""


def script(name: str) -> str:
    """A function that a page runs for a test, by the name of its file in `scripts/`."""
    return (Path(__file__).parent / "scripts" / f"{name}.js").read_text("utf-8")


@dataclass(frozen=True)
class Look:
    width: int = 1440
    """In CSS pixels, as the height."""
    height: int = 900
    language: str = "en-GB"
    """Sent as Accept-Language, and what scripts and `Intl` see."""
    dark: bool = False
    calm: bool = True
    """Whether the user prefers reduced motion: pictures and waiting tests need no animation."""
    touch: bool = False
    scripts: bool = True
    worker: bool = False
    """Whether pages start their service worker, which takes as long as all else of a page."""

    @property
    def options(self) -> dict[str, Any]:
        return {
            "viewport": {"width": self.width, "height": self.height},
            "locale": self.language,
            "timezone_id": "Europe/Berlin",
            "color_scheme": "dark" if self.dark else "light",
            "reduced_motion": "reduce" if self.calm else "no-preference",
            "has_touch": self.touch,
            "java_script_enabled": self.scripts,
        }


DESKTOP: Final = Look()
PHONE: Final = Look(width=360, height=740, touch=True)


@dataclass
class Windows:
    """The windows that a test opens, and what was wrong in them.

    Wrong are: errors in a console (an answer of 400 or more is one), uncaught errors of scripts, violations of a
    Content-Security-Policy, and requests to any other host than the service.
    """

    browser: Browser
    home: str
    """The service's address, without a slash at the end."""
    patience: float
    """Seconds that a page may take to do what a test waits for."""
    start_workers: bool = False
    """Whether pages start their service worker in every look."""
    expected: list[str] = field(default_factory=list)
    """Regular expressions of complaints that the test provokes, each of which must come."""
    complaints: list[str] = field(default_factory=list)
    _contexts: list[BrowserContext] = field(default_factory=list)

    def open(self, path: str, look: Look = DESKTOP, *, beside: Page | None = None) -> Page:
        """Open a path of the service: as a visitor who was never there before, or in a new tab `beside` a page.

        The page has been loaded; what its scripts do after that has to be awaited. `about:blank` is a path, too, for a
        test that measures what comes next.
        """
        context = self._new_context(look) if beside is None else beside.context
        page = context.new_page()
        page.goto(urljoin(self.home, path))
        return page

    def show(self, html: str, look: Look = DESKTOP, path: str = "/own", **answer: Any) -> Page:
        """A page of the test's own at a path of the service; `answer`: what Playwright fulfils besides."""
        page = self.open("/robots.txt", look)
        html_of = {"body": html, "content_type": "text/html; charset=utf-8"}
        page.route(self.home + path, lambda route: route.fulfill(**html_of, **answer))
        page.goto(self.home + path)
        return page

    def expect(self, *patterns: str) -> None:
        """Announce complaints that the test provokes, such as `status of 409`."""
        self.expected += patterns

    def close(self) -> None:
        """Close all windows. Raises AssertionError with all that was wrong."""
        for context in self._contexts:
            context.close()
        unexpected = [text for text in self.complaints if not _match_any(self.expected, text)]
        assert not unexpected, "wrong in the browser:\n" + "\n".join(unexpected)
        missing = [pattern for pattern in self.expected if not any(re.search(pattern, one) for one in self.complaints)]
        assert not missing, f"expected in the browser, but did not happen: {missing}"

    def _new_context(self, look: Look) -> BrowserContext:
        workers: Literal["allow", "block"] = "allow" if look.worker or self.start_workers else "block"
        context = self.browser.new_context(**look.options, service_workers=workers)
        self._contexts.append(context)
        context.set_default_timeout(self.patience * 1000)
        complain = self.complaints.append
        context.expose_binding(
            "reportViolation", lambda source, text: complain(f"{source['page'].url}: policy: {text}")
        )
        context.add_init_script(_REPORT_VIOLATIONS)
        context.on("console", lambda said: complain(f"{_place(said)}: {said.text}") if _is_wrong(said) else None)
        context.on("weberror", lambda thrown: complain(f"{_address(thrown.page)}: {thrown.error}"))
        context.on("request", lambda request: self._judge_request(request.url))
        context.on("page", lambda page: page.on("websocket", lambda socket: self._judge_request(socket.url)))
        return context

    def _judge_request(self, url: str) -> None:
        if not url.startswith((f"{self.home}/", "data:", "blob:")):
            self.complaints.append(f"request to another host: {url}")


def _is_wrong(said: Any) -> bool:
    """An error; not that of a page whose connection a test has taken, which no other page can have."""
    return said.type == "error" and "ERR_INTERNET_DISCONNECTED" not in said.text


def _match_any(patterns: Sequence[str], text: str) -> bool:
    return any(re.search(pattern, text) for pattern in patterns)


def _place(said: Any) -> str:
    return f"{said.location['url'] or _address(said.page)}:{said.location['lineNumber']}"


def _address(page: Page | None) -> str:
    return "a worker" if page is None else page.url
