"""What scripts, styles and pages use that browsers of a given age lack, by MDN's list of features.

A name counts as too new where each feature of that name in the list is: which object a script's member belongs to isn't
known. A name that the scripts give to things of their own isn't looked for.
"""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

import tinycss2

OLDEST: Final = {"safari": (16, 4), "firefox": (115,)}
"""The browsers in which pages must work, and their versions."""
_PARSE: Final = """const acorn = require(process.argv[1]);
const parse = (text) => acorn.parse(text, { ecmaVersion: 2023, sourceType: "module" });
console.log(JSON.stringify(JSON.parse(require("fs").readFileSync(0)).map(parse)))"""
"""All syntax of 2023, as both browsers read it, and none that is newer: else a SyntaxError."""
_FUNCTIONS: Final = ("FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression")
_SCOPES: Final = ("api", "api.Window", "api.WorkerGlobalScope", "javascript.builtins")
"""Where the list has what scripts find without a dot before it."""


def parse_scripts(acorn: Path, texts: Iterable[str]) -> list[dict[str, Any]]:
    """The syntax trees of modules. Raises AssertionError where one has syntax that is too new, or none."""
    done = subprocess.run(
        ["node", "-e", _PARSE, str(acorn)], input=json.dumps([*texts]), capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    trees: list[dict[str, Any]] = json.loads(done.stdout)
    return trees


@dataclass(frozen=True)
class Features:
    """MDN's list: `data.json` of the package `@mdn/browser-compat-data`."""

    data: dict[str, Any]

    @cached_property
    def _known(self) -> dict[str, bool]:
        """By the path of a feature, such as `javascript.builtins.Map.groupBy`: whether the oldest browsers have it."""
        return dict(_walk({area: self.data[area] for area in ("api", "css", "html", "javascript")}, ""))

    @cached_property
    def _named(self) -> dict[tuple[str, str], bool]:
        """By area and name: whether the oldest browsers have any feature of that name."""
        named: dict[tuple[str, str], bool] = {}
        for path, is_old in self._known.items():
            key = path.partition(".")[0], path.rpartition(".")[2]
            named[key] = named.get(key, False) or is_old
        return named

    def _is_new(self, *paths: str) -> bool:
        """Whether the list has one of these features at least, and the oldest browsers none."""
        known = [self._known[path] for path in paths if path in self._known]
        return bool(known) and not any(known)

    def _is_new_name(self, name: str) -> bool:
        known = [self._named[area, name] for area in ("api", "javascript") if (area, name) in self._named]
        return bool(known) and not any(known)

    def new_in_scripts(self, trees: Iterable[dict[str, Any]], words: Iterable[str] = ()) -> set[str]:
        """Globals, members, and attributes that `h(tag, attributes)` sets. `words`: members of the scripts' data."""
        used = _Used({*words})
        for tree in trees:
            used.add(tree)
        names = {name for name in used.free if self._is_new(*(f"{scope}.{name}" for scope in _SCOPES))}
        for name in used.members.keys() - used.given:
            for owner in used.members[name]:
                owners = [f"{scope}.{owner}" for scope in ("api", "javascript.builtins")]
                if not any(path in self._known for path in owners):
                    names |= {name} if self._is_new_name(name) else set()
                elif self._is_new(*(f"{path}.{name}" for path in owners)):
                    names.add(f"{owner}.{name}")
        return names | {f"[{name}]" for name in used.attributes if self._is_new_attribute("*", name)}

    def new_in_page(self, html: str) -> set[str]:
        """Elements and attributes of a page, or of its template."""
        used = _Tags(re.sub(r"\{[{%#].*?[%#}]\}", "", html, flags=re.DOTALL))
        elements = {f"<{tag}>" for tag, _ in used.tags if self._is_new(f"html.elements.{tag}")}
        return elements | {f"[{name}]" for tag, name in used.tags if self._is_new_attribute(tag, name)}

    def _is_new_attribute(self, tag: str, name: str) -> bool:
        tags = self.data["html"]["elements"] if tag == "*" else [tag]
        return self._is_new(f"html.global_attributes.{name}", *(f"html.elements.{each}.{name}" for each in tags))

    def new_in_style(self, css: str) -> set[str]:
        """At-rules, media features, selectors, nested rules, properties, their keywords and functions."""
        rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
        return {name for rule in rules for name in self._new_in_rule(rule)}

    def _new_in_rule(self, rule: Any) -> Iterator[str]:
        assert rule.type in {"qualified-rule", "at-rule"}, rule
        if rule.type == "qualified-rule":
            yield from (f":{name}" for name in _pseudos(rule.prelude) if self._is_new(f"css.selectors.{name}"))
            yield from self._new_in_block(rule.content)
            return
        name = rule.lower_at_keyword
        if self._is_new(f"css.at-rules.{name}"):
            yield f"@{name}"
        for token in _flat(rule.prelude):
            if token.type == "ident" and self._is_new(f"css.at-rules.{name}.{token.lower_value}"):
                yield f"@{name} ({token.lower_value})"
        if name in {"media", "supports", "container", "keyframes", "starting-style"}:
            for inner in tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True):
                yield from self._new_in_rule(inner)
        elif rule.content is not None:
            yield from self._new_in_block(rule.content)

    def _new_in_block(self, content: Any) -> Iterator[str]:
        for part in tinycss2.parse_blocks_contents(content, skip_comments=True, skip_whitespace=True):
            if part.type != "declaration":
                yield "nested rules"
                continue
            path = f"css.properties.{part.lower_name}"
            if self._is_new(path):
                yield part.lower_name
                continue
            for token in _flat(part.value):
                if token.type == "ident" and self._is_new(f"{path}.{token.lower_value}"):
                    yield f"{part.lower_name}: {token.lower_value}"
                if token.type == "function" and self._named.get(("css", token.lower_name)) is False:
                    yield f"{token.lower_name}()"


def _walk(node: dict[str, Any], path: str) -> Iterator[tuple[str, bool]]:
    for name, inner in node.items():
        if name == "__compat":
            yield (
                re.sub(r"_(static|event)$", "", path),
                all(_has(inner["support"].get(browser), version) for browser, version in OLDEST.items()),
            )
        elif isinstance(inner, dict):
            yield from _walk(inner, f"{path}.{name}".lstrip("."))


def _has(support: Any, version: tuple[int, ...]) -> bool:
    """Whether a browser of that version has the feature, in parts at least, as it is and without a setting."""
    for entry in support if isinstance(support, list) else [support or {}]:
        added, removed = entry.get("version_added"), entry.get("version_removed")
        if not added or added == "preview" or entry.keys() & {"flags", "prefix", "alternative_name"}:
            continue
        if _version(added) <= version and not (removed and _version(removed) <= version):
            return True
    return False


def _version(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.removeprefix("≤").split(".")))


def _flat(tokens: Iterable[Any]) -> Iterator[Any]:
    for token in tokens:
        yield token
        yield from _flat(getattr(token, "arguments", None) or getattr(token, "content", None) or ())


def _pseudos(tokens: Iterable[Any]) -> Iterator[str]:
    before = None
    for token in _flat(tokens):
        if before == ":" and token.type in {"ident", "function"}:
            yield token.lower_value if token.type == "ident" else token.lower_name
        before = token.value if token.type == "literal" else None


class _Tags(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[tuple[str, str]] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags |= {(tag, ""), *((tag, name) for name, _ in attrs)}


@dataclass
class _Used:
    """The names in syntax trees."""

    given: set[str]
    """Names that the scripts give themselves: to variables, functions, and members of their objects."""
    members: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By name: before the dot; "": no plain name."""
    identifiers: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)

    @property
    def free(self) -> set[str]:
        return self.identifiers - self.given

    def add(self, node: Any) -> None:
        if isinstance(node, list):
            for inner in node:
                self.add(inner)
        elif isinstance(node, dict):
            self._add_node(node)

    def _add_node(self, node: dict[str, Any]) -> None:
        kind = node.get("type", "")
        rest = dict(node)
        if kind == "Identifier":
            self.identifiers.add(node["name"])
        elif kind == "MemberExpression" and not node["computed"]:
            self.members[rest.pop("property")["name"]].add(node["object"].get("name", ""))
        elif kind in {"Property", "PropertyDefinition", "MethodDefinition"} and not node["computed"]:
            key = rest.pop("key")
            self.given.add(str(key.get("name", key.get("value"))))
        elif kind == "CallExpression" and node["callee"].get("name") == "h" and len(node["arguments"]) > 1:
            keys = [item["key"] for item in node["arguments"][1].get("properties", ()) if "key" in item]
            self.attributes |= {str(key.get("name", key.get("value"))) for key in keys}
        elif kind == "VariableDeclarator":
            self._give(node["id"])
        elif kind in {"ImportSpecifier", "ClassDeclaration"}:
            self._give(node.get("local") or node["id"])
        elif kind in _FUNCTIONS:
            self._give([node["id"], *node["params"]])
        for inner in rest.values():
            self.add(inner)

    def _give(self, pattern: Any) -> None:
        """Note the names that a declaration gives."""
        if isinstance(pattern, list):
            for inner in pattern:
                self._give(inner)
        elif isinstance(pattern, dict):
            if pattern["type"] == "Identifier":
                self.given.add(pattern["name"])
            else:
                self._give([pattern.get(part) for part in ("left", "argument", "value", "elements", "properties")])
