"""A server for the tests of a module, and the page that needs none."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from page_hosts import page_with
from web_server import Client, Served, serving

from cardgym.engine.registry import registered


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("server") / "games.sqlite") as served:
        yield served


@pytest.fixture
def client(server: Served) -> Client:
    return server.client


@pytest.fixture(scope="session")
def small_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_with(("KuhnPoker-v0", "OnePlayPoker-v0"), tmp_path_factory.mktemp("host") / "some" / "path")


@pytest.fixture(scope="session")
def whole_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return page_with(registered(), tmp_path_factory.mktemp("host") / "some" / "path")
