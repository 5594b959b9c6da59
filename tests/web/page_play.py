"""What a page does: a game with hints, and which entries it accepts. As a program, without what a page cannot have."""

import asyncio
import json
import sys
from collections.abc import Callable, Coroutine
from typing import Any

BLOCKED = ("gymnasium", "numba", "llvmlite", "pydantic", "pydantic_core", "sqlite3", "torch", "filelock", "safetensors")
Ask = Callable[[str, str, dict[str, Any]], Coroutine[Any, Any, dict[str, Any]]]


async def play(ask: Ask, game: str, opponent: str, advised: int = 2) -> dict[str, Any]:
    """Play a game to its end; returns its id, and all that its person was told."""
    body = {"game": game, "opponents": [opponent], "seat": 0, "seed": 7, "hints": "demand"}
    table = (await ask("POST", "tables", body))["table"]
    state = await ask("GET", f"tables/{table}", {})
    hints: list[Any] = []
    moves: list[Any] = []
    while not state["ended"]:
        if len(hints) < advised:
            hints.append(await ask("GET", f"tables/{table}/advice", {}))
        moves.append(state["actions"][len(moves) % len(state["actions"])])
        words = {"action": moves[-1]["action"], "version": state["version"]}
        state = (await ask("POST", f"tables/{table}/action", words))["state"]
    told = {"hints": hints, "moves": moves, "narration": state["narration"], "result": state["result"]}
    return {"table": table, "told": told, "seed": state["seed"]}


def asking(page: Any) -> Ask:
    """What asks a `Page` in this process."""

    async def ask(method: str, path: str, body: dict[str, Any]) -> dict[str, Any]:
        status, text = await page.answer(method, f"/api/{path}", json.dumps(body) if method == "POST" else "")
        if status >= 300:
            raise RuntimeError(f"{method} {path} {body}: {status} {text}")
        return dict(json.loads(text)) if text.startswith("{") and text.count("\n") < 1 else {"lines": text}

    return ask


def verdicts(entries: list[Any]) -> list[str]:
    """The fields for which entries are refused; empty for those that are accepted."""
    from cardgym.errors import CardgymError
    from cardgym.table.game_entries import checked

    found = []
    for entry in entries:
        try:
            checked(entry, "entry")
            found.append("")
        except CardgymError as error:
            found.append(str(error).split(": ")[1])
    return found


def main() -> None:
    modules: dict[str, Any] = sys.modules
    modules |= dict.fromkeys(BLOCKED)
    from cardgym.games.coda.game import OFFICIAL, value_search
    from cardgym.table.web.page import Page, PageLog

    options: Any = OFFICIAL.parse_options()
    assert value_search(options).name == "value-search"  # Its network is the coach's, too.
    page = Page(PageLog({}, lambda id, text: None))
    asked = json.load(sys.stdin)
    told = asyncio.run(play(asking(page), *asked["play"]))["told"]
    print(json.dumps({"told": told, "verdicts": verdicts(asked["entries"])}))


if __name__ == "__main__":
    main()
