"""Draws the icons of the site with Chromium, after a change of icon.svg: `python -m tests.bench.tools.make_icons`."""

from pathlib import Path
from shutil import which

from playwright.sync_api import sync_playwright

import service.web
from service.api.docs.html.page_frame import read_static

ICONS = Path(service.web.__file__).parent / "static" / "icons"
SIZES = {"icon-180.png": (180, 0.8), "icon-192.png": (192, 1.0), "icon-512.png": (512, 1.0)} | {
    "icon-maskable-512.png": (512, 0.62)  # systems cut up to a fifth from each side
}
"""File -> its width and height in pixels, and the part of it that the drawing takes."""
GROUND = "#24523f"


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium-headless-shell") or which("chromium"), args=["--no-sandbox"]
        )
        for name, (size, part) in SIZES.items():
            page = browser.new_page(viewport={"width": size, "height": size})
            ground = "transparent" if part == 1 else GROUND
            page.set_content(
                f"<style>body{{margin:0;display:grid;place-items:center;height:100vh;background:{ground}}}"
                f"svg{{width:{100 * part}%}}</style>{read_static('icon.svg')}"
            )
            page.screenshot(path=ICONS / name, omit_background=True)
        browser.close()


if __name__ == "__main__":
    main()
