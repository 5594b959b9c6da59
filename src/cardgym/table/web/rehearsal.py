"""Everything that a page offers for a game, done once: so its compiled code is known before the page is made."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import Any

from cardgym.engine.contract import Game
from cardgym.errors import CardgymError
from cardgym.table.coach.puzzles import find_puzzle
from cardgym.table.presentation import presentation_of
from cardgym.table.setup import PERSON
from cardgym.table.web import lobby
from cardgym.table.web.page import Page, PageLog

_MOST = 400
"""Decisions played in a game."""
_ADVISED = 60
"""Decisions of the first game with advice."""


def rehearse(game: Game) -> None:
    """Play against every opponent with hints, watch, share a screen, review, explore, and search for a puzzle."""
    asyncio.run(_Rehearsal(game).run())


class _Rehearsal:
    def __init__(self, game: Game) -> None:
        self._game = game
        self._page = Page(PageLog({}, lambda id, text: None))

    async def run(self) -> None:
        game, options = self._game, self._game.parse_options()
        alone = options.num_players == 1
        names = [""] if alone else [player["name"] for player in lobby.Lobby().opponents(game, options)]
        tables = [await self._play(name, _ADVISED if not number else 3) for number, name in enumerate(names)]
        await self._watch(names[0])
        if not alone:
            await self._play(PERSON, 0, people="hot", seed=None)
        await self._get(f"history/{tables[0]}/review")
        await self._get(f"history/{tables[0]}/replay")
        await self._get("history")
        line = await self._post("explore", game=game.id)
        if line["moves"]:
            await self._post("explore/outcomes", game=game.id, moves=line["moves"])
        await self._post("explore", record=tables[0], move=len(line["moves"]))
        if presentation_of(game).adviser is not None:
            with contextlib.suppress(CardgymError):  # Found or not, the search has called what searches call.
                find_puzzle(game, options, seed=7)
        if game.id in presentation_of(game).lessons:
            await self._play("", _MOST, lesson=True)

    async def _play(self, opponent: str, advised: int, **wanted: Any) -> str:
        """Play a game to its end with any legal actions, the first ones with advice; returns its id."""
        body = {"seat": 0, "seed": 7, "hints": "demand", "opponents": [opponent] if opponent else [], **wanted}
        table = str((await self._post("tables", game=self._game.id, **body))["table"])
        state = await self._get(f"tables/{table}?seat=0")
        for number in range(_MOST):
            if state["ended"]:
                return table
            if state["turn"] is not None:  # At a shared screen, the other person's.
                state = await self._get(f"tables/{table}?seat={state['turn']}")
            if number < advised:
                await self._get(f"tables/{table}/advice")
            action = state["actions"][number % len(state["actions"])]["action"]
            words = {"action": action, "version": state["version"], "seat": state["seat"]}
            state = (await self._post(f"tables/{table}/action", **words))["state"]
            if number == 1 and state["can_undo"]:
                state = (await self._post(f"tables/{table}/undo", version=state["version"]))["state"]
        await self._post(f"tables/{table}/resign")
        return table

    async def _watch(self, opponent: str) -> None:
        body = {"opponents": [opponent] if opponent else [], "seat": None, "seed": 7}
        table = (await self._post("tables", game=self._game.id, **body))["table"]
        state = await self._get(f"tables/{table}")
        for _ in range(3):
            state = (await self._post(f"tables/{table}/step", version=state["version"]))["state"]
        await self._get(f"tables/{table}/standing")

    async def _get(self, path: str) -> dict[str, Any]:
        return await self._ask("GET", path, "")

    async def _post(self, path: str, **body: Any) -> dict[str, Any]:
        return await self._ask("POST", path, json.dumps(body))

    async def _ask(self, method: str, path: str, body: str) -> dict[str, Any]:
        status, text = await self._page.answer(method, f"/api/{path}", body)
        answer = json.loads(text)
        if status >= 300:
            raise RuntimeError(f"{self._game.id}: {method} {path} {body}: {answer['error']}")
        return dict(answer)
