"""Fixtures of the tests of pages."""

import pytest

from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World


@pytest.fixture(scope="module")
def world() -> World:
    """With a game of two people and a bot; a name tries to inject markup."""
    return World(Deployment.new(SHARDS)).open([{"name": "Anna <b>"}, {"name": "Bert"}, {"bot": "greedy"}])
