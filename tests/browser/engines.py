"""Firefox and WebKit, driven by what each has built in: both take the commands of the W3C's WebDriver.

Firefox takes them over a socket (Marionette), WebKit by its WebKitWebDriver. Neither knows Playwright: an `EnginePage`
has that part of Playwright's `Page` by which players play.
"""

import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Protocol

import httpx

from tests.browser.windows import script
from tests.support.cases import cases
from tests.support.ports import free_port
from tests.support.waiting import outcome_of, patience, wait_until

_MINI_BROWSER: Final = next(map(str, Path("/usr/lib").glob("*/webkit*gtk-*/MiniBrowser")), None)
"""The browser of WebKitGTK, which is not on the PATH."""
NEEDED: Final = {
    "firefox": {"firefox-esr": shutil.which("firefox-esr")},
    "webkit": {
        "webkit2gtk-driver": shutil.which("WebKitWebDriver"),
        "libwebkit2gtk-4.1-0": _MINI_BROWSER,
        "xvfb": shutil.which("Xvfb"),
    },
}
"""By the name of an engine: Debian's packages, and the program of each; None: it isn't installed."""
_START: Final = 30
"""Seconds that a browser of a quiet machine may take to start."""
_PREFERENCES: Final = cases(__file__, "preferences")
_NO_TOOLS: Final = ":root, body { min-width: 0 !important } #navigator-toolbox { display: none !important }"
"""For the window of Firefox: it is all page, and may be as narrow as a phone."""
_ELEMENT: Final = "element-6066-11e4-a52e-4f735466cecf"
"""The name of an element's id in answers, by the standard."""
_KEYS: Final = {"Enter": "\ue007", "Escape": "\ue00c", "ArrowLeft": "\ue012"}
_PATHS: Final = {
    "NewSession": "",
    "Navigate": "/url",
    "ExecuteScript": "/execute/sync",
    "PerformActions": "/actions",
    "ElementClick": "/element/{id}/click",
    "SetWindowRect": "/window/rect",
}
"""The commands that are used here, and where WebKitWebDriver takes each."""
_FIND: Final = script("find_visible")


class Refused(Exception):
    """A command that the browser didn't carry out, such as a click on what is covered."""


class Driver(Protocol):
    """Sends a command, and returns the value of its answer. Raises Refused."""

    def __call__(self, command: str, **parameters: Any) -> Any: ...


@contextmanager
def start_engine(name: str, folder: Path, width: int, height: int) -> Iterator["EnginePage"]:
    """The page of a browser that was never used before, in a window of this size in CSS pixels."""
    start = {"firefox": _start_firefox, "webkit": _start_webkit}[name]
    with start(folder, width, height) as send:
        send("NewSession", capabilities=_capabilities(name))
        send("SetWindowRect", width=width, height=height)
        page = EnginePage(send, {"width": width, "height": height})
        assert page.evaluate("[innerWidth, innerHeight]") == [width, height]
        yield page


def _capabilities(name: str) -> dict[str, Any]:
    options = {"binary": _MINI_BROWSER, "args": ["--automation", "--full-screen"]}  # its tools need 447 pixels
    return {"alwaysMatch": {"webkitgtk:browserOptions": options} if name == "webkit" else {}}


@contextmanager
def _start_firefox(folder: Path, width: int, height: int) -> Iterator[Driver]:
    (folder / "chrome").mkdir(parents=True)
    (folder / "chrome" / "userChrome.css").write_text(_NO_TOOLS)
    lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});\n" for name, value in _PREFERENCES.items()]
    (folder / "user.js").write_text("".join(lines))
    size = {"MOZ_HEADLESS_WIDTH": str(width), "MOZ_HEADLESS_HEIGHT": str(height)}
    port = folder / "MarionetteActivePort"
    argv = ["firefox-esr", "--headless", "--marionette", "--no-remote", "--profile", str(folder)]
    with _running(argv, HOME=str(folder), **size):
        wait_until(lambda: port.exists() and port.read_text(), _START)
        with socket.create_connection(("127.0.0.1", int(port.read_text())), patience(_START)) as connection:
            yield Marionette(connection)


@contextmanager
def _start_webkit(folder: Path, width: int, height: int) -> Iterator[Driver]:
    screen = ["-screen", "0", f"{width}x{height}x24"]
    display, port = folder / "display", free_port()
    folder.mkdir(parents=True)
    with ExitStack() as stack:
        output = stack.enter_context(display.open("w"))
        stack.enter_context(_running(["Xvfb", "-displayfd", "1", "-nolisten", "tcp", *screen], output))
        wait_until(lambda: display.read_text().endswith("\n"), _START)
        shown = {"DISPLAY": f":{display.read_text().strip()}", "GDK_BACKEND": "x11", "HOME": str(folder)}
        stack.enter_context(_running(["WebKitWebDriver", f"--port={port}"], **shown))
        http = stack.enter_context(httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=patience(_START)))
        outcome_of(lambda: http.get("/status"), httpx.ConnectError, _START)
        driver = WebKit(http)
        stack.callback(driver.end)
        yield driver


@contextmanager
def _running(argv: list[str], output: Any = subprocess.DEVNULL, **variables: str) -> Iterator[None]:
    process = subprocess.Popen(
        argv, stdout=output, stderr=subprocess.DEVNULL, env=os.environ | variables, process_group=0
    )
    try:
        yield
    finally:
        process.terminate()
        process.wait(patience(_START))


class Marionette:
    """Commands as Firefox takes them: JSON after its length and a colon."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._answers = connection.makefile("rb")
        self._sent = 0
        self._receive()  # what it says of itself

    def __call__(self, command: str, **parameters: Any) -> Any:
        self._sent += 1
        message = json.dumps([0, self._sent, f"WebDriver:{command}", parameters]).encode()
        self._connection.sendall(b"%d:%b" % (len(message), message))
        _, _, error, answer = self._receive()
        if error:
            raise Refused(f"{command}: {error['message']}")
        return answer.get("value", answer)

    def _receive(self) -> Any:
        length = b""
        while (byte := self._answers.read(1)) != b":":
            assert byte, "Firefox has ended"
            length += byte
        return json.loads(self._answers.read(int(length)))


class WebKit:
    """Commands as WebKitWebDriver takes them: over HTTP, each at its path below the session's."""

    def __init__(self, http: httpx.Client) -> None:
        self._http = http
        self._session = "/session"

    def __call__(self, command: str, **parameters: Any) -> Any:
        answer = self._http.post(self._session + _PATHS[command].format(**parameters), json=parameters)
        value = answer.json()["value"]
        if answer.is_error:
            raise Refused(f"{command}: {value['message']}")
        if command == "NewSession":
            self._session = f"/session/{value['sessionId']}"
        return value

    def end(self) -> None:
        """End the browser, which the driver has started."""
        self._http.delete(self._session)


@dataclass
class EnginePage:
    """What players use of Playwright's `Page`: the same names, which do the same."""

    send: Driver
    viewport_size: Mapping[str, int]
    url: str = ""
    _timeout: float = field(default_factory=lambda: patience(_START))

    @property
    def keyboard(self) -> "EnginePage":
        return self

    def goto(self, url: str) -> None:
        self.url = url.partition("#")[0]
        self.send("Navigate", url=url)
        self.evaluate(script("record_errors"))

    def press(self, key: str) -> None:
        value = _KEYS.get(key, key)
        actions = [{"type": kind, "value": value} for kind in ("keyDown", "keyUp")]
        self.send("PerformActions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def evaluate(self, expression: str, arg: Any = None) -> Any:
        """The value of an expression; a function is called with `arg`."""
        text = f"const value = ({expression}); return typeof value === 'function' ? value(arguments[0]) : value"
        return self.send("ExecuteScript", script=text, args=[arg])

    def set_default_timeout(self, milliseconds: float) -> None:
        self._timeout = milliseconds / 1000

    def wait_for_function(self, function: str, *, arg: Any = None, polling: int = 30) -> "EngineValue":
        value = None

        def is_true() -> bool:
            nonlocal value
            value = self.evaluate(function, arg)
            return bool(value)

        wait_until(is_true, self._timeout / patience(1), polling / 1000)
        return EngineValue(value)

    def locator(self, selector: str) -> "EngineLocator":
        return EngineLocator(self, re.sub(r":visible\b", "", selector))


@dataclass(frozen=True)
class EngineValue:
    value: Any

    def json_value(self) -> Any:
        return self.value


@dataclass(frozen=True)
class EngineLocator:
    """The first element of a selector that is visible; like Playwright's it waits for what it needs."""

    page: EnginePage
    selector: str

    @property
    def first(self) -> "EngineLocator":
        return self

    def count(self) -> int:
        return int(self.page.evaluate(f"document.querySelectorAll({json.dumps(self.selector)}).length"))

    def get_attribute(self, name: str) -> str | None:
        asked = f"document.querySelector({json.dumps(self.selector)}).getAttribute({json.dumps(name)})"
        answer: str | None = self.page.evaluate(asked)
        return answer

    def wait_for(self) -> None:
        self.page.wait_for_function(_FIND, arg=self.selector)

    def tap(self) -> None:
        outcome_of(self._tap, Refused)

    def _tap(self) -> None:
        element = self.page.wait_for_function(_FIND, arg=self.selector).json_value()
        self.page.send("ElementClick", id=element[_ELEMENT])
