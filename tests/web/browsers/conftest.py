"""A server in a separate process, Chromium, and a person at the page; without them the tests are skipped."""

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import Person, Server, chromium, open_browser


@pytest.fixture(scope="module")  # Its event loop would stop other tests of the same process that need their own.
def browser() -> Iterator[Any]:
    pytest.importorskip("playwright", reason="THE BROWSER'S TESTS DO NOT RUN: Playwright is not installed")
    pytest.importorskip("starlette", reason="THE BROWSER'S TESTS DO NOT RUN: Starlette is not installed")
    if chromium() is None:
        pytest.skip("THE BROWSER'S TESTS DO NOT RUN: no Chromium is installed here")
    with open_browser() as browser:
        yield browser


@pytest.fixture(scope="session")
def _server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    server = Server(tmp_path_factory.mktemp("data"))
    yield server
    server.stop()


@pytest.fixture
def server(browser: Any, _server: Server) -> Server:
    """The server of all modules, asked for after the browser, without which the tests are skipped."""
    return _server


@pytest.fixture
def person(browser: Any) -> Iterator[Person]:
    person = Person(browser.new_page(viewport={"width": 1280, "height": 860}))
    yield person
    assert not person.faults
    person.page.close()
