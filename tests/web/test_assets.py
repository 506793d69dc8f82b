"""Scripts, styles and icons: joined, named by their content, kept forever."""

import re
from pathlib import Path
from random import Random

import pytest

import service.web
from domain.words.appearance import APPEARANCES
from service.signing.tokens import _LONGEST, Tokens
from service.web.assets import ENTRIES, join_modules, leave_out_notes, load_assets, read_module, read_sprite
from service.web.frame import Page
from tests.api.worlds import World

JS = Path(service.web.__file__).parent / "static" / "js"
MODULES = sorted(path.relative_to(JS).as_posix() for path in JS.rglob("*.js"))
DECLARED = re.compile(r"^(?:export )?(?:async )?(?:function\*?|class|const|let|var) +(\w+|[{\[])", re.MULTILINE)


@pytest.mark.parametrize(
    "text", ['import { a } from "./page.js";\n', "export default 1;\n", "export { a };\n", 'import x from "other";\n']
)
def test_what_cannot_be_joined_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match=r"import each other|not a form that is joined"):
        join_modules({"page.js": text}.__getitem__, "page.js")


@pytest.mark.parametrize("entry", sorted(ENTRIES))
def test_modules_of_a_page_share_no_name(entry: str) -> None:
    names = DECLARED.findall("".join(join_modules(read_module, entry)))
    assert {name for name in names if names.count(name) > 1} == set()
    assert not {"{", "["} & set(names), "a declaration at the top level names one thing"


def test_every_module_belongs_to_a_page() -> None:
    """And none is renamed at its import, since the joined script knows one name only."""
    joined = "".join("".join(join_modules(read_module, entry)) for entry in ENTRIES)
    for module in MODULES:
        text = (JS / module).read_text("utf-8")
        assert not re.search(r"^import[^;]*\bas\b[^;]*;", text, re.MULTILINE), module
        assert text.startswith("// "), f"{module} doesn't say what it is"
        assert text.partition("\n")[0] in joined, module
        assert "innerHTML" not in text, module
        assert not re.search(r"https?://(?!www\.w3\.org/2000/svg)", text), module
        assert all(line.count("`") % 2 == 0 for line in leave_out_notes(text).splitlines()), (
            f"{module}: a text of lines"
        )


def test_what_is_loaded_later_is_one_script() -> None:
    """Without the modules that are there by then, whose names it takes from the page's own script, beside it."""
    modules = {
        "page.js": 'import { b } from "./b.js";\nconst a = async () => (await import("./c.js")).c(b);\n',
        "b.js": "export const b = 1;\n",
        "c.js": 'import { b } from "./b.js";\nimport { d } from "./d/d.js";\nexport function c() { return b + d; }\n',
        "d/d.js": 'export const d = () => import("../e.js");\n',
        "e.js": "export const e = 1;\n",
    }
    first, late = join_modules(modules.__getitem__, "page.js")
    assert first == 'const b = 1;\nconst a = async () => (await import("./late-page.js")).c(b);\nexport { b };\n'
    later = 'const d = () => import("./late-page.js");\nfunction c() { return b + d; }\nconst e = 1;\n'
    assert late == f'import {{ b }} from "./page.js";\n{later}export {{ c, e }};\n'
    with pytest.raises(ValueError, match="loaded at once, and later"):
        join_modules({**modules, "d/d.js": 'export const d = () => import("../b.js");\n'}.__getitem__, "page.js")
    pages = [entry for entry in ENTRIES if f"late-{entry}" in load_assets()]
    assert [load_assets()[entry].digest == load_assets()[f"late-{entry}"].digest for entry in pages] == [True, True]


def test_comments_are_not_sent() -> None:
    text = (
        '// a\n/** b\n * c */\n  const d = "// e"; // f\n/* g */ h(`/* i */`); // "j"\n\t/** k */\n  l = 4 / 2; // 1\n'
    )
    assert leave_out_notes(text) == 'const d = "// e";\n/* g */ h(`/* i */`); // "j"\nl = 4 / 2;\n'
    for name in ("game.js", "app.css"):
        assert not re.search(r"^\s*(//|/\*)", load_assets()[name].plain.decode(), re.MULTILINE), name


def test_a_page_without_its_script_ends_the_start() -> None:
    """Pages are declared when their modules are imported: nobody visits one that can't be shown."""
    with pytest.raises(ImportError, match=r"^the script of page mine\.html is missing: .*/static/js/mine\.js$"):
        Page("mine.html", "/mine", "mine.js")
    assert "mine.js" not in load_assets()


def test_an_asset_is_kept_for_ever_under_its_content(world: World) -> None:
    """A page of another release gets the present one, at an address that no cache may keep; no late script."""
    for name, content in load_assets().items():
        for digest, caching in (
            (content.digest, "public, max-age=31536000, immutable"),
            ("0123456789abcdef", "no-store"),
        ):
            answer = world.ask("GET", path := f"/static/{digest}/{name}", headers={"Accept-Encoding": "identity"})
            if name.startswith("late-") and digest != content.digest:
                assert answer.status_code == 404
                continue
            assert (answer.status_code, answer.data, answer.headers["Cache-Control"]) == (200, content.plain, caching)
            assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert world.ask("GET", path, headers={"Accept-Encoding": "gzip"}).headers["Content-Encoding"] == "gzip"
    for wrong in ("other.js", "game", "game.html", "Game.js", "..js%0A", "game.js%0A", "a/b.js", "%00.js"):
        assert world.ask("GET", f"/static/{content.digest}/{wrong}").status_code == 404, wrong


def test_every_card_has_a_colour_and_a_drawing() -> None:
    style, sprite = load_assets()["app.css"].plain.decode(), read_sprite()
    for card, look in APPEARANCES.items():
        assert f'[data-card="{card}"]{{--ground:{look.background};--mark:{look.ink}}}' in style
        assert sprite.count(f'<symbol id="card-{card}"') == 1
    assert sprite.count("<symbol") == len(APPEARANCES) + 1, "the back"


def test_a_token_looks_as_scripts_expect() -> None:
    """Of short and of long ids, which are compressed; not without its last character, as long as is read at most."""
    script = read_module("core/session.js")
    assert f"const LONGEST_TOKEN = {_LONGEST};" in script
    (pattern,) = re.findall(r"^const TOKEN = /(.*)/;$", script, re.MULTILINE)
    token_shape = re.compile(pattern, re.ASCII)
    tokens, chance = Tokens(["secret"]), Random("tokens")
    games = ["g7", "x" * 100, *(chance.randbytes(10).hex() for _ in range(500))]
    for game in games:
        token = tokens.issue(game, chance.randrange(5), chance.randrange(1000))
        assert token_shape.fullmatch(token), token
        assert token_shape.search(token[:-1]) is None
        assert token_shape.search(f"{token}_. and more")[0] == token
    assert any(tokens.issue(game, 0).startswith(".") for game in games)
