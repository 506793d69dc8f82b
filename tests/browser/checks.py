"""What must hold on every page: axe-core finds nothing, and nothing is wider than the window."""

import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from pathlib import Path
from typing import Final
from zlib import crc32

from tests.browser.windows import Locator, Page, script

WIDTHS: Final = {360: 740, 768: 1024, 1440: 900}
"""The widths at which pages are looked at, and the height for each, in CSS pixels."""
SCHEMES: Final = ("light", "dark")
_EACH_RUN: Final = {360: "light", 768: "light", 1440: "dark"}
"""The scheme for each width in which every run looks at a page."""
_JUDGED: Final = (360, 1440)
"""The widths at one of which axe-core judges a page in every run, by the page's name: it takes longer than all else."""
_JUDGE: Final = script("judge")
_READER: Final = """import sys, zxingcpp; size, grays = int(sys.argv[1]), memoryview(sys.stdin.buffer.read())
print(zxingcpp.read_barcodes(grays.cast("B", (size, size)))[0].text, end="")"""


def check_accessibility(page: Page) -> None:
    """Judge the page as it is now by all rules of axe-core. Raises AssertionError with what it found, and where."""
    from axe_playwright_python.base import AXE_SCRIPT, AxeResults

    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE_SCRIPT)
    found = AxeResults({"violations": page.evaluate(_JUDGE)})
    assert not found.violations_count, f"{page.url}\n{found.generate_report()}"


def check_width(page: Page) -> None:
    """Nobody has to scroll sideways. Raises AssertionError with the elements that are too wide."""
    wide = page.evaluate(
        """() => document.documentElement.scrollWidth <= innerWidth ? [] :
          [...document.body.querySelectorAll("*")].filter((one) => one.getBoundingClientRect().right > innerWidth)
            .map((one) => one.outerHTML.slice(0, 120))"""
    )
    assert not wide, f"wider than {page.viewport_size}: {wide}"


def each_look(page: Page, *, is_thorough: bool = True) -> Iterator[tuple[int, str]]:
    """Show the page at each width, light and dark: the width and the scheme. At the end it is as it was.

    Light or dark at each width, unless `is_thorough`.
    """
    before = page.viewport_size
    for width, height in WIDTHS.items():
        page.set_viewport_size({"width": width, "height": height})
        for scheme in SCHEMES if is_thorough else [_EACH_RUN[width]]:
            page.emulate_media(color_scheme=scheme)
            yield width, scheme
    page.emulate_media(color_scheme="null")
    if before is not None:
        page.set_viewport_size(before)


def inspect(page: Page, name: str, pictures: Path | None, *, is_thorough: bool = True) -> None:
    """Check the page at each width, light and dark: that it isn't wider, and its accessibility.

    Unless `is_thorough`: light or dark at each width, and the accessibility of the narrowest or the widest window.
    A page whose scripts don't run is judged by its width alone: axe-core is a script.
    With a folder `pictures` the page is kept there as `<name>-<width>-<scheme>.png` in its whole length.
    """
    judged = _JUDGED[crc32(name.encode()) % len(_JUDGED)]
    has_scripts = page.evaluate("!matchMedia('(scripting: none)').matches")
    for width, scheme in each_look(page, is_thorough=is_thorough):
        if pictures is not None:
            pictures.mkdir(parents=True, exist_ok=True)
            page.screenshot(path=pictures / f"{name}-{width}-{scheme}.png", full_page=True)
        check_width(page)
        if has_scripts and (is_thorough or width == judged):
            check_accessibility(page)


def read_code(picture: Locator) -> str:
    """What a camera reads in a QR code; in a process of its own, as the library complains about threads."""
    picture.wait_for()
    size, grays = picture.evaluate(script("gray_pixels"))
    return subprocess.check_output([sys.executable, "-c", _READER, str(size)], input=b64decode(grays)).decode()
