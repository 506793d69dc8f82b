"""Makes the pictures of the README from a running service: `python -m tests.bench.tools.make_picture`.

`docs/table.png` shows a late game in a window, on a phone and in a mail, `docs/turn.webp` a whole turn on a phone,
`docs/mail.webp` a mail that is answered.
"""

import sys
import tempfile
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from random import Random
from shutil import which

import httpx
from playwright.sync_api import Browser, Page, sync_playwright

from config.settings import Settings
from domain.bots import choose_action
from domain.commands import Act, Draw, Take
from domain.state import Game
from service.post.mail.answer_mail import AnswerMail
from service.post.mail.composer import compose_answer, compose_turn
from service.post.snapshot import take_snapshot
from service.runtime.embedded import EmbeddedStore
from tests.browser.tables import Tables, seat_link
from tests.browser.windows import Look
from tests.faults.served import served
from tests.post.mails import envelope, text_of
from tests.support.client import Api, Table
from tests.support.in_process import log_over

ROOT = Path(__file__).parents[3]
PICTURE, TURN, MAIL = (ROOT / "docs" / name for name in ("table.png", "turn.webp", "mail.webp"))
HEIGHT, WIDTHS = 850, {"table": 1120, "phone": 360, "mail": 400}
SHEET = "<body style='margin:0;display:inline-flex;gap:20px;background:#fff'>"
PHONE = Look(360, 740, touch=True)
TIMES_SHOWN = 3
TAPS = (
    *("#hand button.card", "#market .target, .row-new", "#display button.card", "[data-focus=now]"),
    *("#hand button.card", "#market .target, .row-new", "[data-focus=send]"),
)
"""A turn: a card is laid, an open one is taken, which is confirmed, and another one is laid."""
REPLY = "take 2\ndraw"
WRITE = """(text) => {
  const css = "position:fixed;inset:auto 0 0;height:110px;margin:0;padding:14px;background:#fff;color:#111;" +
    "border-top:5px solid #f0c040;font:24px/1.4 sans-serif";
  const all = document.body;
  const box = all.querySelector("pre") ?? all.appendChild(Object.assign(document.createElement("pre"), { style: css }));
  box.textContent = `${text}|`;
}"""
"""What a mail program shows of an answer."""
NO_HINTS = "localStorage.setItem('reibach.hints', '{}')"
TO_WEBP = """async (png) => {
  const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
  const draw = (x, y, width, height) => {
    const canvas = Object.assign(document.createElement("canvas"), { width, height });
    canvas.getContext("2d", { alpha: false }).drawImage(image, -x, -y);
    return canvas;
  };
  const { width, height } = image;
  const now = new Uint32Array(draw(0, 0, width, height).getContext("2d").getImageData(0, 0, width, height).data.buffer);
  let [left, top, right, bottom] = [width, height, 0, 0];
  now.forEach((pixel, at) => {
    if (globalThis.before?.[at] === pixel) return;
    const [x, y] = [at % width, Math.floor(at / width)];
    [left, top, right, bottom] = [Math.min(left, x), Math.min(top, y), Math.max(right, x + 1), Math.max(bottom, y + 1)];
  });
  globalThis.before = now;
  if (!right) [left, top, right, bottom] = [0, 0, 2, 2]; // nothing differs
  [left, top] = [left - left % 2, top - top % 2];
  return [left, top, right - left, bottom - top,
    draw(left, top, right - left, bottom - top).toDataURL("image/webp", 0.72).split(",")[1]];
}"""
"""Where the picture differs from the one before: x, y (both even), width, height, and that part of it."""
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
        mail = play(tables, table, rounds=2)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(
                executable_path=which("chromium-headless-shell") or which("chromium"), args=["--no-sandbox"]
            )
            take(browser, service.url + seat_link(table, 0), mail)
            table = tables.open("Anna", "Bert", "Carla", bots=1, seed="3" * 64)
            play(tables, table, rounds=1)
            url = service.url + seat_link(table, 0)
            TURN.write_bytes(animate(browser, list(play_turn(browser, url, tables, table))))
            table = tables.open("Anna", "Bert", "Carla", bots=1, seed="5" * 64)
            mail = play(tables, table, rounds=1)
            MAIL.write_bytes(animate(browser, list(answer_mail(browser, mail, tables, table))))
            browser.close()


def play(tables: Tables, table: Table, *, rounds: int) -> str:
    """Let bots play up to a turn of Anna after so many scorings, with some cards in her hand; its mail, as HTML."""
    game = tables.log.load(table.id).game
    while len(game.rounds) < rounds or game.turn_seat or game.action_points < 3 or len(game.seats[0].hand) < 2:
        game = act(tables, table, game)
    _, events = tables.log.load_events(table.id, 0, game.version)
    return text_of(compose_turn(take_snapshot(game, events, 0), envelope(), game.version), "html")


def act(tables: Tables, table: Table, game: Game) -> Game:
    """A bot's action for the seat that is to play; the game then."""
    action = choose_action("greedy", game, Random("picture"))
    tables.log.handle(table.id, Act(seat=game.turn_seat, actions=(action,)))
    tables.play(table, 0)  # what waits to be scored
    return tables.log.load(table.id).game


def take(browser: Browser, url: str, mail: str) -> None:
    """Write the picture: the table in a wide window, in a phone at night, and the mail, beside each other."""
    parts = [shoot(browser, name, url, mail) for name in WIDTHS]
    page = browser.new_page()
    page.set_content(SHEET + "".join(PART.format(b64encode(part).decode()) for part in parts))
    page.locator("body").screenshot(path=PICTURE)


def shoot(browser: Browser, name: str, url: str, mail: str) -> bytes:
    look = Look(WIDTHS[name], HEIGHT, dark=name == "phone", touch=name == "phone")
    page = browser.new_page(**look.options)
    if name == "mail":
        page.set_content(mail)
    else:
        show(page, url)
    return page.screenshot()


def show(page: Page, url: str) -> None:
    page.goto(url)
    page.locator("#hand .card").first.wait_for()
    page.evaluate("document.documentElement.style.setProperty('--weave', 'none')")  # half of the file


def play_turn(browser: Browser, url: str, tables: Tables, table: Table) -> Iterator[tuple[bytes, int]]:
    """Pictures of a turn, from one's own to the next one, each with the milliseconds for which it is shown."""
    context = browser.new_context(**PHONE.options, device_scale_factor=1.25)
    context.add_init_script(NO_HINTS)
    page = context.new_page()
    show(page, url)
    yield page.screenshot(), 2000
    for tap in TAPS:
        page.locator(tap).first.tap()
        page.wait_for_timeout(800)
        yield page.screenshot(), 1200
    game = tables.log.load(table.id).game
    while (turn := game.turn_seat) and not game.over:
        while game.turn_seat == turn and not game.over:
            game = act(tables, table, game)
        page.wait_for_timeout(4000)  # the page shows action by action
        yield page.screenshot(), 1200
    page.wait_for_timeout(2500)
    yield page.screenshot(), 4000


def answer_mail(browser: Browser, mail: str, tables: Tables, table: Table) -> Iterator[tuple[bytes, int]]:
    """Pictures of the mail about a turn, of the answer as it is written, and of the mail that says what was played."""
    page = browser.new_context(**PHONE.options, device_scale_factor=1.25).new_page()
    page.set_content(mail)
    yield page.screenshot(), 3000
    for length in range(len(REPLY) + 1):
        page.evaluate(WRITE, REPLY[:length])
        yield page.screenshot(), 1500 if length == len(REPLY) else 150
    since = tables.log.load(table.id).game.version
    tables.log.handle(table.id, Act(seat=0, actions=(Take(slot=1), Draw())))
    game = tables.log.load(table.id).game
    _, events = tables.log.load_events(table.id, 0, game.version)
    answer = AnswerMail(id="1", mail=None, since=since, until=game.version)
    page.set_content(text_of(compose_answer(take_snapshot(game, events, 0), envelope(), answer), "html"))
    yield page.screenshot(), 5000


def animate(browser: Browser, pictures: list[tuple[bytes, int]]) -> bytes:
    """An animated WebP of PNG pictures of one size, each as what differs from the one before (RFC 9649)."""
    page, chunks = browser.new_page(), [chunk(b"ANIM", bytes(4) + TIMES_SHOWN.to_bytes(2, "little"))]
    for png, duration in pictures:
        x, y, width, height, webp = page.evaluate(TO_WEBP, b64encode(png).decode())
        image = b64decode(webp)
        place = [one.to_bytes(3, "little") for one in (x // 2, y // 2, width - 1, height - 1, duration)]
        chunks.append(chunk(b"ANMF", b"".join([*place, b"\2", image[image.index(b"VP8 ") :]])))
        if len(chunks) == 2:
            chunks.insert(0, chunk(b"VP8X", b"".join([b"\2", bytes(3), *place[2:4]])))
    return chunk(b"RIFF", b"WEBP" + b"".join(chunks))


def chunk(name: bytes, content: bytes) -> bytes:
    return name + len(content).to_bytes(4, "little") + content + bytes(len(content) % 2)


if __name__ == "__main__":
    main()
