"""What `reibach replay` draws, at the sizes that terminals have and in every language; in this process."""

import copy
import io
import re
from typing import Any, Final

import pytest
from rich.color import ColorType
from rich.console import Console
from rich.segment import Segment

from domain.projections.recap import describe_events
from domain.projections.table import table_at
from domain.words.catalogue import LANGUAGES, read
from domain.words.wording import format_number, words_of
from service.commands.replay.frame import Shown, render_frame
from service.commands.replay.score_sheets import render_sheets
from service.commands.replay.steps import KeyTargets, press
from service.commands.replay.table import render_table
from tests.support.play import numbered, play_until
from tests.support.samples import with_slow

SIZES: Final = [(40, 15), (60, 20), (80, 24), (120, 40)]
NAMES: Final = ["Anna", "Maximiliane-Theodora von Hohenstein", "\u6f22\u5b57\u6f22\u5b57", "O", "x" * 40]
LOSS: Final = -52


def _log() -> list[dict[str, Any]]:
    """A game of five with long names, and with amounts of two digits beside one another at its end."""
    _, events = play_until(5, "screens", 10_000)
    log = copy.deepcopy(numbered(events))
    for event in log:
        if event["type"] == "PlayerJoined":
            event["data"]["name"] = NAMES[event["data"]["seat"]]
    rounds = [event for event in log if event["type"] == "RoundScored"]
    for event in rounds:
        for seat in event["data"]["seats"]:
            seat["income"] = LOSS
    for seat in rounds[-1]["data"]["seats"]:
        seat["penalties"]["hand_cards"] = LOSS
    text = "\n".join(f"line {number}" for number in range(99))
    last = log[-1]
    return [*log, last | {"version": len(log) + 1, "type": "MessagePosted", "data": {"seat": 0, "text": text}}]


LOG: Final = _log()
ROUND: Final = next(event["version"] for event in LOG if event["type"] == "RoundScored")
VERSIONS: Final = [1, 8, 100, ROUND, len(LOG)]
"""With short sentences, with a long one, of a scoring round, and with a message that is longer than the screen."""


def _console(width: int, height: int) -> Console:
    return Console(width=width, height=height, file=io.StringIO(), force_terminal=True, color_system="truecolor")


def _lines(console: Console, *parts: Any) -> list[list[Segment]]:
    return [line for part in parts for line in console.render_lines(part, pad=False)]


def _texts(lines: list[list[Segment]]) -> list[str]:
    return ["".join(segment.text for segment in line).rstrip() for line in lines]


def _frame(width: int, height: int, language: str, shown: Shown) -> list[str]:
    console = _console(width, height)
    console.print(render_frame(console, LOG, words_of(language), shown), end="")
    assert isinstance(console.file, io.StringIO)
    plain = re.sub(r"\x1b\[[0-9;]*m", "", console.file.getvalue())
    return plain.splitlines()


@pytest.mark.parametrize("language", with_slow(LANGUAGES))
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_keys_and_newest_sentence_are_always_shown(width: int, height: int, language: str) -> None:
    """However much the table needs, the last line says how to step and to leave, and the sentence stands above it."""
    for version in VERSIONS:
        lines = _frame(width, height, language, Shown(version))
        assert len(lines) <= height
        assert all(Console().measure(line).maximum <= width for line in map(str.rstrip, lines))
        hints = lines[-1].rstrip().split("  ")
        assert hints[:2] == list(read(language, "terminal").hints[:2])
        assert set(hints) <= set(read(language, "terminal").hints), "a hint is cut"
        assert lines[0].startswith(f"{words_of(language).terms['version']} {version}/")
        newest = describe_events(LOG[:version], language)[-1]["text"]
        shown = " ".join(" ".join(lines).split())
        newest = newest.partition("\n")[0]
        assert " ".join(newest[: width // 2].split()[:-1]) in shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_where_there_is_room_all_is_shown(language: str) -> None:
    """120 columns have every key, and whole names of cards."""
    words = words_of(language)
    shown = "\n".join(_frame(120, 60, language, Shown(len(LOG) - 1)))
    assert all(hint in shown for hint in read(language, "terminal").hints)
    row = table_at(LOG, len(LOG)).seats[0].rows[0]
    assert row.business is not None
    assert row.businessmaker is not None
    assert re.search(rf" {words.cards[row.business]} {row.length} .*\u25af{words.short[row.businessmaker]}", shown)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), SIZES[1:])
def test_every_player_is_on_the_score_sheet(width: int, height: int, language: str) -> None:
    """No player is dropped where the width is small: those that don't fit stand on a further screen."""
    words, sheets = words_of(language), []
    for number in range(1, 20):
        lines = _frame(width, height, language, Shown(len(LOG), sheet=number))
        if words.terms["version"] in lines[0]:
            break  # after the last screen the table comes again
        assert len(lines) <= height
        sheets.append("\n".join(lines))
    else:
        pytest.fail("the sheet has no end")
    shown = "\n".join(sheets)
    for name in NAMES:
        assert name[:4] in shown
    totals = re.findall(rf"^{words.terms['total']}(.*)$", shown, re.MULTILINE)
    assert [word for line in totals for word in line.split()] == [
        format_number(seat.total) for seat in table_at(LOG, len(LOG)).seats
    ]
    assert read(language, "terminal").hints[1] in sheets[0].splitlines()[-1]


@pytest.mark.parametrize("width", [40, 60, 80, 120])
def test_amounts_never_run_together(width: int) -> None:
    """Losses of two digits keep a blank between them, in each width."""
    words, console = words_of("en"), _console(width, 100)
    sheets = render_sheets(table_at(LOG, len(LOG)), words, width)
    lines = _texts(_lines(console, *sheets))
    assert all(Console().measure(line).maximum <= width for line in lines)
    incomes = [word for line in lines if line.startswith(words.terms["income"]) for word in line.split()[1:]]
    assert incomes == [format_number(LOSS)] * 15


def test_five_players_fit_where_they_can() -> None:
    """Players stand side by side as far as the width goes; a usual game of five fits in 60 columns."""
    _, events = play_until(5, "replayed", 10_000)
    table = table_at(numbered(events), len(events))
    for language in LANGUAGES:
        assert len(render_sheets(table, words_of(language), 80)) == 1
    assert len(render_sheets(table, words_of("fr"), 60)) == 1


@pytest.mark.parametrize("language", LANGUAGES)
def test_colours_are_absolute_and_end_with_the_card(language: str) -> None:
    """A card's colour lies behind its letters alone; no colour depends on the terminal's theme, and nothing is dim."""
    words, console = words_of(language), _console(80, 60)
    table = table_at(LOG, len(LOG))
    lines = _lines(console, *render_sheets(table, words, 80), *render_table(table, words, 80, len(LOG)))
    coloured = set()
    for segment in (segment for line in lines for segment in line):
        style = segment.style
        if style is None:
            continue
        assert not style.dim
        for colour in (style.color, style.bgcolor):
            assert colour is None or colour.type is ColorType.TRUECOLOR
        if style.bgcolor is not None:
            letters, *length = segment.text.split()
            assert letters in words.short.values()
            assert len(length) <= 1
            coloured.add(letters)
    assert coloured > {words.short["gold"], words.short["risk"]}


def test_a_businessmaker_stands_behind_its_row() -> None:
    """A risk card that is a businessmaker can't pass for one that doubles: it has the sign of a card face down."""
    table = table_at(LOG, len(LOG))
    table.seats[0].rows[0].businessmaker = "risk"
    text = "\n".join(line.plain for line in render_table(table, words_of("de"), 80, len(LOG)))
    assert re.search(r" \w+ \d (?: 2x )?\u25af2x", text)
    table.seats[0].rows[0].businessmaker = None
    assert "\u25af?" in "\n".join(line.plain for line in render_table(table, words_of("de"), 80, len(LOG)))


def test_where_keys_lead() -> None:
    """Arrows go by an event, the page keys by a turn, n to the next scoring round; none leaves the game."""
    targets = KeyTargets.of(LOG)
    kinds = {event["version"]: event["type"] for event in LOG}
    first = min(version for version, kind in kinds.items() if kind == "TurnStarted")

    def after(version: int, *keys: bytes) -> int:
        shown = Shown(version)
        for key in keys:
            shown = press(shown, key, targets)
        return shown.version

    page_up, page_down = b"\x1b[5~", b"\x1b[6~"
    assert (after(1, b" "), after(1, b"\x1b[D"), after(5, b"\x1b[D"), after(len(LOG), b"\x1b[C")) == (2, 1, 4, len(LOG))
    assert (after(9, b"\x1b[H"), after(9, b"\x1b[F")) == (1, len(LOG))
    assert (after(1, page_down), after(first, page_up), after(first + 1, page_up)) == (first, 1, first)
    assert kinds[after(first, page_down)] == "TurnStarted"
    assert after(first, page_down, page_up) == first
    assert after(len(LOG) - 2, page_down) == len(LOG)
    rounds = [version for version, kind in kinds.items() if kind == "RoundScored"]
    assert [after(1, *[b"n"] * count) for count in (1, 2, 3, 4)] == [*rounds, rounds[-1]]
    assert after(7, b"s", b"?", b"x") == 7
    assert press(press(Shown(7), b"?", targets), b" ", targets) == Shown(8)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(("width", "height"), SIZES)
def test_help_explains_every_key_and_sign(width: int, height: int, language: str) -> None:
    lines = _frame(width, height, language, Shown(50, help=True))
    assert len(lines) <= height
    shown = " ".join(" ".join(lines).split())
    for text in (*read(language, "terminal").hints, *read(language, "terminal").signs):
        assert " ".join(text.split()) in shown
