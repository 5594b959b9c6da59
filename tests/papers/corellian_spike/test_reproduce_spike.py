"""`cardgym reproduce corellian-spike` at the smallest scale: every table, figure and verdict is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cardgym.papers.corellian_spike import page
from cardgym.papers.corellian_spike.runs import Scale
from cardgym.papers.corellian_spike.tables import PAPER, PAPER_SEATS, human_rows
from cardgym.statistics import mean_over_runs

DEEP = Path(__file__).parents[3] / "checkpoints" / "corellian_spike" / "double_dqn.safetensors"
GAME = {
    "id": "one",
    "env": "CorellianSpike-v0",
    "options": {},
    "seed": 1,
    "game": 0,
    "time": "2026-01-01T00:00:00",
    "person": 0,
    "moves": [],
    "finished": True,
    "max_score": 10,
    "players": [
        {"name": "you", "seat": 0, "score": 4, "return": -6.0, "metrics": {"bust_games": 0}},
        {"name": "policy_50.json", "seat": 1, "score": 6, "return": 6.0, "metrics": {"bust_games": 0}},
    ],
}


@pytest.mark.slow
def test_page_has_every_table_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps(GAME) + "\n")
    name, figure = next(iter(page.FIGURES.items()))
    monkeypatch.setattr(page, "FIGURES", {name: figure})
    scale = Scale(seeds=2, iterations=2, training_games=20, games=20, deep_seeds=1, information_seeds=2,
                  budgets=(1000,), processes=1)  # fmt: skip
    progress: list[tuple[int, int]] = []
    written = page.write_results(tmp_path, scale, [DEEP], log, lambda done, total: progress.append((done, total)))
    assert [path.name for path in written] == ["results.md", name]
    text = written[0].read_text()
    for (reward, opponent), (credits, hands, *_) in PAPER.items():
        assert f"| {opponent} | {credits:+.1f} |" in text, (reward, opponent)
        assert f"| {hands} % |" in text
    for seats, hands in PAPER_SEATS:
        assert f"| {seats}, {hands} | 2-player | " in text
        assert f"| {seats}, {hands} | 4-player | " in text
    assert f"| against | `{DEEP.stem}` |" in text
    assert "| you | policy_50.json | the paper's | 1 | -6.0 | 4 of 10 | 0 |" in text
    for opponent in ("random", "batch Q: credits", "batch Q: weighted"):
        assert f"| {opponent} | +" in text  # It wins credits, even in twenty games.
    assert text.count("| double DQN |") == 2
    assert "nan" not in text
    assert all(path.stat().st_size > 1000 for path in written)
    assert progress[-1][0] == progress[-1][1]


def test_games_with_other_options_have_a_row_of_their_own(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    shorter = {**GAME, "options": {"num_players": 2, "hands": 5}, "max_score": 5}
    log.write_text("".join(json.dumps(game) + "\n" for game in (GAME, shorter, GAME)))
    assert human_rows(log) == [
        ["you", "policy_50.json", "the paper's", "2", "-6.0", "8 of 20", "0"],
        ["you", "policy_50.json", "hands=5", "1", "-6.0", "4 of 5", "0"],
    ]


def test_unfinished_games_have_no_row(tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    log.write_text(json.dumps({**GAME, "finished": False}) + "\n")
    assert human_rows(log) == []


def test_estimate_is_students_interval() -> None:
    """For 1, 2, 3: mean 2, standard deviation 1, t(2) = 4.303, so the half width is 4.303 / sqrt(3)."""
    estimate = mean_over_runs([1.0, 2.0, 3.0])
    assert estimate.value == 2.0
    assert estimate.half_width == pytest.approx(2.4843, abs=1e-3)
