"""What pages load besides their HTML: scripts, styles and icons, at addresses that name their content's digest.

The ES modules of a page are joined into one script, so that a page costs one request and needs no build step. Each is
valid by itself, too. What that takes of a module (tests hold it): imports are at line starts and name relative files
without `as`, declarations alone are exported, no two modules of a page declare the same name, and no text has several
lines.
"""

import json
import posixpath
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple

from flask import Response

from domain.commands import ACTIONS
from domain.events import EVENT_TABLE, FIELDS, OPTIONAL
from domain.words.appearance import APPEARANCES
from domain.words.refusals.sentences import Sentence
from service.api.docs.static_content import FOR_EVER, StaticContent
from service.api.problems.problem import Problem
from service.api.protocol.request import ApiRequest
from service.api.protocol.response import NO_STORE
from service.api.protocol.routing import RouteTable
from service.api.routes.reading.scores import TEMPLATES

routes: Final = RouteTable()

_STATIC: Final = Path(__file__).with_name("static")
ENTRIES: Final[set[str]] = set()
"""The scripts of pages, as `declare_script` has added them; what they import is joined with them."""
_STYLES: Final = (
    *("base.css", "cards.css", "table.css", "market.css", "events.css", "ending.css", "pages.css"),
    *("check.css", "plain.css", "rules.css"),
)
"""The files of the style sheet, in the order in which they apply; a replay has one more."""
_MEDIA_TYPES: Final = {
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".png": "image/png",
    ".svg": "image/svg+xml",
}
_IMPORT: Final = re.compile(r'^import\s(?:([^;"]*?)\sfrom\s+)?"(\.{1,2}/[\w./-]+)";\n', re.MULTILINE)
_EXPORTED: Final = re.compile(r"^export (?:async )?\w+ (\w+)", re.MULTILINE)
_LATE: Final = re.compile(r'\bimport\("(\.{1,2}/[\w./-]+)"\)')
_NOTES: Final = re.compile(
    r"""
      ^[ \t]* /\*(?:(?!\*/).)*\*/ [ \t]*\n   # a comment of whole lines
    | ^[ \t]* // [^\n]* \n
    | [ \t]+ //[ ] [^\n"'`]* $            # at a line's end, in no text
    | ^[ \t]+
    """,
    re.MULTILINE | re.DOTALL | re.VERBOSE,
)
_EXPORT: Final = re.compile(r"^export (?=(?:async )?(?:function|class|const|let)\b)", re.MULTILINE)


def leave_out_notes(text: str) -> str:
    """A script or style without comments and indentation, which are a quarter of its bytes as sent."""
    return _NOTES.sub("", text)


class Joined(NamedTuple):
    """The scripts of a page."""

    first: str
    late: str
    """What its modules load by `import("./path.js")` when they need it; "": nothing."""


def join_modules(read: Callable[[str], str], entry: str) -> Joined:
    """The script of `entry` and all that it imports, each module once and after those that it imports.

    `read`: from a module's path, such as `verify/chain.js`, to its text. Raises ValueError where modules import each
    other, or in a form that isn't joined.
    """
    first, late = _Joiner(read), _Joiner(read)
    first.add(entry)
    late.others = set(first.bodies)
    wanted = list(first.late)
    for path in wanted:  # grows
        if path in first.bodies:
            raise ValueError(f"{path}: loaded at once, and later")
        late.add(path)
        wanted += [more for more in late.late if more not in wanted]
    if not wanted:
        return Joined("".join(first.bodies.values()), "")
    # Both have one digest in their addresses, so that these names are those of the page's own script.
    taken = ", ".join(sorted(late.names))
    given = ", ".join(sorted(name for path in wanted for name in late.exported[path]))
    texts = (
        f"{''.join(first.bodies.values())}export {{ {taken} }};\n",
        f'import {{ {taken} }} from "./{entry}";\n{"".join(late.bodies.values())}export {{ {given} }};\n',
    )
    return Joined(*(_LATE.sub(f'import("./{late_name(entry)}")', text) for text in texts))


class _Joiner:
    """Takes modules in the order in which they run; those of `others` are part of another script."""

    def __init__(self, read: Callable[[str], str]) -> None:
        self._read = read
        self.others: set[str] = set()
        self.bodies: dict[str, str] = {}
        self.names: set[str] = set()
        """What is imported from `others`."""
        self.exported: dict[str, list[str]] = {}
        self.late: list[str] = []

    def add(self, path: str, importers: tuple[str, ...] = ()) -> None:
        if path in importers:
            raise ValueError(f"modules import each other: {' -> '.join((*importers, path))}")
        if path in self.bodies:
            return
        text = self._read(path)
        for names, target in _IMPORT.findall(text):
            module = _resolve(path, target)
            if module in self.others:
                self.names |= {name.strip() for name in names.strip("{ }").split(",")}
            else:
                self.add(module, (*importers, path))
        self.late += [module for target in _LATE.findall(text) if (module := _resolve(path, target)) not in self.late]
        body = _EXPORT.sub("", _IMPORT.sub("", text))
        if statement := re.search(r"^(?:import|export)\b(?!\().*", body, re.MULTILINE):
            raise ValueError(f"{path}: not a form that is joined: {statement[0]}")
        self.bodies[path], self.exported[path] = body, _EXPORTED.findall(text)


def _resolve(path: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(posixpath.dirname(path), target))


def late_name(entry: str) -> str:
    return f"late-{entry}"


@routes.get("/static/<digest>/<name>")
def show_asset(request: ApiRequest) -> Response:
    """An asset, forever, since another content has another address.

    During an upgrade pages of one release ask processes of the other: those get what this release has of that name,
    which no cache may keep at an address of another content.
    """
    name = request.path["name"]
    asset = load_assets().get(name)
    is_own = asset is not None and asset.digest == request.path["digest"]
    if asset is None or (name.startswith("late-") and not is_own):  # it would not fit the page's first script
        raise Problem("not-found", Sentence("not-found"), headers=NO_STORE)
    return asset.respond(_MEDIA_TYPES[Path(name).suffix], FOR_EVER if is_own else NO_STORE["Cache-Control"])


def declare_script(name: str, page: str) -> None:
    """Serve the script of a page. Raises ImportError where there is no such file: pages are declared at the start."""
    path = _STATIC / "js" / name
    if not path.is_file():
        raise ImportError(f"the script of page {page} is missing: {path}")
    ENTRIES.add(name)


@cache
def load_assets() -> Mapping[str, StaticContent]:
    contents = {name: StaticContent.of(content) for name, content in _contents()}
    for entry in ENTRIES:
        if late := contents.get(late_name(entry)):  # the page's script names it by its place beside it
            both = StaticContent.of(contents[entry].plain + late.plain).digest
            contents |= {name: replace(contents[name], digest=both) for name in (entry, late_name(entry))}
    return contents


def late_path(entry: str) -> str:
    """The address of what a page's script loads later; "": nothing."""
    return asset_path(late_name(entry)) if late_name(entry) in load_assets() else ""


@cache
def asset_path(name: str) -> str:
    """The address of an asset. Raises KeyError where there is none of that name."""
    return f"/static/{load_assets()[name].digest}/{name}"


def read_static(path: str) -> str:
    return (_STATIC / path).read_text("utf-8")


def read_module(path: str) -> str:
    """A script, by its path below `static/js`; what the verifier knows of types of events is made here."""
    if path != "verify/event_table.js":
        return read_static(f"js/{path}")
    table = {
        name: {"always": sorted(FIELDS[name]), "maybe": sorted(OPTIONAL.get(name, ()))}
        | {"begins": entry.begins, "acts": name in ACTIONS}
        for name, entry in EVENT_TABLE.items()
    }
    return "export const EVENT_TABLE = " + json.dumps(table, separators=(",", ":")) + ";\n"


def _contents() -> Iterator[tuple[str, bytes]]:
    for entry in sorted(ENTRIES):
        for name, text in zip((entry, late_name(entry)), join_modules(read_module, entry), strict=True):
            if text:
                yield name, leave_out_notes(text).encode()
    yield "app.css", leave_out_notes(_card_colours() + _read_all(*(f"css/{name}" for name in _STYLES))).encode()
    sheet = (TEMPLATES / "score_sheet.css").read_text("utf-8")
    yield "scores.css", (read_static("css/base.css") + sheet + read_static("css/scores.css")).encode()
    yield "replay.css", leave_out_notes(_read_all("css/replay.css", "css/analysis.css")).encode()
    yield "lean-qr.js", read_static("vendor/lean-qr/lean-qr.mjs").encode()
    for icon in sorted((_STATIC / "icons").iterdir()):
        yield icon.name, icon.read_bytes()


def _read_all(*paths: str) -> str:
    return "".join(map(read_static, paths))


def _card_colours() -> str:
    """A rule for each card. No style sheet of a page names a colour of a card itself."""
    return "".join(
        f'[data-card="{card}"]{{--ground:{look.background};--mark:{look.ink}}}\n' for card, look in APPEARANCES.items()
    )


@cache
def read_sprite() -> str:
    """The symbols of the cards as one hidden drawing, for the HTML of pages that show cards."""
    return re.sub(r"\n\s*", "", read_static("sprite.svg"))
