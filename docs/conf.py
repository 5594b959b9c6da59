"""Sphinx configuration: `make docs` builds the site from this folder's Markdown, the docstrings and other pages."""

from __future__ import annotations

import importlib
import re
import sys
from pathlib import Path, PurePosixPath
from posixpath import normpath, relpath
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
sys.path.insert(0, str(HERE))

import api  # noqa: E402  (beside this file)
from sphinx.ext.autodoc.mock import mock  # noqa: E402

import cardgym  # noqa: E402

project = "cardgym"
author = "The cardgym developers"
version = release = cardgym.__version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
exclude_patterns = ["_build"]

# Markdown: use GitHub's link and heading syntax, so that pages read well without Sphinx.
myst_heading_anchors = 4
highlight_language = "text"  # A fence without a language is not Python.
default_role = "code"

# Docstrings.
autodoc_member_order = "bysource"
autodoc_mock_imports = ["fastapi", "openenv", "verifiers"]  # Only `make test-interop` installs them.
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
napoleon_custom_sections = [("Keys", "params_style")]
python_use_unqualified_type_names = True

toc_object_entries = False  # Every page copies the contents of all pages: 2,800 names there cost a third of the build.

suppress_warnings = ["ref.python"]  # Two modules may have a name in common.

# Pages.
html_theme = "furo"
html_title = f"cardgym {release}"
html_copy_source = False
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["tables.js"]
html_logo = html_favicon = "_static/logo.svg"
html_search_scorer = str(HERE / "_static" / "scorer.js")

OUTSIDE = {
    "CHANGELOG.md": "project/changelog.md",
    "CONTRIBUTING.md": "project/contributing.md",
    "README.md": "project/readme.md",
    "SECURITY.md": "project/security.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "examples/kuhn_poker/README.md": "project/kuhn_poker.md",
    "examples/leduc_poker/README.md": "project/leduc_poker.md",
} | {
    path.relative_to(ROOT).as_posix(): f"project/{path.parent.name}_{path.name}"
    for path in sorted(ROOT.glob("checkpoints/*/*.md"))
}
"""Pages outside this folder and their location on the site; the build copies them there."""
_LINK = re.compile(r"(?P<text>!?\[(?:[^\[\]]|\[[^\]]*\])*\])\((?P<target>[^()\s]+)\)")
_PICTURE = re.compile(r'<picture>.*?<img alt="([^"]*)" src="([^"]*)">.*?</picture>', re.DOTALL)
_FENCE = re.compile(r"^(```.*?^```|    .*?$)", re.DOTALL | re.MULTILINE)


def with_links_of_the_site(text: str, place: str) -> str:
    """Convert a page for the site: link to the copies of outside pages, and turn links to other files into text.

    Args:
        text: the page.
        place: where it stands, from the repository's root.
    """
    page = dict((outside, f"docs/{inside}") for outside, inside in OUTSIDE.items()).get(place, place)

    def mended(match: re.Match[str]) -> str:
        target, _, anchor = match["target"].partition("#")
        if not target or ":" in target:
            return match[0]
        path = normpath(str(PurePosixPath(place).parent / target))
        if path in OUTSIDE:
            path = f"docs/{OUTSIDE[path]}"
        if (not path.startswith("docs/") or path.endswith((".py", ".ipynb"))) and not match["text"].startswith("!"):
            assert (ROOT / path).exists(), f"{place} links to {path}, which is not there"
            return f"`{path}`" if match["text"].startswith("[`") else f"{match['text'][1:-1]} (`{path}`)"
        shown = relpath(path, PurePosixPath(page).parent)
        return f"{match['text']}({shown}{'#' + anchor if anchor else ''})"

    parts = _FENCE.split(_PICTURE.sub(r"![\1](\2)", text))  # Sphinx copies no files that HTML names.
    return "".join(part if _FENCE.fullmatch(part) else _LINK.sub(mended, part) for part in parts)


def with_contents(text: str, name: str, claimed: set[str]) -> str:
    """Add a table of contents to a page: its links that no earlier page listed."""
    folder = PurePosixPath(name).parent
    captions = re.split(r"^## (.*)$", text, flags=re.MULTILINE)
    sections = [("", captions[0]), *zip(captions[1::2], captions[2::2], strict=True)]
    trees = []
    for caption, section in sections:
        pages = []
        for match in _LINK.finditer(section):
            target = match["target"].partition("#")[0]
            path = normpath(str(folder / target)) if target.endswith(".md") and ":" not in target else ""
            if path and not path.startswith("..") and path not in claimed and (HERE / path).exists():
                claimed.add(path)
                pages.append(relpath(path.removesuffix(".md"), folder))
        if pages:
            heading = [f":caption: {caption}"] if caption and name == "index.md" else []
            trees += ["", "```{toctree}", ":hidden:", *heading, "", *pages, "```", ""]
    return text + "\n".join(trees)


def contents() -> dict[str, str]:
    """The pages with a table of contents, in the order of the site."""
    found: dict[str, str] = {}
    claimed = {"index.md"}
    waiting = ["index.md"]
    while waiting:
        name = waiting.pop(0)
        before = set(claimed)
        text = with_links_of_the_site((HERE / name).read_text(encoding="utf-8"), f"docs/{name}")
        found[name] = with_contents(text, name, claimed)
        waiting += sorted(page for page in claimed - before if page.endswith(("README.md", "index.md")))
    return found


def _read(app: Any, docname: str, content: list[str]) -> None:
    name = f"{docname}.md"
    if name in app.lists:
        content[0] = app.lists[name]
    elif not name.startswith(("api/", "project/")):
        content[0] = with_links_of_the_site(content[0], f"docs/{name}")


def _tables_as_they_stand(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Show Markdown tables in docstrings verbatim, because reStructuredText has no equivalent."""
    for number in range(len(lines) - 1, -1, -1):
        if lines[number].startswith("|"):
            lines[number] = f"    {lines[number]}"
            if number == 0 or not lines[number - 1].startswith("|"):
                lines[number:number] = ["::", ""]


_WRITTEN: dict[str, list[str]] = {}


def _keep(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    """Keep what stands under an attribute: Napoleon takes its words before a colon for a type."""
    if what in ("attribute", "data", "property"):
        _WRITTEN[name] = list(lines)


def _put_back(app: Any, what: str, name: str, obj: Any, options: Any, lines: list[str]) -> None:
    if name in _WRITTEN:
        lines[:] = _WRITTEN.pop(name)


def _skip(app: Any, what: str, name: str, obj: Any, skip: bool, options: Any) -> bool | None:
    """Leave out the fields of named tuples that only say their number; the class describes them."""
    return True if (getattr(obj, "__doc__", None) or "").startswith("Alias for field number") else None


def setup(app: Any) -> None:
    """Write the pages from outside this folder before Sphinx collects its sources."""
    with mock(autodoc_mock_imports):  # Autodoc changes annotations of classes, which pydantic reads for subclasses.
        for name in api.shown():
            importlib.import_module(name)
    api.write_pages(HERE / "api")
    (HERE / "project").mkdir(exist_ok=True)
    for outside, inside in OUTSIDE.items():
        text = with_links_of_the_site((ROOT / outside).read_text(encoding="utf-8"), outside)
        (HERE / inside).write_text(text, encoding="utf-8")
    app.lists = contents()
    app.connect("source-read", _read)
    app.connect("autodoc-process-docstring", _keep, priority=400)  # Napoleon's is 500.
    app.connect("autodoc-process-docstring", _put_back, priority=600)
    app.connect("autodoc-skip-member", _skip)
    app.connect("autodoc-process-docstring", _tables_as_they_stand)
