"""The picture of ARCHITECTURE.md: rooms on the floors of import-linter's contract, and which of them imports which.

Of the arrows those are drawn that no way over other rooms implies.

Run: `.venv/bin/python -m tests.bench.tools.house` writes docs/house.svg; a test compares it with the imports.
"""

import tomllib
from pathlib import Path
from typing import Final

import grimp

ROOT: Final = Path(__file__).parents[3]
PICTURE: Final = ROOT / "docs" / "house.svg"
PACKAGES: Final = ("config", "domain", "service", "workers")
WIDTH, FLOOR, BOX, HEIGHT = 700, 62, 160, 36
"""Of the picture, a floor, a room, and the room's height, in pixels."""


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


def draw() -> str:
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
        lines.append(f'<path d="{way}" marker-end="url(#tip)"/>')
    boxes = [
        f'<rect x="{x - BOX / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{BOX}" height="{HEIGHT}" rx="6"/>'
        f'<text x="{x:.0f}" y="{y + 5:.0f}">{room.replace(".", "/")}</text>'
        for room, (x, y) in places.items()
    ]
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {FLOOR * len(levels)}" role="img">',
            "<title>The rooms of the code, and which imports which: all arrows point down</title>",
            (
                "<style>svg{background:#fff}rect{fill:#fbf7ec;stroke:#6b5b3e}path{fill:none;stroke:#6b5b3e}"
                "text{font:14px sans-serif;text-anchor:middle;fill:#2b2418}</style>"
            ),
            (
                '<marker id="tip" viewBox="0 0 8 8" refX="4" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
                '<path d="M0 1 L7 4 L0 7"/></marker>'
            ),
            *lines,
            *boxes,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), "utf-8")
