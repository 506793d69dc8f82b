"""Makes the picture of the README from a running service: `python -m tests.bench.tools.make_picture`."""

import sys
import tempfile
from base64 import b64encode
from pathlib import Path
from random import Random
from shutil import which

import httpx
from playwright.sync_api import Browser, sync_playwright

from config.settings import Settings
from domain.bots import choose_action
from domain.commands import Act
from service.post.mail.composer import compose_whole
from service.post.snapshot import take_snapshot
from service.runtime.embedded import EmbeddedStore
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Look
from tests.faults.served import served
from tests.post.mails import envelope, text_of
from tests.support.client import Api, Table
from tests.support.in_process import log_over

ROOT = Path(__file__).parents[3]
PICTURE = ROOT / "docs" / "table.png"
HEIGHT, WIDTHS = 850, {"table": 1120, "phone": 360, "mail": 400}
SHEET = "<body style='margin:0;display:inline-flex;gap:20px;background:#fff'>"
PART = "<img style='border-radius:12px;border:1px solid #9994' src='data:image/png;base64,{}'>"


def main() -> None:
    """Play a game of four until after its second scoring, and take the picture of what a player of it sees."""
    serve = [sys.executable, "-m", "service.cli", "serve"]
    with (
        tempfile.TemporaryDirectory() as data,
        served(serve, Path(data), REIBACH_ALLOW_FIXED_SEED="1") as service,
        httpx.Client(base_url=service.url, timeout=60) as http,
        log_over(EmbeddedStore(service.data).url, Settings().shards) as log,
    ):
        tables = Tables(Api(http), log)
        table = tables.open("Anna", "Bert", "Carla", bots=1, seed="1" * 64)
        take(service.url + seat_link(table, 0), play(tables, table))


def play(tables: Tables, table: Table) -> str:
    """Let bots play up to a turn of Anna after the second scoring, with some cards in her hand; its mail, as HTML."""
    game = tables.log.load(table.id).game
    while len(game.rounds) < 2 or game.turn_seat or game.action_points < 3 or len(game.seats[0].hand) < 2:
        action = choose_action("greedy", game, Random("picture"))
        tables.log.handle(table.id, Act(seat=game.turn_seat, actions=(action,)))
        tables.play(table, 0)  # what waits to be scored
        game = tables.log.load(table.id).game
    _, events = tables.log.load_events(table.id, 0, game.version)
    return text_of(compose_whole("turn", take_snapshot(game, events, 0), envelope(), game.version), "html")


def take(url: str, mail: str) -> None:
    """Write the picture: the table in a wide window, in a phone at night, and the mail, beside each other."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=which("chromium-headless-shell") or which("chromium"), args=["--no-sandbox"]
        )
        parts = [shoot(browser, name, url, mail) for name in WIDTHS]
        page = browser.new_page()
        page.set_content(SHEET + "".join(PART.format(b64encode(part).decode()) for part in parts))
        page.locator("body").screenshot(path=PICTURE)
        browser.close()


def shoot(browser: Browser, name: str, url: str, mail: str) -> bytes:
    look = Look(WIDTHS[name], HEIGHT, dark=name == "phone", touch=name == "phone")
    page = browser.new_page(**look.options)
    if name == "mail":
        page.set_content(mail)
    else:
        page.goto(url)
        page.locator("#hand .card").first.wait_for()
        page.evaluate("document.documentElement.style.setProperty('--weave', 'none')")  # half of the file
    return page.screenshot()


if __name__ == "__main__":
    main()
