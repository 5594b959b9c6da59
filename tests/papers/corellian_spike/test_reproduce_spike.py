"""`cardgym reproduce corellian-spike` at the smallest scale: every table, figure and verdict is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from cardgym.papers.corellian_spike import page
from cardgym.papers.corellian_spike.runs import Scale
from cardgym.papers.corellian_spike.tables import PAPER, PAPER_SEATS

DEEP = Path(__file__).parents[3] / "checkpoints" / "corellian_spike" / "double_dqn.safetensors"


@pytest.mark.slow
def test_page_has_every_table_of_the_paper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    name, figure = next(iter(page.FIGURES.items()))
    monkeypatch.setattr(page, "FIGURES", {name: figure})
    scale = Scale(seeds=2, iterations=2, training_games=20, games=20, deep_seeds=1, information_seeds=2,
                  budgets=(1000,), processes=1)  # fmt: skip
    progress: list[tuple[int, int]] = []
    written = page.write_results(tmp_path, scale, [DEEP], lambda done, total: progress.append((done, total)))
    assert [path.name for path in written] == ["results.md", name]
    text = written[0].read_text()
    for (reward, opponent), (credits, hands, *_) in PAPER.items():
        assert f"| {opponent} | {credits:+.1f} |" in text, (reward, opponent)
        assert f"| {hands} % |" in text
    for seats, hands in PAPER_SEATS:
        assert f"| {seats}, {hands} | 2-player | " in text
        assert f"| {seats}, {hands} | 4-player | " in text
    assert f"| against | `{DEEP.stem}` |" in text
    for opponent in ("random", "batch Q: credits", "batch Q: weighted"):
        assert f"| {opponent} | +" in text  # It wins credits, even in twenty games.
    assert text.count("| double DQN |") == 2
    assert "nan" not in text
    assert all(path.stat().st_size > 1000 for path in written)
    assert progress[-1][0] == progress[-1][1]
