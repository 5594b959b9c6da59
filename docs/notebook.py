"""Generate the notebook of the first loop from its section of `start.md`: `python docs/notebook.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

PAGE = Path(__file__).parent / "start.md"
NOTEBOOK = PAGE.with_suffix(".ipynb")


def section(text: str) -> str:
    """Take the section of the first loop from the page."""
    return text[text.index("## Your first loop") : text.index("## Train\n")]


def cells(text: str) -> list[dict[str, Any]]:
    """Split a section into notebook cells: its Python blocks and the text between them."""
    found: list[dict[str, Any]] = []
    for number, part in enumerate(re.split(r"^```python\n(.*?)^```\n", text, flags=re.DOTALL | re.MULTILINE)):
        source = part.strip("\n").splitlines(keepends=True)
        cell: dict[str, Any] = {"id": f"cell-{number}", "metadata": {}, "source": source}
        if number % 2:
            cell |= {"cell_type": "code", "execution_count": None, "outputs": []}
        elif source:
            cell |= {"cell_type": "markdown"}
        if source:
            found.append(cell)
    return found


def notebook(text: str) -> str:
    """Write the notebook of a page as JSON."""
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    document = {"cells": cells(section(text)), "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    NOTEBOOK.write_text(notebook(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
