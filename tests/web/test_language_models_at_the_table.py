"""A language model, scripted, as an opponent in the browser's table."""

import json
from pathlib import Path

import pytest
from web_server import serving

import scripted_model
from cardgym import CardgymError
from cardgym.players.llm.settings import TRANSCRIPTS
from cardgym.table.game_log import GameLog
from cardgym.table.web.app import make_app

pytest.importorskip("openai")
KUHN = "KuhnPoker-v0"


def test_a_model_plays_at_the_table_and_resigns_by_answers_that_are_no_move(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(TRANSCRIPTS, str(tmp_path / "asked.jsonl"))
    with scripted_model.serving() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        players = {"gpt": "llm:honest", "prose": "llm:prose,rethinks=0"}
        with serving(tmp_path / "games.sqlite", players=players) as served:
            state = served.client.sit_down(game=KUHN, opponents=["gpt"], seat=1, seed=1)
            assert state["names"] == ["Gpt", "You"]
            assert len(model.asked) == 1
            assert "What happened so far:\nYou are dealt the " in model.asked[0][1]["content"]
            ended = served.client.act(state, state["actions"][0]["action"])["state"]
            assert "Gpt" in json.dumps(ended["narration"])
            ended = served.client.sit_down(game=KUHN, opponents=["prose"], seat=1, seed=1)
            assert ended["result"]["text"] == "Prose resigned"
            assert [player["return"] for player in ended["result"]["players"]] == [0.0, -1.0]
            record = served.client.get("/api/history")  # Reads the log with its checks.
            assert [game["resigned"] for game in record["games"]] == [True, False]


@pytest.mark.parametrize("shared", [False, True])
def test_only_the_person_who_started_the_server_reads_where_a_model_is(
    shared: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv(TRANSCRIPTS, str(tmp_path / "asked.jsonl"))
    with scripted_model.serving() as model:
        monkeypatch.setenv("OPENAI_BASE_URL", model.url)
        players = {"none": "llm:unknown,retries=0"}
        with serving(tmp_path / "games.sqlite", players=players, shared=shared) as served:
            for _ in range(12):
                told = served.client.post("/api/tables", {"game": KUHN, "opponents": ["none"], "seat": 1}, 400)["error"]
    assert ("127.0.0.1" in told, "llm:unknown" in told) == (not shared, not shared)
    said = capsys.readouterr().err.count(f"player llm:unknown at {model.url}")
    assert said == (10 if shared else 0)  # No visitor fills the terminal.
    with pytest.raises(CardgymError, match="unknown key of llm:m 'color'"):
        make_app(GameLog(tmp_path / "more.sqlite"), players={"gpt": "llm:m,color=red"})
