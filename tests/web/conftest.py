"""A server for the tests of a module."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from web_server import Client, Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("server") / "games.sqlite") as served:
        yield served


@pytest.fixture
def client(server: Served) -> Client:
    return server.client
