"""The pages of a replay and of a score sheet."""

import re

import pytest

from domain.words.catalogue import LANGUAGES
from domain.words.wording import words_of
from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World


@pytest.fixture(scope="module")
def world() -> World:
    """A service in process with a game that has just begun; a name tries to inject markup."""
    world = World(Deployment.new(SHARDS))
    seats = [{"name": "Anna <b>"}, {"name": "Bert"}, {"bot": "greedy"}]
    world.path = world.ask("POST", "/v1/games", json={"seats": seats}).headers["Location"]
    return world


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_sheet_is_that_of_the_api(world: World, language: str) -> None:
    """The same table within the page's frame, which no policy keeps from its style."""
    headers = {"Accept-Language": language, "Accept": "text/html"}
    game = world.path.rpartition("/")[2]
    page = world.ask("GET", f"/g/{game}/sheet", headers=headers)
    sheet = world.ask("GET", f"{world.path}/scores", headers=headers)
    assert (page.status_code, page.mimetype) == (200, "text/html")
    tables = [re.search(r"<table>.*</table>", text, re.DOTALL) for text in (page.text, sheet.text)]
    assert tables[0] is not None
    assert tables[1] is not None
    shown = [re.sub(r"\s*\n\s*", "", table[0]) for table in tables if table]
    assert shown[0] == shown[1]
    assert "Anna &lt;b&gt;" in shown[0]
    assert f'<h1 id="sheet">{words_of(language).terms["score sheet"]}</h1>' in page.text
    assert not re.search(r"<style|\sstyle=", page.text)
    assert re.search(r'<link rel="stylesheet" href="/static/\w+/scores\.css">', page.text)
