"""The application in a page: without a server, without what a page cannot have, with a record in the browser."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from page_play import asking, play, verdicts
from test_hostile_entries import EXTRA, JUNK, MISSING, changed, good, places

from cardgym.table.web.page import Page, PageLog

ENV = "KuhnPoker-v0"


def test_a_page_needs_no_compiled_library_and_plays_as_the_server_does() -> None:
    """The schema that stands for pydantic refuses the same entries, at the same places."""
    entries = [good()]
    for path in places(good()):
        for value in JUNK:
            if value in (MISSING, EXTRA) and not path:
                continue
            try:
                entry = changed(good(), path, value)
                entries.append(json.loads(json.dumps(entry, allow_nan=False)))
            except (ValueError, TypeError, IndexError, KeyError):  # Not JSON, or there is no such place.
                continue
    script = Path(__file__).with_name("page_play.py")
    asked = json.dumps({"play": [ENV, "honest"], "entries": entries})
    variables = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run([sys.executable, str(script)], input=asked, capture_output=True, text=True, env=variables)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    page = Page(PageLog({}, lambda id, text: None))
    assert found["told"] == asyncio.run(play(asking(page), ENV, "honest"))["told"]
    wanted = verdicts(entries)
    assert len(wanted) > 1000
    assert wanted.count("") > 10
    different = [(a, b, e) for a, b, e in zip(wanted, found["verdicts"], entries, strict=True) if bool(a) != bool(b)]
    assert not different, different[:3]


def test_games_are_kept_in_the_browser() -> None:
    """Games go on after a reload, and go out and in as JSON lines; damaged ones are named."""
    stored: dict[str, str] = {}

    def save(id: str, text: str | None) -> None:
        stored.pop(id, None)
        if text is not None:
            stored[id] = text

    async def first() -> tuple[str, str]:
        ask = asking(Page(PageLog({}, save)))
        finished = (await play(ask, ENV, "honest"))["table"]
        opened = await ask("POST", "tables", {"game": ENV, "seat": 0, "seed": 7})
        return finished, opened["table"]

    finished, opened = asyncio.run(first())

    async def second() -> None:
        page = Page(PageLog(dict(stored), save))
        ask = asking(page)
        assert [table["table"] for table in (await ask("GET", "lobby", {}))["tables"]] == [opened]
        state = await ask("GET", f"tables/{opened}", {})
        words = {"action": state["actions"][0]["action"], "version": state["version"]}
        assert (await ask("POST", f"tables/{opened}/action", words))["state"]["version"] > state["version"]
        assert (await ask("GET", f"history/{finished}/review", {}))["decisions"]
        assert [game["table"] for game in (await ask("GET", "history", {}))["games"]][-1] == finished
        assert page.games(f"/api/tables/{opened}", "") == [ENV]
        assert page.games("/api/tables", json.dumps({"game": ENV})) == [ENV]
        assert page.games("/api/lobby", "") == [ENV]
        _, lines = await page.answer("GET", "/api/history/export")
        other = asking(Page(PageLog({}, lambda id, text: None)))
        assert (await other("POST", "history/import", {"lines": lines}))["added"] >= 1
        assert (await ask("POST", "history/import", {"lines": lines}))["added"] == 0
        await ask("POST", f"history/{finished}/delete", {})
        assert finished not in stored

    asyncio.run(second())
    stored[opened] = stored[opened].replace('"seed": 7', '"seed": 8').replace('\\"seed\\": 7', '\\"seed\\": 8')

    async def third() -> dict[str, Any]:
        return await asking(Page(PageLog({**stored, "x": "{"}, save)))("GET", "history", {})

    unreadable = asyncio.run(third())["unreadable"]
    assert [game["table"] for game in unreadable] == [opened]
