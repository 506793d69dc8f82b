"""Draws the pictures of ARCHITECTURE.md into docs/: `.venv/bin/python -m tests.bench.tools.diagrams`.

`house.svg` has the rooms on the floors of import-linter's contract, and which of them imports which; of the arrows
those that no way over other rooms implies. `action.svg` and `notice.svg` show the numbered steps of ARCHITECTURE.md:
who does something, or sends something to whom, and the first sentence. A test compares them with imports and text.
"""

import re
import tomllib
from html import escape
from pathlib import Path
from textwrap import wrap
from typing import Final

import grimp

ROOT: Final = Path(__file__).parents[3]
PACKAGES: Final = ("config", "domain", "service", "workers")
WIDTH, FLOOR, BOX, HEIGHT = 800, 58, 152, 36
"""Of the house, a floor, a room, and the room's height, in pixels."""
LANES, LINE, CHARACTER = 840, 15, 6.3
"""Of a picture of steps: its width, the height of a line of text, and a character's width."""


def floors() -> list[list[str]]:
    """The rooms from the front doors down to the domain."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
    house = next(one for one in contracts if one["name"] == "The house")
    return [floor.split(" | ") for floor in house["layers"]]


def imports(rooms: list[str]) -> set[tuple[str, str]]:
    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    return {
        (here, there)
        for module in graph.modules
        for other in graph.find_modules_directly_imported_by(module)
        if (here := room_of(module, rooms)) and (there := room_of(other, rooms)) and here != there
    }


def room_of(module: str, rooms: list[str]) -> str:
    """The room that the module is in; empty for one in none."""
    return next((room for room in rooms if module == room or module.startswith(f"{room}.")), "")


def essential(pairs: set[tuple[str, str]]) -> set[tuple[str, str]]:
    """The pairs that no way over other rooms implies."""
    below: dict[str, set[str]] = {}
    for start, end in pairs:
        below.setdefault(start, set()).add(end)

    def reach(room: str) -> set[str]:
        return {there for end in below.get(room, ()) for there in {end, *reach(end)}}

    return {(start, end) for start, end in pairs if not any(end in reach(other) for other in below[start] - {end})}


def draw_house() -> str:
    levels = floors()
    places = {
        room: (WIDTH * (column + 1) / (len(floor) + 1), FLOOR * level + FLOOR / 2)
        for level, floor in enumerate(levels)
        for column, room in enumerate(floor)
    }
    lines = []
    for start, end in sorted(essential(imports(list(places)))):
        (x, y), (to_x, to_y) = places[start], places[end]
        top, bottom = y + HEIGHT / 2, to_y - HEIGHT / 2 - 6
        middle = (top + bottom) / 2
        way = f"M{x:.0f} {top:.0f} C{x:.0f} {middle:.0f} {to_x:.0f} {middle:.0f} {to_x:.0f} {bottom:.0f}"
        if to_x == x and to_y - y > FLOOR:  # beside the rooms between
            edge = x + BOX / 2
            way = f"M{edge:.0f} {y:.0f} C{edge + 30:.0f} {y:.0f} {edge + 30:.0f} {to_y:.0f} {edge + 6:.0f} {to_y:.0f}"
        elif to_y - y > FLOOR:  # down its own column, then into the room's side
            side = 1 if to_x > x else -1
            end_x = to_x - side * (BOX / 2 + 6)
            way = f"M{x:.0f} {top:.0f} V{to_y - 20:.0f} Q{x:.0f} {to_y:.0f} {x + side * 20:.0f} {to_y:.0f} H{end_x:.0f}"
        lines.append(f'<path d="{way}" marker-end="url(#tip)"/>')
    boxes = [box(x, y, BOX, HEIGHT) + label(x, y + 5, room.replace(".", "/")) for room, (x, y) in places.items()]
    title = "The rooms of the code, and which imports which: all arrows point down"
    return picture(title, WIDTH, FLOOR * len(levels), [*lines, *boxes])


def draw_steps(title: str) -> str:
    """The steps below a heading of ARCHITECTURE.md: `1. **from → to** First sentence.`, or `1. **who** …`."""
    text = (ROOT / "ARCHITECTURE.md").read_text("utf-8").partition(f"\n## {title}\n")[2].partition("\n## ")[0]
    steps = [
        (who.split(" → "), number + says.replace("`", ""))
        for number, who, says in re.findall(r"^(\d+\. )\*\*(.*?)\*\* (.*?)(?:\.|(?<=\?)) ", text, re.MULTILINE)
    ]
    names = list(dict.fromkeys(name for ends, _ in steps for name in ends))
    lane = LANES / len(names)
    middles = {name: lane * (place + 0.5) for place, name in enumerate(names)}
    parts, y = list[str](), 58.0
    for ends, says in steps:
        x, to_x = middles[ends[0]], middles[ends[-1]]
        span = abs(to_x - x) or lane
        words = wrap(says, int(span / CHARACTER) - 2)
        if len(ends) == 1:
            parts.append(box(x, y + LINE * len(words) / 2 + 4, lane - 12, LINE * len(words) + 8))
        kind = "small" if len(ends) == 1 else "small sent"
        parts += [label((x + to_x) / 2, y + LINE * (row + 1), line, kind) for row, line in enumerate(words)]
        y += LINE * len(words) + 8
        if len(ends) > 1:
            parts.append(f'<path d="M{x:.0f} {y:.0f} H{to_x + (7 if to_x < x else -7):.0f}" marker-end="url(#tip)"/>')
        y += 14
    heads = [box(x, 24, lane - 12, 32) + label(x, 29, name) for name, x in middles.items()]
    lines = [f'<path class="life" d="M{x:.0f} 40 V{y:.0f}"/>' for x in middles.values()]
    return picture(f"{title}, step by step as in the list below it", LANES, int(y), [*lines, *heads, *parts])


def box(x: float, y: float, width: float, height: float) -> str:
    return f'<rect x="{x - width / 2:.0f}" y="{y - height / 2:.0f}" width="{width:.0f}" height="{height:.0f}" rx="6"/>'


def label(x: float, y: float, text: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.0f}" y="{y:.0f}">{escape(text)}</text>'


def picture(title: str, width: int, height: int, parts: list[str]) -> str:
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img">',
            f"<title>{title}</title>",
            (
                "<style>svg{background:#fff}rect{fill:#fbf7ec;stroke:#6b5b3e}path{fill:none;stroke:#6b5b3e}"
                ".life{stroke:#d8ccb0}text{font:14px sans-serif;text-anchor:middle;fill:#2b2418}"
                ".small{font-size:12px}.sent{paint-order:stroke;stroke:#fff;stroke-width:4px}</style>"
            ),
            (
                '<marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                '<path d="M0 1 L7 4 L0 7"/></marker>'
            ),
            *parts,
            "</svg>",
            "",
        ]
    )


def draw_all() -> dict[Path, str]:
    drawn = {"house": draw_house(), "action": draw_steps("One action"), "notice": draw_steps("One notice")}
    return {ROOT / "docs" / f"{name}.svg": text for name, text in drawn.items()}


if __name__ == "__main__":
    for path, text in draw_all().items():
        path.write_text(text, "utf-8")
