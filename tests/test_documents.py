"""Tests of what the documents promise."""

import json
import re
import runpy
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path
from typing import get_args

import httpx
import pytest
import yaml

from config.settings import Settings
from domain.bots import BOTS
from domain.cards import HAND_CARDS
from domain.orders.planner import MOST_STEPS
from domain.words.catalogue import read
from domain.words.reply import MOST_ACTIONS, read_reply
from domain.words.reply.clause import MailWish
from service.api.problems.problem import CODES
from service.post.channels.chat import CHAT_FORMS
from tests.browser.players import SHORT_GAME
from tests.browser.tables import Tables
from tests.faults.served import Served, served
from tests.support.client import Api
from tests.support.samples import with_nightly
from tests.support.shell import HOSTING, succeed
from tests.support.waiting import patience

ROOT = Path(__file__).parents[1]
ROOMS = ("config", "docs", "domain", "service", "tests", "workers")
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(path for room in ROOMS for path in (ROOT / room).rglob("*.md"))])
RECORDS = [path for path in DOCUMENTS if "\n## Decisions\n" in path.read_text("utf-8")]
EXECUTED = {"run", "uvx", "test", "play", "bot", "fetch", "signature", "chain", "backup", "rolling", "restore"}
EXECUTED |= {"nginx", "haproxy", "caddy", "backend", "command", "nightly", "sql", "stream", "switch", "user"}
EXECUTED.add("container")
OPENSSL = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl isn't installed")
PROMTOOL = pytest.mark.skipif(shutil.which("promtool") is None, reason="Prometheus isn't installed")
SYSTEMD = pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd isn't installed")


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(name: str) -> str:
    return HOSTING if name == "docs/operating.md" else (ROOT / name).read_text("utf-8")


def block(name: str, mark: str) -> str:
    found = re.search(rf"<!-- {mark} -->\n```(?:sh|python)\n(.*?)```", text_of(name), re.DOTALL)
    assert found is not None
    return found[1]


def bash(script: str, folder: Path, seconds: float = 100) -> "subprocess.CompletedProcess[str]":
    """A script of a document, run in a folder up to the first command that fails."""
    command = ["bash", "-euo", "pipefail", "-c", script]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patience(seconds), check=False)


# The README


@pytest.fixture(scope="module")
def played(service, tmp_path_factory) -> "subprocess.CompletedProcess[str]":
    """The curl commands of docs/clients.md, unchanged but for the address."""
    script = block("docs/clients.md", "play").replace("http://127.0.0.1:8000", service.url)
    return bash(script, tmp_path_factory.mktemp("played"))


def test_the_game_with_curl_is_played_to_its_end(played) -> None:
    """Every command succeeds; then there are winners, and the log ends with the game."""
    assert played.returncode == 0, played.stderr
    assert '"winners":[' in played.stdout
    assert '"type":"GameEnded"' in played.stdout.splitlines()[-1]


@pytest.mark.nightly
def test_the_bot_plays_to_the_end(service, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The program of docs/bots.md, unchanged but for the address, prints the scores; every bot is listed.

    It is as long as the README says, and needs no package.
    """
    program = tmp_path / "bot.py"
    code = block("docs/bots.md", "bot")
    assert f"in {sum(map(bool, code.splitlines()))} lines of Python" in text_of("README.md")
    assert {*re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)} <= sys.stdlib_module_names
    program.write_text(code.replace("http://127.0.0.1:8000", service.url), "utf-8")
    runpy.run_path(str(program))
    assert re.fullmatch(r"\[\('Robot', -?\d+\), \('greedy', -?\d+\)\] winners: \[.+\]\n", capsys.readouterr().out)
    assert {*re.findall(r"^\| `(\w+)` \|", text_of("docs/bots.md"), re.MULTILINE)} == BOTS.keys()


@pytest.mark.parametrize("mark", ["run", "test"])
def test_the_set_up_is_one_line(mark: str) -> None:
    assert block("README.md", mark).count("\n") == 1


@pytest.mark.nightly
def test_uv_runs_the_service(tmp_path: Path) -> None:
    """By the README's line, but for the command; it takes what it needs from the package index."""
    shutil.copytree(ROOT, tmp_path / "tree", symlinks=True, ignore=shutil.ignore_patterns(".git", ".venv"))
    line = block("README.md", "uvx").replace("reibach serve", "reibach --version")
    done = bash(f"PATH={Path(sys.executable).parent}:$PATH; {line}", tmp_path / "tree", 300)
    assert done.stdout.startswith("reibach ")
    assert {path.name for path in (tmp_path / "tree").iterdir()} <= {path.name for path in ROOT.iterdir()}


# Links, paths and records


def anchors(path: Path) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", path.read_text("utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links(path: Path) -> Iterator[tuple[Path, str]]:
    """The files that a document links to, and the places in them."""
    for target in re.findall(r"(?:\]\(|src=\")(?!https?://)([^)\"]*)[)\"]", path.read_text("utf-8")):
        name, _, anchor = target.partition("#")
        yield (path.parent / name).resolve() if name else path, anchor


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_links_and_paths_in_documents_exist(path: Path) -> None:
    """Each relative link leads somewhere; each path in code marks exists, from the document's folder or the root."""
    for target, anchor in links(path):
        assert target.exists(), target
        assert not anchor or anchor in anchors(target), anchor
    prose = re.sub(r"^```.*?^```", "", path.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    for named in re.findall(r"`([a-z.][\w./*@-]*(?:\.(?:py|lua|md|toml|env)|/))`", prose):
        assert any(path.parent.glob(named)) or any(ROOT.glob(named)), named


def test_every_document_is_linked() -> None:
    reached, waiting = set(), [ROOT / "README.md"]
    while waiting:
        path = waiting.pop()
        if path not in reached and path.suffix == ".md":
            reached.add(path)
            waiting += [target for target, _ in links(path)]
    assert reached == set(DOCUMENTS)


@pytest.mark.parametrize("path", RECORDS, ids=name_of)
def test_a_decision_is_a_short_record(path: Path) -> None:
    """A name, and what a newcomer would otherwise undo, in at most 80 words."""
    records = path.read_text("utf-8").partition("\n## Decisions\n")[2].strip().split("\n\n")
    for record in records:
        assert re.match(r"\*\*[^*]+\.\*\* \S", record), record[:60]
        assert len(record.split()) <= 80, record[:60]


@pytest.mark.slow
def test_the_diagrams_are_true() -> None:
    """Drawn from the imports, and from ARCHITECTURE.md; `python -m tests.bench.tools.diagrams` draws them again."""
    from tests.bench.tools import diagrams  # it needs import-linter's library, which only CI has

    assert {path: path.read_text("utf-8") for path in diagrams.draw_all()} == diagrams.draw_all()


def test_every_marked_block_is_executed() -> None:
    """Every block that is marked for execution is executed: here, or by tests of proxies, upgrades and TLS."""
    marks = [
        mark for path in DOCUMENTS for mark in re.findall(r"^<!-- (\w+) -->$", path.read_text("utf-8"), re.MULTILINE)
    ]
    assert sorted(marks) == sorted(EXECUTED)


# Settings


def test_both_examples_name_every_setting_with_its_default() -> None:
    environment = dict(re.findall(r"^#REIBACH_(\w+)=(.*)$", text_of("config/reibach.env"), re.MULTILINE))
    environment.pop("CONFIG")
    toml = tomllib.loads(re.sub(r"^#(\w+ = )", r"\1", text_of("config/reibach.toml"), flags=re.MULTILINE))
    names = {field.name for field in fields(Settings)}
    assert {name.lower() for name in environment} == set(toml) == names
    assert Settings.read({f"REIBACH_{name}": value for name, value in environment.items()}) == Settings()
    assert Settings.read({}, **toml) == Settings()


def test_the_settings_table_is_complete() -> None:
    rows = re.findall(r"^\| `(REIBACH_\w+)` \| (?:`(.*?)`)? ?\|", text_of("docs/operating.md"), re.MULTILINE)
    assert {name for name, _ in rows} == {f"REIBACH_{field.name.upper()}" for field in fields(Settings)}
    assert Settings.read(dict(rows)) == Settings()


# docs/protocol.md, docs/shuffle.md


def test_the_protocol_is_complete(api) -> None:
    """It names every route, every code of a problem, and every event with its members."""
    page = text_of("docs/protocol.md")
    document = api.get("/v1/openapi.json").json()
    for path, operations in document["paths"].items():
        for method in operations:
            assert f"`{method.upper()} {path}`" in page
    for code in CODES.keys() - {"internal-error"}:
        assert f"`{code}`" in page
    for name, shape in document["components"]["schemas"].items():
        if shape.get("properties", {}).get("type", {}).get("const") == name:  # an event
            told = "".join(line for line in page.splitlines() if line.startswith((f"| `{name}`", f"`{name}` has")))
            for member in shape["properties"]["data"]["properties"]:
                assert f"`{member}`" in told, f"{name}.{member}"


@pytest.fixture(scope="module")
def fetched(service, api, service_log, tmp_path_factory) -> Path:
    """A folder with a finished game, its receipt and the keys, as the document fetches them."""
    folder, tables = tmp_path_factory.mktemp("fetched"), Tables(api, service_log)
    table = tables.open("Anna", "Bert", seed=SHORT_GAME)
    tables.play_to_end(table)
    fetch = re.sub(r"GAME=\S+", f"GAME={service.url}{table.path}", block("docs/shuffle.md", "fetch"))
    assert bash(fetch, folder).returncode == 0
    return folder


def paste(folder: Path) -> "subprocess.CompletedProcess[str]":
    """The checks of docs/shuffle.md, pasted as they stand into a shell that doesn't stop at a failure."""
    script = block("docs/shuffle.md", "signature") + block("docs/shuffle.md", "chain")
    command = ["bash", "-c", f"{script}status=$?; echo the shell goes on; exit $status"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=patience(100), check=False)


@pytest.mark.slow
@OPENSSL
def test_a_game_is_checked_with_openssl(fetched: Path) -> None:
    checked = paste(fetched)
    assert (checked.returncode, checked.stderr) == (0, "")
    for line in ("Verified Successfully", "The seed is the one", "The log honours the receipt", "the shell goes on"):
        assert line in checked.stdout


@pytest.mark.slow
@OPENSSL
@pytest.mark.parametrize(
    ("name", "pattern", "forged", "says"),
    with_nightly(
        [
            ("receipt.json", r'"version":\d+', '"version":19', "not signed"),
            ("game.ndjson", r'"server_seed":"\w{4}', '"server_seed":"ffff', "commitment"),
            ("game.ndjson", r'("type":"TurnStarted","version":)', r'"type":"TurnStartes","version":', "fit the chain"),
            ("game.ndjson", r'(?s)(.*"type":"CardTaken".*"totals":\[)', r"\g<1>9", "does not fit the chain"),
            ("game.ndjson", r"(?s)\A((?:[^\n]*\n){9}).*", r"\g<1>", "does not honour"),
        ],
        2,
    ),
    ids=["receipt", "seed", "middle", "end", "cut"],
)
def test_a_forged_game_gets_no_line_of_success(
    fetched: Path, tmp_path: Path, name: str, pattern: str, forged: str, says: str
) -> None:
    """Whatever was changed, the failure is named, the status isn't 0, and an interactive shell stays open."""
    shutil.copytree(fetched, tmp_path, dirs_exist_ok=True)
    kept = (tmp_path / name).read_text("utf-8")
    changed = re.sub(pattern, forged, kept, count=1)
    assert changed != kept
    (tmp_path / name).write_text(changed, "utf-8")
    checked = paste(tmp_path)
    assert checked.returncode != 0
    assert "FAILED: " in checked.stderr
    assert says in checked.stderr
    assert "the shell goes on" in checked.stdout
    assert "The seed" not in checked.stdout
    assert "The log" not in checked.stdout


# docs/by-post.md


def test_the_answers_of_by_post_are_understood() -> None:
    """Each row of the tables shows an action or a word in four languages, and no two the same one."""
    found = []
    for row in re.findall(r"^\| [a-z][^|]* \| (`.*`) \|$", text_of("docs/by-post.md"), re.MULTILINE):
        cells = [re.findall(r"`([^`]+)`", cell) for cell in row.split("|")]
        for texts in zip(*cells, strict=True):
            replies = {read_reply(text) for text in texts}
            assert len(texts) == 4, row
            assert [reply.error for reply in replies] == [None], texts
            found += replies
    assert len(set(found)) == len(found)
    kinds = {type(wish).__name__ for reply in found for wish in reply.wishes}
    assert kinds == {kind.__name__ for kind in get_args(MailWish)}
    assert {reply.word for reply in found} == {"", *read("en", "reply").words} - {"pass"}


def test_by_post_names_what_is_there() -> None:
    """What it names in bold stands on the start page or in the menu; its numbers are the limits."""
    page = text_of("docs/by-post.md")
    words = "".join(text_of(f"domain/words/en/pages_{name}.toml") for name in ("start", "menu")).replace("’", "'")
    names = {name for name in re.findall(r"\*\*([^*]+)\*\*", page) if name[-1] not in ".,:"}
    assert len(names) > 5
    assert names <= {*re.findall('"(.*?)"', words)}
    assert (MOST_ACTIONS, MOST_STEPS) == (3, 12)
    assert all(chat.title() in page for chat in CHAT_FORMS)


# docs/operating.md


def test_the_metrics_are_complete(api) -> None:
    names = set(re.findall(r"^# TYPE (reibach_\w+)", api.get("/metrics").text, re.MULTILINE))
    named = set(re.findall(r"`(reibach_\w+)`", text_of("docs/operating.md")))
    assert names == named != set()


@SYSTEMD
@pytest.mark.parametrize("unit", sorted((ROOT / "docs").glob("*.service")), ids=name_of)
def test_the_systemd_units_are_valid_and_hardened(unit: Path, tmp_path: Path) -> None:
    """systemd understands every line, and scores 3 or better; the program and a template's port are put in."""
    copy = tmp_path / unit.name.replace("@", "@8001")
    program = f'"{sys.executable}"'  # in a folder with a space, too
    copy.write_text(unit.read_text("utf-8").replace("/opt/reibach/.venv/bin/reibach", program), "utf-8")
    command = ["systemd-analyze", "verify", "--man=no", str(copy)]
    verified = subprocess.run(command, capture_output=True, text=True, timeout=patience(60), check=False)
    assert (verified.returncode, copy.name in verified.stderr) == (0, False), verified.stderr
    assert unit.name in text_of("docs/operating.md")
    command = ["systemd-analyze", "security", "--offline=true", "--no-pager", "--threshold=30", str(unit)]
    judged = subprocess.run(command, capture_output=True, text=True, timeout=patience(60), check=False)
    assert judged.returncode == 0, judged.stdout


@pytest.mark.parametrize("unit", sorted((ROOT / "docs").glob("*.service")), ids=name_of)
def test_the_systemd_units_may_write_the_keys_file(unit: Path) -> None:
    """Each keeps its processes from all folders but its own, and that is where the document puts the file."""
    text = unit.read_text("utf-8")
    assert "\nProtectSystem=strict\n" in text
    folder = re.search(r"^StateDirectory=(\w+)$", text, re.MULTILINE)
    assert folder is not None
    assert f"`/var/lib/{folder[1]}/keys.json`" in text_of("docs/operating.md")


@pytest.mark.parametrize("name", ["docs/alerts.yml", "docs/grafana.json"])
def test_alerts_and_dashboard_name_metrics(api, name: str) -> None:
    served_now = api.get("/metrics").text
    there = set(re.findall(r"^(?:# TYPE )?(reibach_\w+)", served_now, re.MULTILINE))
    there |= {f"{family}{end}" for family in there for end in ("_bucket", "_count")}
    text = text_of(name)
    expressions = re.findall(r"^ +expr: (.*)$", text, re.MULTILINE) if name.endswith("yml") else json_expressions(text)
    named = set(re.findall(r"reibach_\w+", " ".join(expressions)))
    assert len(named) > 10
    assert named <= there
    assert f"]({Path(name).name})" in text_of("docs/operating.md")


def json_expressions(text: str) -> list[str]:
    return [target["expr"] for panel in json.loads(text)["panels"] for target in panel["targets"]]


@pytest.mark.nightly
@PROMTOOL
def test_each_alert_fires(tmp_path: Path) -> None:
    """Prometheus' own tool loads the rules, and says of each what makes it fire; nothing else does."""
    rules = {rule["alert"]: rule for rule in yaml.safe_load(text_of("docs/alerts.yml"))["groups"][0]["rules"]}
    table = tomllib.loads(text_of("tests/alerts.toml"))
    assert (
        {one["alert"] for one in table["fires"]}
        == rules.keys()
        == {*re.findall(r"^\| `(Reibach\w+)`", HOSTING, re.MULTILINE)}
    )
    tests = []
    for one in [{"alert": "", "series": "", "values": ""}, *table["fires"]]:
        fired, series, values = one.values()
        given = table["healthy"] | ({series: values} if series else {})
        labels = dict(re.findall(r'(node|mountpoint)="(.)"', series))
        alert = {"exp_labels": labels, "exp_annotations": rules[fired]["annotations"]} if fired else {}
        judged = [
            {"eval_time": "119m", "alertname": name, "exp_alerts": [alert] if name == fired else []} for name in rules
        ]
        inputs = [{"series": name, "values": each} for name, each in given.items()]
        tests.append({"interval": "1m", "input_series": inputs, "alert_rule_test": judged})
    content = {"rule_files": [str(ROOT / "docs" / "alerts.yml")], "evaluation_interval": "1m", "tests": tests}
    (tmp_path / "tests.json").write_text(json.dumps(content))
    command = ["promtool", "test", "rules", str(tmp_path / "tests.json")]
    judged = subprocess.run(command, capture_output=True, text=True, timeout=patience(60), check=False)
    assert judged.returncode == 0, judged.stdout + judged.stderr


def test_units_are_switched_to_another_release(tmp_path: Path) -> None:
    """By the document's line, and back from there to a third one; nothing else changes in the units of processes."""
    parts = [unit for unit in (ROOT / "docs").glob("*.service") if unit.name != "reibach.service"]
    for unit in (ROOT / "docs").glob("*.service"):
        shutil.copy(unit, tmp_path)
    line = block("docs/operating.md", "switch").replace("/etc/systemd/system", str(tmp_path))
    for folder in ("/opt/reibach-2/", "/opt/reibach/"):
        done = bash("systemctl() { echo $*; }\n" + line.replace("/opt/reibach-2/", folder), tmp_path)
        assert (done.stdout, done.stderr) == ("daemon-reload\n", "")
        for unit in parts:
            expected = unit.read_text("utf-8").replace("/opt/reibach/", folder)
            assert f"\nExecStart={folder}.venv/bin/reibach " in expected
            assert (tmp_path / unit.name).read_text("utf-8") == expected
    assert (tmp_path / "reibach.service").read_text("utf-8") == text_of("docs/reibach.service")


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A service with one game: each of these commands reads all, and the shared one has those of many tests."""
    data = tmp_path_factory.mktemp("serving") / "games"
    with served([sys.executable, "-m", "service.cli", "serve"], data) as serving:
        with httpx.Client(base_url=serving.url, timeout=patience(10)) as http:
            Api(http).create(2, seed=None)
        yield serving


def as_documented(mark: str, data: Path, folder: Path) -> str:
    """A line for root of docs/operating.md, without the change of user; settings are those of the block for mail."""
    settings = folder / "reibach.env"
    mail = re.search(r"```sh\n# /etc/reibach.env\n(.*?)```", text_of("docs/operating.md"), re.DOTALL)
    assert mail is not None
    settings.write_text(text_of("config/reibach.env") + mail[1], "utf-8")
    program = folder / "reibach"
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} -m service.cli "$@"\n', "utf-8")
    program.chmod(0o700)
    text = block("docs/operating.md", mark)
    for there, here in {
        "/opt/reibach/.venv/bin/reibach": program,
        "/etc/reibach.env": settings,
        "/var/lib/reibach": data,
        "/var/backups/reibach": folder / "backups",
    }.items():
        text = text.replace(there, str(here))
    return text


@pytest.mark.slow
def test_commands_are_run_with_the_settings_of_the_service(serving: Served, tmp_path: Path) -> None:
    """By the documented line, in `sh`: a doctor of the service's games."""
    line = as_documented("command", serving.data, tmp_path)
    done = bash(line.replace("runuser -u reibach -- ", ""), tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert re.search(r"Replayed [1-9]\d* games?: none differs", done.stdout)


@pytest.mark.nightly
def test_the_nightly_backup_is_made_and_restored(serving: Served, tmp_path: Path) -> None:
    """As cron runs the line: by `sh`, with % for \\%. Then by the lines for root, but for the change of user."""
    (line,) = re.findall(r"^0 4 \* \* \* reibach (.*)$", as_documented("nightly", serving.data, tmp_path), re.MULTILINE)
    assert "%" not in line.replace("\\%", "")
    command = ["sh", "-c", line.replace("\\%", "%")]
    (tmp_path / "backups").mkdir()
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=patience(60), check=False)
    assert done.returncode == 0, done.stderr
    (made,) = (tmp_path / "backups").glob("20??-??-??/*.rdb")
    assert made.name == "node-00.rdb"
    lines = as_documented("restore", tmp_path / "restored", tmp_path).replace("2026-11-25", made.parent.name)
    restored = bash(f'systemctl() {{ :; }}\nrunuser() {{ shift 3; "$@"; }}\n{lines}', tmp_path)
    assert restored.returncode == 0, restored.stderr
    assert any((tmp_path / "restored").iterdir())


@pytest.mark.nightly
def test_a_backup_of_a_served_store_is_made_and_restored(serving: Served, tmp_path: Path) -> None:
    """As documented; a service on the copy knows the games, and the seats' tokens."""
    script = block("docs/operating.md", "backup").replace("reibach-data", str(serving.data))
    script = f"export PYTHONPATH={ROOT}\n" + script.replace(".venv/bin/reibach", f"{sys.executable} -m service.cli")
    with httpx.Client(base_url=serving.url, timeout=patience(10)) as http:
        table = (api := Api(http)).create(2, seed=None)
        assert api.act(table, 0, {"type": "draw"}).status_code == 201

    def log(at: str) -> str:
        headers = {"Accept": "application/x-ndjson", "Authorization": f"Bearer {table.tokens[0]}"}
        return httpx.get(f"{at}{table.path}/events", headers=headers, timeout=patience(60)).text

    made = bash(script, tmp_path)
    assert made.returncode == 0, made.stderr
    assert "none differs" in made.stdout
    with served([sys.executable, "-m", "service.cli", "serve"], tmp_path / "restored") as restored:
        assert log(restored.url) == log(serving.url) != ""


# docs/data.md


@pytest.mark.slow
def test_questions_to_games_are_answered(tmp_path: Path) -> None:
    """By DuckDB, on games that the command beside them has made."""
    duckdb = pytest.importorskip("duckdb", reason="duckdb isn't installed")
    succeed("simulate", "--games", 20, "--seed", 1, "--to", tmp_path)
    found = re.search(r"<!-- sql -->\n```sql\n(.*?)```", text_of("docs/data.md"), re.DOTALL)
    assert found is not None
    with duckdb.connect() as base:
        make, *questions = (text for text in found[1].replace("DIR", str(tmp_path)).split(";") if text.strip())
        base.execute(make)
        length, cards, incomes, share = (base.execute(question).fetchall() for question in questions)
    assert length[0][0] == 20
    assert {card for card, _ in cards} <= {*HAND_CARDS}
    lines = [line for path in tmp_path.glob("*.ndjson") for line in path.read_text().splitlines()]
    rounds = [json.loads(line)["data"]["seats"] for line in lines if '"RoundScored"' in line]
    paid = sum(row["income"] for seats in rounds for seat in seats for row in seat["businesses"].values())
    assert round(sum(rows * income for _, rows, income in incomes)) == paid > 0
    assert 0 <= share[0][0] <= 1
