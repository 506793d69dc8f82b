"""`reibach simulate`."""

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from service.commands.game_commands import simulate_command
from service.commands.simulate import interval, simulate
from tests.support.cases import cases
from tests.support.shell import Run, assert_refused, run


def _run(*arguments: str) -> tuple[int, str, str]:
    result = CliRunner().invoke(simulate_command, arguments)
    return result.exit_code, result.stdout, result.stderr


def test_same_seed_same_output(run_alone: Run) -> None:
    """The whole output repeats, to the byte, in any process; no progress bar or colour where it is no terminal."""
    code, output, errors = _run("--games", "3", "--seed", "7")
    assert (code, errors) == (0, "")
    assert run_alone("simulate", "--games", "3", "--seed", "7").stdout == output
    assert output.startswith("3 games, 2 players, seed 7\n")
    assert not {"\x1b", "\r"} & {*output}
    assert "a second" not in output
    assert _run("--games", "3", "--seed", "8")[1] != output.replace("seed 7", "seed 8")


def test_chosen_seed_is_printed() -> None:
    output = _run("--games", "1")[1]
    found = re.search(r"seed (\d+)", output)
    assert found
    assert _run("--games", "1", "--seed", found[1])[1] == output


def test_summary_adds_up() -> None:
    """Every game has its totals, and a winner or several."""
    summary = simulate(20, 2, ["random"], "s")
    first, second = summary.seats
    assert summary.games == len(first.totals) == 20
    assert first.shared == second.shared
    assert first.wins + second.wins + first.shared == 20
    assert summary.turns <= summary.actions < summary.events


def test_different_bots_are_compared() -> None:
    """Each bot's share of the games with its confidence interval; nothing to compare where all are the same."""
    output = _run("--games", "8", "--bots", "greedy,random,greedy", "--seed", "7")[1]
    summary = simulate(8, 3, ["greedy", "random"], "7")  # bots repeat where there are fewer
    wins = summary.seats[0].wins + summary.seats[2].wins
    assert summary.bots == {"greedy": wins, "random": summary.seats[1].wins}
    assert wins == 7
    assert "\ngreedy won 87.5 % (95 % confidence: 52.9 to 97.8 %)\nrandom won 0.0 % " in output
    assert "confidence" not in _run("--games", "1", "--bots", "random")[1]


@pytest.mark.parametrize(
    ("wins", "games", "low", "high"),
    [(0, 10, 0.0, 0.2775), (5, 10, 0.2366, 0.7634), (81, 263, 0.2553, 0.3662), (650, 1000, 0.6199, 0.6789)],
)
def test_interval_is_wilsons(wins: int, games: int, low: float, high: float) -> None:
    """Values of the literature (Newcombe 1998: 81 of 263) and of other programs."""
    assert interval(wins, games) == pytest.approx((low, high), abs=5e-5)
    assert not any(f"{100 * interval(0, each)[0]:.1f}".startswith("-") for each in range(1, 30))


@pytest.mark.parametrize(
    "arguments", [*cases(__file__, "wrong_use"), ["--bots", "\udcff\n"], ["--seed", "\udcff"]], ids=repr
)
def test_wrong_use(arguments: list[str]) -> None:
    assert_refused(run("simulate", *arguments), 2)


OWN_BOT = cases(__file__, "own_bot")


def test_own_bots_play_and_games_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As `export` writes them, the same for the same seed; a bot can neither change the game nor take what it likes."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "robot.py").write_text(OWN_BOT)
    for folder in ("one", "two"):
        code, output, errors = _run("--games", "3", "--bots", "robot:choose,greedy", "--seed", "7", "--to", folder)
        assert (code, errors) == (0, "")
        assert "robot:choose won" in output
    files = sorted((tmp_path / "one").iterdir())
    assert [file.read_bytes() for file in files] == [file.read_bytes() for file in sorted((tmp_path / "two").iterdir())]
    for file in files:
        assert run("audit", file).returncode == 0
        assert json.loads(file.read_bytes().splitlines()[0])["data"]["game"] == file.stem
    (tmp_path / "file").touch()
    for bots, to, word in (
        ("robot:cheat", "one", "legal actions"),
        ("robot:fail", "one", "KeyError"),
        ("robot:nobody", "one", "can't load"),
        ("nowhere:choose", "one", "can't load"),
        ("greedy", "file", "can't write"),
    ):
        ended = run("simulate", "--games", "1", "--bots", bots, "--to", to)
        assert (ended.returncode, word in ended.stderr) == (1 if bots == "greedy" else 2, True), ended.stderr
        assert ended.stderr.count("\n") == 1
