"""`reibach rotate-tokens` on a service that runs: the old tokens are void, also for what is open, the new ones work."""

import re

import httpx
import pytest

from tests.conftest import Service
from tests.support.client import Api, Table, refused
from tests.support.shell import assert_refused, run
from tests.support.waiting import patience, wait_until

KEY = "the key that opened this game"
SEATS = [{"name": "Anna"}, {"bot": "greedy"}, {"name": "Bert"}]


@pytest.fixture
def table(api: Api) -> Table:
    """A game of two people and a bot."""
    return api.create(SEATS, key=KEY + "!" * 8)


def rotate(service: Service, *argv: object) -> dict[int, str]:
    """The new tokens by seat."""
    ended = run("rotate-tokens", *argv, "--data", service.data)
    assert ended.returncode == 0, ended.stderr
    assert "void" in ended.stderr
    return {int(seat): token for seat, token in re.findall(r"seat (\d) \(\w+\): (\S+)", ended.stdout)}


def test_tokens_of_a_running_service(service: Service, api: Api, table: Table) -> None:
    """Requests, long polls and streams with the old token end; a repeated creation still shows that token."""
    headers = {"Accept": "text/event-stream", "Authorization": f"Bearer {table.tokens[0]}"}
    with httpx.stream("GET", f"{service.url}{table.path}/events", headers=headers, timeout=patience(30)) as stream:
        new = rotate(service, table.id)
        assert new.keys() == {0, 2}
        for seat in (0, 2):
            wait_until(
                lambda seat=seat: {api.get(table.path, table.tokens[seat]).status_code for _ in range(9)} == {401}
            )
            refused(api.get(f"{table.path}/legal-actions", table.tokens[seat]), 401, "invalid-token")
            assert api.get(table.path, new[seat]).json()["you"]["seat"] == seat
        assert api.act(Table(table.id, new, {}), 0, {"type": "draw"}).status_code == 201
        stream.read()  # it has ended
    assert api.create(SEATS, key=KEY + "!" * 8).tokens == table.tokens


def test_one_seat(service: Service, api: Api) -> None:
    """The others keep their tokens."""
    table = api.create(SEATS)
    new = rotate(service, table.id, 2)
    assert new.keys() == {2}
    wait_until(lambda: api.get(table.path, new[2]).status_code == 200)
    assert api.get(table.path, table.tokens[0]).status_code == 200


def test_what_is_refused(service: Service, table: Table) -> None:
    """An unknown game, and a seat that no person has."""
    assert_refused(run("rotate-tokens", "nowhere", "--data", service.data), 1, "nowhere")
    for seat in (1, 3):
        assert_refused(run("rotate-tokens", table.id, seat, "--data", service.data), 1, table.id)
