"""A language model, scripted, as an opponent in the browser's table."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from web_server import serving

import scripted_model
from cardgym.players.llm.settings import TRANSCRIPTS

pytest.importorskip("openai")
KUHN = "KuhnPoker-v0"


def test_a_model_plays_at_the_table_and_an_endpoint_that_fails_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRANSCRIPTS, str(tmp_path / "asked.jsonl"))
    with scripted_model.serving() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        players = {"gpt": "llm:honest", "prose": "llm:prose,rethinks=0", "none": "llm:unknown,retries=0"}
        with serving(tmp_path / "games.sqlite", players=players) as served:
            state = served.client.sit_down(game=KUHN, opponents=["gpt"], seat=1, seed=1)
            assert state["names"] == ["Gpt", "You"]
            assert len(model.asked) == 1
            assert "What happened so far:\nYou are dealt the " in model.asked[0][1]["content"]
            ended = served.client.act(state, state["actions"][0]["action"])["state"]
            assert "Gpt" in json.dumps(ended["narration"])
            for name, told in (("prose", ",illegal=random"), ("none", "llm:unknown")):
                refused = served.client.post("/api/tables", {"game": KUHN, "opponents": [name], "seat": 1}, 400)
                assert told in refused["error"], refused
