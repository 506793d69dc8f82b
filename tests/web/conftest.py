"""Fixtures of the tests of pages."""

import pytest

from service.signing.deployment import Deployment
from tests.api.worlds import SHARDS, World


@pytest.fixture(scope="module")
def world() -> World:
    """With a game of two."""
    return World(Deployment.new(SHARDS)).open([{"name": "Anna"}, {"name": "Bert"}])
