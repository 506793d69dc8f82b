"""Makes the picture of the README from a running service: `python -m tests.bench.tools.make_picture`."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from shutil import which

import httpx
from playwright.sync_api import sync_playwright

from config.settings import Settings
from service.runtime.embedded import EmbeddedStore
from tests.browser.tables import Tables, seat_link
from tests.conftest import SETTINGS
from tests.support.client import Api
from tests.support.in_process import log_over

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "table.png"
WIDTH, HEIGHT = 1180, 860
ACTIONS = 60


def main() -> None:
    """Play a game of four up to its middle, and take the picture of the table as the next player sees it."""
    with (
        tempfile.TemporaryDirectory() as data,
        subprocess.Popen(
            [sys.executable, "-m", "service.cli", "serve", "--port", "0", "--data", data],
            cwd=ROOT,
            env=os.environ | SETTINGS,
            stdout=subprocess.PIPE,
            text=True,
        ) as process,
    ):
        assert process.stdout is not None
        url = process.stdout.readline().rpartition(" ")[2].strip().rstrip("/")
        try:
            with (
                httpx.Client(base_url=url, timeout=60) as http,
                log_over(EmbeddedStore(Path(data)).url, Settings().shards) as log,
            ):
                tables = Tables(Api(http), log)
                table = tables.open("Anna", "Bert", "Carla", bots=1)
                tables.play(table, ACTIONS)
                seat = tables.api.view(table)["turn"]["seat"]
                take(url + seat_link(table, seat))
        finally:
            process.terminate()


def take(url: str) -> None:
    """Write the picture of a page in English, in the light theme."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium-headless-shell") or which("chromium"), args=["--no-sandbox"]
        )
        page = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT}, locale="en-GB", reduced_motion="reduce")
        page.goto(url)
        page.locator("#hand .card").first.wait_for()
        page.screenshot(path=PICTURE)
        browser.close()


if __name__ == "__main__":
    main()
